package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"damier/rules"
)

// row is a ply in a shard. It stands alone: fields of the game are repeated in every row, which
// costs next to nothing after compression. Columns may be added only with a new FormatVersion.
type row struct {
	Game   string `parquet:"game,dict"`
	Ply    uint16 `parquet:"ply"`    // 0 at the start position
	Length uint16 `parquet:"length"` // plies of the game

	FEN         string `parquet:"fen,delta"`   // without counters
	Quiet       uint8  `parquet:"quiet"`       // rules.Position.Quiet
	Endgame     uint8  `parquet:"endgame"`     // rules.Position.Endgame
	Occurrences uint8  `parquet:"occurrences"` // of the position so far, this one included

	Move   string   `parquet:"move,dict"`                          // the move played, written as in legal
	Legal  []string `parquet:"legal,list" parquet-element:",dict"` // canonical order; see appendMove
	Visits []uint16 `parquet:"visits,list"`                        // one for each legal move, or none at all
	Priors []uint16 `parquet:"priors,list"`                        // see quantPrior
	Values []uint16 `parquet:"values,list"`                        // see quantValue

	TreeLines  [][]byte `parquet:"tree_lines,list"`  // Node.Line of each tree position
	TreeValues []uint16 `parquet:"tree_values,list"` // Node.Value of each, for the side to move there; see quantValue

	Search      string `parquet:"search,dict"` // full, cheap, forced (one legal move) or none
	Simulations uint32 `parquet:"simulations"`

	RootWin  uint16 `parquet:"root_win"` // the search's estimate for the side to move, in 1/65535; all zero means none
	RootDraw uint16 `parquet:"root_draw"`
	RootLoss uint16 `parquet:"root_loss"`
	RawWin   uint16 `parquet:"raw_win"` // the network's own estimate, in the same way
	RawDraw  uint16 `parquet:"raw_draw"`
	RawLoss  uint16 `parquet:"raw_loss"`

	Outcome    string `parquet:"outcome,dict"` // white, black or draw
	Reason     string `parquet:"reason,dict"`
	Model      string `parquet:"model,dict"`
	Generation int32  `parquet:"generation"`
	Variant    string `parquet:"variant,dict"`
	Options    string `parquet:"options,dict"`
	Rules      int32  `parquet:"rules"`
	Seed       uint64 `parquet:"seed"`
	Start      string `parquet:"start,dict"` // FEN of ply 0
}

var rowSchema = parquet.NewSchema("ply", parquet.SchemaOf(row{}))

// The kinds of search, as in the search column.
const (
	searchFull   = "full"
	searchCheap  = "cheap"
	searchForced = "forced"
	searchNone   = "none"
)

// searchOf returns the kind of the search of p.
func searchOf(p *Ply) string {
	switch {
	case p.Full:
		return searchFull
	case len(p.Visits) > 0:
		return searchCheap
	case len(p.Moves) == 1:
		return searchForced
	}
	return searchNone
}

// unvisited is the code for the value of a move without a visit.
const unvisited = math.MaxUint16

// priorSteps is the number of code steps for a factor of two in a prior.
const priorSteps = 2048

// quantPrior encodes a prior p in [0,1] as -log2(p) in steps of 1/2048, rounded: the relative
// error is at most 2^(1/4096)-1, 0.017 %, down to 2^-31.99. Smaller priors and zero become 65535.
func quantPrior(p float32) uint16 {
	if p <= 0 {
		return math.MaxUint16
	}
	return uint16(min(math.Round(max(-math.Log2(float64(p)), 0)*priorSteps), math.MaxUint16))
}

// dequantPrior is the reverse of quantPrior; 65535 gives zero.
func dequantPrior(q uint16) float32 {
	if q == math.MaxUint16 {
		return 0
	}
	return float32(math.Exp2(-float64(q) / priorSteps))
}

// quantValue encodes a mean value in [0,1] in steps of 1/65534, and NaN (a move without a visit)
// as 65535.
func quantValue(x float32) uint16 {
	if x != x {
		return unvisited
	}
	return uint16(math.Round(float64(x) * (unvisited - 1)))
}

// dequantValue is the reverse of quantValue.
func dequantValue(q uint16) float32 {
	if q == unvisited {
		return float32(math.NaN())
	}
	return float32(q) / (unvisited - 1)
}

// quantShare encodes a probability in [0,1] in steps of 1/65535.
func quantShare(x float32) uint16 { return uint16(math.Round(float64(x) * math.MaxUint16)) }

// dequantShare is the reverse of quantShare.
func dequantShare(q uint16) float32 { return float32(q) / math.MaxUint16 }

