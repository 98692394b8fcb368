package data

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// setters has for each column of rowSchema the function that gives a row its value, or one more
// element of its list. The Parquet library does the same by reflection, which takes a third of the
// time of reading a shard.
var setters = columnSetters()

func columnSetters() []func(r *row, v parquet.Value, t texts) {
	number := func(v parquet.Value) uint16 { return uint16(v.Uint32()) }
	of := map[string]func(r *row, v parquet.Value, t texts){
		"game":        func(r *row, v parquet.Value, t texts) { r.Game = t.of(v) },
		"ply":         func(r *row, v parquet.Value, _ texts) { r.Ply = number(v) },
		"length":      func(r *row, v parquet.Value, _ texts) { r.Length = number(v) },
		"fen":         func(r *row, v parquet.Value, _ texts) { r.FEN = string(v.ByteArray()) },
		"quiet":       func(r *row, v parquet.Value, _ texts) { r.Quiet = uint8(v.Uint32()) },
		"endgame":     func(r *row, v parquet.Value, _ texts) { r.Endgame = uint8(v.Uint32()) },
		"occurrences": func(r *row, v parquet.Value, _ texts) { r.Occurrences = uint8(v.Uint32()) },
		"move":        func(r *row, v parquet.Value, t texts) { r.Move = t.of(v) },
		"legal":       func(r *row, v parquet.Value, t texts) { r.Legal = append(r.Legal, t.of(v)) },
		"visits":      func(r *row, v parquet.Value, _ texts) { r.Visits = append(r.Visits, number(v)) },
		"priors":      func(r *row, v parquet.Value, _ texts) { r.Priors = append(r.Priors, number(v)) },
		"values":      func(r *row, v parquet.Value, _ texts) { r.Values = append(r.Values, number(v)) },
		"tree_lines": func(r *row, v parquet.Value, _ texts) {
			r.TreeLines = append(r.TreeLines, slices.Clone(v.ByteArray()))
		},
		"tree_values": func(r *row, v parquet.Value, _ texts) { r.TreeValues = append(r.TreeValues, number(v)) },
		"search":      func(r *row, v parquet.Value, t texts) { r.Search = t.of(v) },
		"simulations": func(r *row, v parquet.Value, _ texts) { r.Simulations = v.Uint32() },
		"root_win":    func(r *row, v parquet.Value, _ texts) { r.RootWin = number(v) },
		"root_draw":   func(r *row, v parquet.Value, _ texts) { r.RootDraw = number(v) },
		"root_loss":   func(r *row, v parquet.Value, _ texts) { r.RootLoss = number(v) },
		"raw_win":     func(r *row, v parquet.Value, _ texts) { r.RawWin = number(v) },
		"raw_draw":    func(r *row, v parquet.Value, _ texts) { r.RawDraw = number(v) },
		"raw_loss":    func(r *row, v parquet.Value, _ texts) { r.RawLoss = number(v) },
		"outcome":     func(r *row, v parquet.Value, t texts) { r.Outcome = t.of(v) },
		"reason":      func(r *row, v parquet.Value, t texts) { r.Reason = t.of(v) },
		"model":       func(r *row, v parquet.Value, t texts) { r.Model = t.of(v) },
		"generation":  func(r *row, v parquet.Value, _ texts) { r.Generation = v.Int32() },
		"variant":     func(r *row, v parquet.Value, t texts) { r.Variant = t.of(v) },
		"options":     func(r *row, v parquet.Value, t texts) { r.Options = t.of(v) },
		"rules":       func(r *row, v parquet.Value, _ texts) { r.Rules = v.Int32() },
		"seed":        func(r *row, v parquet.Value, _ texts) { r.Seed = v.Uint64() },
		"start":       func(r *row, v parquet.Value, t texts) { r.Start = t.of(v) },
	}
	var all []func(r *row, v parquet.Value, t texts)
	for _, path := range rowSchema.Columns() {
		set, ok := of[path[0]]
		if !ok {
			panic(fmt.Sprintf("data: column %q has no setter", path[0]))
		}
		all = append(all, set)
	}
	return all
}

// set gives r the values of all columns of a row. It takes the memory of the lists that r has, and
// keeps nothing of the values.
func (r *row) set(values parquet.Row, t texts) {
	*r = row{
		Legal: r.Legal[:0], Visits: r.Visits[:0], Priors: r.Priors[:0], Values: r.Values[:0],
		TreeLines: r.TreeLines[:0], TreeValues: r.TreeValues[:0],
	}
	for _, v := range values {
		if !v.IsNull() { // an empty list has a null
			setters[v.Column()](r, v, t)
		}
	}
}

// texts holds the texts of a shard, so that each takes memory once: there are a few thousand, again
// and again.
type texts map[string]string

// of returns the text of a value.
func (t texts) of(v parquet.Value) string {
	b := v.ByteArray()
	s, ok := t[string(b)]
	if !ok {
		s = string(b)
		t[s] = s
	}
	return s
}
