package hub

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"damier/notation"
	"damier/rules"
)

// Engine is a program for which Serve speaks. Serve calls one method at a time.
type Engine interface {
	ID() ID
	// Variant returns the rules the engine plays by. They may change in Init.
	Variant() *rules.Variant
	// Params returns the parameters with their present values; [VariantParam] should be the first.
	Params() []Param
	// SetParam sets one of Params; the value fits its type. It is called while no search runs.
	SetParam(name, value string) error
	// Init prepares the engine to search: it does the loading and allocation that take time. It
	// may be called again after parameters have changed.
	Init() error
	// NewGame says that the next search is of another game.
	NewGame()
	// Search chooses a move in a game that is not over and has a legal move. When the context is
	// done it returns at once with the best move so far, without an error. It may call info from
	// time to time, on its own goroutine.
	Search(ctx context.Context, g *rules.Game, limits Limits, info func(Info)) (Result, error)
}

// Result is the result of a search.
type Result struct {
	Move   rules.Move
	Ponder rules.Move // the expected answer; the zero Move for none
}

// ID identifies an engine. Empty fields are not sent.
type ID struct{ Name, Version, Author, Country string }

func (id ID) line() Line {
	l := Line{Command: "id"}
	for _, a := range []Arg{{"name", id.Name, true}, {"version", id.Version, true}, {"author", id.Author, true}, {"country", id.Country, true}} {
		if a.Value != "" {
			l.Args = append(l.Args, a)
		}
	}
	return l
}

// Type is the type of a parameter, as the protocol names it.
type Type string

// The types.
const (
	Bool   Type = "bool" // "true" or "false"
	Int    Type = "int"
	Real   Type = "real"
	String Type = "string"
	Enum   Type = "enum"
)

// Param is a parameter of an engine.
type Param struct {
	Name, Value string
	Type        Type
	Min, Max    float64  // of an Int or a Real, both inclusive
	Values      []string // of an Enum
}

// VariantName returns the name of a variant in Hub messages. normal, killer, bt, frisian and
// losing are Scan's names; the others are this program's own.
func VariantName(v *rules.Variant) string {
	return cmp.Or(v.Tuning().HubName, v.Name)
}

// Variants returns all variants with their default options: first those that other Hub programs
// know, in their order, then the others by name.
func Variants() []*rules.Variant { return slices.Clone(variants()) }

var variants = sync.OnceValue(func() []*rules.Variant {
	var all []*rules.Variant
	for _, name := range rules.Names() {
		if v, err := rules.Lookup(name, nil); err == nil {
			all = append(all, v)
		}
	}
	place := func(v *rules.Variant) int { return cmp.Or(v.Tuning().HubOrder, len(all)+1) }
	slices.SortStableFunc(all, func(a, b *rules.Variant) int { return place(a) - place(b) })
	return all
})

// VariantParam returns the parameter that chooses the variant. v is the present one; known are
// those it can be set to, including v. known may be empty if there is no other. A change takes
// effect with the next Init.
func VariantParam(v *rules.Variant, known ...*rules.Variant) Param {
	p := Param{Name: "variant", Value: VariantName(v), Type: Enum}
	for _, k := range known {
		p.Values = append(p.Values, VariantName(k))
	}
	if len(known) == 0 {
		p.Values = []string{p.Value}
	}
	return p
}

func (p Param) line() Line {
	l := Line{Command: "param"}.with("name", p.Name).with("value", p.Value).with("type", string(p.Type))
	switch p.Type {
	case Int, Real:
		l = l.with("min", number(p.Min)).with("max", number(p.Max))
	case Enum:
		l = l.with("values", strings.Join(p.Values, " "))
	}
	return l
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// check returns an error if the parameter does not accept the value.
func (p Param) check(value string) error {
	bad := func(want string) error {
		return fmt.Errorf("parameter %s=%s: write %s", p.Name, quote(value), want)
	}
	switch p.Type {
	case Bool:
		if value != "true" && value != "false" {
			return bad("true or false")
		}
	case Int, Real:
		x, err := strconv.ParseFloat(value, 64)
		if p.Type == Int {
			var n int
			n, err = strconv.Atoi(value)
			x = float64(n)
		}
		if err != nil || !(x >= p.Min && x <= p.Max) {
			return bad(fmt.Sprintf("a number from %s to %s", number(p.Min), number(p.Max)))
		}
	case Enum:
		if !slices.Contains(p.Values, value) {
			return bad(strings.Join(p.Values, " or "))
		}
	}
	return nil
}

// Info is a report during a search. Zero fields, except the score, are not sent.
type Info struct {
	Depth     int
	MeanDepth float64
	Score     float64 // in men, for the side to move; see [Won]
	Nodes     int64
	Time      time.Duration
	PV        []rules.Move

	// Rank numbers the lines of a report with several lines, from 1, the best; 0 if there is only
	// one. It is sent after the other fields, and the best line is sent last, for interfaces that
	// show only one line.
	Rank int

	// Book means that the line comes from a book, without a search. It is sent as book=true, which
	// other programs skip.
	Book bool
}

// Won returns the score of a position that is won in the given number of plies: 100 minus a
// hundredth for each. A lost position has the negative score.
func Won(plies int) float64 { return 100 - float64(plies)/100 }

// line returns the message, with its arguments in the order that all programs understand.
func (i Info) line(v *rules.Variant) Line {
	l := Line{Command: "info"}
	if i.Depth > 0 {
		l = l.with("depth", strconv.Itoa(i.Depth))
	}
	if i.MeanDepth > 0 {
		l = l.with("mean-depth", strconv.FormatFloat(i.MeanDepth, 'f', 1, 64))
	}
	l = l.with("score", strconv.FormatFloat(i.Score, 'f', 2, 64))
	if i.Nodes > 0 {
		l = l.with("nodes", strconv.FormatInt(i.Nodes, 10))
	}
	if i.Time > 0 {
		l = l.with("time", strconv.FormatFloat(i.Time.Seconds(), 'f', 3, 64))
		l = l.with("nps", strconv.FormatFloat(float64(i.Nodes)/i.Time.Seconds()/1e6, 'f', 3, 64))
	}
	if len(i.PV) > 0 {
		moves := make([]string, len(i.PV))
		for n, m := range i.PV {
			moves[n] = notation.FormatHub(v, m)
		}
		l = l.with("pv", strings.Join(moves, " "))
	}
	if i.Book {
		l = l.with("book", "true")
	}
	if i.Rank > 0 {
		l = l.with("multi-pv", strconv.Itoa(i.Rank))
	}
	return l
}