// appendMove writes m in the long form that identifies it: "32-28", and for a capture also the
// captured squares in ascending order, "19x30x24" or "47x33x24x38". Squares are the PDN numbers of
// the variant, as in its FEN. If two captures differ only in whether the man is crowned on its way
// (see rules.Move), the one that crowns it ends in k.
func appendMove(dst []byte, v *rules.Variant, m rules.Move) []byte {
	dst = strconv.AppendInt(dst, int64(v.Number(m.From)), 10)
	if m.IsCapture() {
		dst = append(dst, 'x')
	} else {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, int64(v.Number(m.To)), 10)
	var room [rules.MaxSquares]rules.Square
	captured := v.Board.AppendSquares(room[:0], m.Captured())
	if v.Mirrored {
		slices.Reverse(captured)
	}
	for _, s := range captured {
		dst = append(dst, 'x')
		dst = strconv.AppendInt(dst, int64(v.Number(s)), 10)
	}
	if m != rules.NewMove(m.From, m.To, m.Captured()) {
		dst = append(dst, 'k')
	}
	return dst
}

// appendRows appends the rows of g, which has been checked.
func appendRows(dst []row, v *rules.Variant, g *Game, names *moveNames) []row {
	start := v.FEN(g.Start)
	for i := range g.Plies {
		p := &g.Plies[i]
		r := row{
			Game: g.ID, Ply: uint16(i), Length: uint16(len(g.Plies)),
			FEN: v.FEN(p.Position), Quiet: p.Position.Quiet, Endgame: p.Position.Endgame, Occurrences: p.Occurrences,
			Move:    names.of(p.Moves[p.Played]),
			Legal:   make([]string, len(p.Moves)),
			Visits:  p.Visits,
			Search:  searchOf(p),
			RootWin: quantShare(p.Root.Win), RootDraw: quantShare(p.Root.Draw), RootLoss: quantShare(p.Root.Loss),
			RawWin: quantShare(p.Raw.Win), RawDraw: quantShare(p.Raw.Draw), RawLoss: quantShare(p.Raw.Loss),
			Simulations: uint32(p.Simulations),
			Outcome:     g.Outcome.String(), Reason: string(g.Reason),
			Model: g.Model, Generation: int32(g.Generation),
			Variant: g.Variant, Options: g.Options, Rules: int32(g.Rules),
			Seed: g.Seed, Start: start,
		}
		for j, m := range p.Moves {
			r.Legal[j] = names.of(m)
		}
		if n := len(p.Visits); n > 0 {
			both := make([]uint16, 2*n)
			r.Priors, r.Values = both[:n:n], both[n:]
			for j := range n {
				r.Priors[j], r.Values[j] = quantPrior(p.Priors[j]), quantValue(p.Values[j])
			}
		}
		for j := range p.Tree {
			r.TreeLines = append(r.TreeLines, p.Tree[j].Line)
			r.TreeValues = append(r.TreeValues, quantValue(p.Tree[j].Value))
		}
		dst = append(dst, r)
	}
	return dst
}

// moveNames caches the text of moves, because a shard contains the same few thousand moves again
// and again.
type moveNames struct {
	v     *rules.Variant
	names map[rules.Move]string
}

func newMoveNames(v *rules.Variant) *moveNames {
	return &moveNames{v: v, names: map[rules.Move]string{}}
}

func (n *moveNames) of(m rules.Move) string {
	s, ok := n.names[m]
	if !ok {
		s = string(appendMove(nil, n.v, m))
		n.names[m] = s
	}
	return s
}

// gameOf rebuilds a game from its rows and checks all of it.
func (c *checker) gameOf(rows []row, names *moveNames) (Game, error) {
	r := &rows[0]
	start, err := rules.ParseFEN(c.v, r.Start)
	if err != nil {
		return Game{}, fmt.Errorf("game %q: its start: %w", r.Game, err)
	}
	start.Quiet, start.Endgame = r.Quiet, r.Endgame
	g := Game{
		ID: r.Game, Variant: r.Variant, Options: r.Options, Rules: int(r.Rules), Model: r.Model, Seed: r.Seed,
		Generation: int(r.Generation), Start: start, Plies: make([]Ply, len(rows)), Reason: rules.Reason(r.Reason),
	}
	switch r.Outcome {
	case "white":
		g.Outcome = rules.WhiteWins
	case "black":
		g.Outcome = rules.BlackWins
	case "draw":
		g.Outcome = rules.Draw
	case "*":
		g.Outcome = rules.Ongoing
	default:
		return Game{}, fmt.Errorf("game %q: its outcome is %q, neither white nor black nor draw nor *", g.ID, r.Outcome)
	}
	if err := c.begin(&g); err != nil {
		return Game{}, fmt.Errorf("game %q: %w", g.ID, err)
	}
	for i := range rows {
		if err := c.plyOf(&g.Plies[i], &rows[i], r, i, len(rows), names); err != nil {
			return Game{}, fmt.Errorf("game %q, ply %d: %w", g.ID, i, err)
		}
	}
	if err := c.end(&g); err != nil {
		return Game{}, fmt.Errorf("game %q, at its end: %w", g.ID, err)
	}
	return g, nil
}

// plyOf rebuilds ply i of n from its row. It takes what the rules determine from the replayed
// game, and compares the row with that.
func (c *checker) plyOf(p *Ply, r, first *row, i, n int, names *moveNames) error {
	if int(r.Ply) != i || int(r.Length) != n {
		return fmt.Errorf("the row says ply %d of %d, and it is ply %d of %d", r.Ply, r.Length, i, n)
	}
	if r.Outcome != first.Outcome || r.Reason != first.Reason || r.Model != first.Model || r.Generation != first.Generation ||
		r.Variant != first.Variant || r.Options != first.Options || r.Rules != first.Rules || r.Seed != first.Seed || r.Start != first.Start {
		return fmt.Errorf("the row tells another outcome, reason, model, generation, variant, options, rules, seed or start than the first")
	}
	if c.game.Over() {
		_, reason := c.game.Outcome()
		return fmt.Errorf("the game goes on after its end by %s", reason)
	}
	at, legal := c.game.Position(), c.game.Legal()
	if fen := c.v.FEN(at); r.FEN != fen || r.Quiet != at.Quiet || r.Endgame != at.Endgame {
		return fmt.Errorf("the position is %s (quiet %d, endgame %d), and the moves so far lead to %s (quiet %d, endgame %d)",
			r.FEN, r.Quiet, r.Endgame, fen, at.Quiet, at.Endgame)
	}
	if len(r.Legal) != len(legal) {
		return fmt.Errorf("%d legal moves are recorded, and there are %d", len(r.Legal), len(legal))
	}
	p.Position, p.Occurrences, p.Played, p.Simulations = at, r.Occurrences, -1, int(r.Simulations)
	p.Moves = append([]rules.Move(nil), legal...)
	for j, m := range legal {
		if name := names.of(m); r.Legal[j] != name {
			return fmt.Errorf("legal move %d is recorded as %q, and it is %s", j, r.Legal[j], name)
		}
		if r.Legal[j] == r.Move {
			p.Played = j
		}
	}
	if p.Played < 0 {
		return fmt.Errorf("the move played, %q, is not legal", r.Move)
	}
	p.Root = rules.WDL{Win: dequantShare(r.RootWin), Draw: dequantShare(r.RootDraw), Loss: dequantShare(r.RootLoss)}
	p.Raw = rules.WDL{Win: dequantShare(r.RawWin), Draw: dequantShare(r.RawDraw), Loss: dequantShare(r.RawLoss)}
	p.Full = r.Search == searchFull
	if len(r.Visits) != len(r.Priors) || len(r.Visits) != len(r.Values) {
		return fmt.Errorf("%d visits, %d priors and %d values", len(r.Visits), len(r.Priors), len(r.Values))
	}
	if k := len(r.Visits); k > 0 {
		p.Visits = append([]uint16(nil), r.Visits...)
		both := make([]float32, 2*k)
		p.Priors, p.Values = both[:k:k], both[k:]
		for j := range k {
			p.Priors[j], p.Values[j] = dequantPrior(r.Priors[j]), dequantValue(r.Values[j])
		}
	}
	if len(r.TreeLines) != len(r.TreeValues) {
		return fmt.Errorf("%d positions of the tree and %d values", len(r.TreeLines), len(r.TreeValues))
	}
	for j, line := range r.TreeLines {
		position, err := follow(c.v, at, line)
		if err != nil {
			return fmt.Errorf("position %d of the tree: %w", j, err)
		}
		p.Tree = append(p.Tree, Node{Line: line, Position: position, Value: dequantValue(r.TreeValues[j])})
	}
	if r.Search != searchOf(p) {
		return fmt.Errorf("the search is recorded as %q, and it is %s", r.Search, searchOf(p))
	}
	if err := c.choice(p); err != nil {
		return err
	}
	if err := checkTree(p); err != nil {
		return err
	}
	return c.game.Play(p.Moves[p.Played])
}

// Round rounds the numbers of g to those that a shard stores. It is then as it would be read back.
func (g *Game) Round() {
	for i := range g.Plies {
		p := &g.Plies[i]
		p.Root, p.Raw = roundWDL(p.Root), roundWDL(p.Raw)
		for j := range p.Visits {
			p.Priors[j] = dequantPrior(quantPrior(p.Priors[j]))
			p.Values[j] = dequantValue(quantValue(p.Values[j]))
		}
		for j := range p.Tree {
			p.Tree[j].Value = dequantValue(quantValue(p.Tree[j].Value))
		}
	}
}

func roundWDL(w rules.WDL) rules.WDL {
	return rules.WDL{
		Win: dequantShare(quantShare(w.Win)), Draw: dequantShare(quantShare(w.Draw)), Loss: dequantShare(quantShare(w.Loss)),
	}
}
