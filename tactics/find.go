package tactics

import (
	"slices"

	"damier/rules"
)

// Finder looks for combinations in positions. Only one goroutine may use it.
type Finder struct {
	// MaxSacrifices is the largest number of quiet moves of the solver in a line; default 5.
	MaxSacrifices int

	// Margin is the number of quiet moves of both sides by which a proof goes beyond the
	// sacrifices; default 3.
	Margin int

	// Threats also accepts positions in which the opponent could capture if it were its turn. The
	// gain still counts from the balance in the position.
	Threats bool

	// MinPieces is the smallest number of pieces of each side; default 4.
	MinPieces int

	v           *rules.Variant
	quick, full *Proof
	// Number of positions searched, and of combinations refused because of the full proof or
	// another solution.
	Tried, Refused int
}

// Limits of the work for one position.
const (
	quickNodes = 6_000
	fullNodes  = 400_000
)

// NewFinder returns a finder for v. It panics for a variant in which the side without moves wins,
// because material is no advantage there.
func NewFinder(v *rules.Variant) *Finder {
	if v.NoMovesWins {
		panic("tactics: a variant that is won by losing has no wins of material")
	}
	f := &Finder{v: v, quick: NewProof(v), full: NewProof(v), MaxSacrifices: 5, Margin: 3, MinPieces: 4}
	f.quick.Forcing, f.quick.Limit = true, quickNodes
	f.full.Limit = fullNodes
	return f
}

// Find returns the combination of p, if there is one: p is quiet, and a sacrifice wins at least a
// man and the lead and is the only first move that wins anything. Find sets the start (p without
// its counters), the line, its proof and its themes; the caller sets the other fields.
func (f *Finder) Find(p rules.Position) (Tactic, bool) {
	v := f.v
	p = rules.NewPosition(p.Pieces(rules.White), p.Pieces(rules.Black), p.Kings(rules.White).Or(p.Kings(rules.Black)), p.Turn)
	solver := p.Turn
	f.Tried++
	if min(p.Pieces(rules.White).Len(), p.Pieces(rules.Black).Len()) < f.MinPieces || v.HasCaptures(p) || !f.Threats && f.full.threatened(p) {
		return Tactic{}, false
	}
	before := Balance(v, p, solver)
	least := max(before+Man, Man)
	if !f.quick.Holds(p, solver, least, f.MaxSacrifices) {
		return Tactic{}, false
	}
	moves := v.AppendMoves(nil, p)
	if len(moves) < 3 {
		return Tactic{}, false
	}
	n, first := 0, rules.Move{} // number of quiet moves needed
	for n = 1; n <= f.MaxSacrifices; n++ {
		solutions := 0
		for _, m := range moves {
			if q := v.Play(p, m); v.HasCaptures(q) && f.quick.Holds(q, solver, least, n-1) {
				first = m
				solutions++
			}
		}
		if solutions > 1 {
			return Tactic{}, false
		}
		if solutions == 1 {
			break
		}
	}
	if n > f.MaxSacrifices {
		return Tactic{}, false
	}
	t := Tactic{Variant: v, Start: p, Depth: n + f.Margin}
	// Find the greatest gain, first by quick proofs, which may find less than the full proof.
	after := v.Play(p, first)
	best := least
	if f.quick.Holds(after, solver, Won, n-1) {
		best = Won
	}
	for best != Won && f.quick.Holds(after, solver, best+1, n-1) {
		best++
	}
	f.Refused++
	if !f.full.Holds(after, solver, best, t.Depth-1) {
		return Tactic{}, false
	}
	var ok bool
	if t.Line, ok = f.line(p, solver, best, n); !ok || t.Line[0] != first {
		return Tactic{}, false
	}
	t.Gain = best
	if best != Won {
		t.Gain -= before
	}
	for _, m := range moves {
		if m != first && (f.full.Holds(v.Play(p, m), solver, least, t.Depth-1) || f.full.Stopped()) {
			return Tactic{}, false
		}
	}
	t.Themes = Themes(v, p, t.Line)
	if t.Check() != nil {
		return Tactic{}, false
	}
	f.Refused--
	return t, true
}

// line returns the moves with which the solver reaches the target within n sacrifices, and the
// replies that make it longest. It returns false if the solver has more than one such move on the
// way.
func (f *Finder) line(p rules.Position, solver rules.Color, target, n int) ([]rules.Move, bool) {
	v := f.v
	if p.Turn != solver {
		replies := v.AppendMoves(nil, p)
		if len(replies) == 0 || !replies[0].IsCapture() {
			return nil, true
		}
		var longest []rules.Move
		for _, m := range replies {
			rest, ok := f.line(v.Play(p, m), solver, target, n)
			if !ok {
				return nil, false
			}
			if len(rest)+1 > len(longest) {
				longest = append([]rules.Move{m}, rest...)
			}
		}
		return longest, true
	}
	moves := v.AppendMoves(nil, p)
	if len(moves) == 0 {
		return nil, true
	}
	if !moves[0].IsCapture() {
		if Balance(v, p, solver) >= target && !f.quick.threatened(p) {
			return nil, true
		}
		n--
	}
	var only []rules.Move
	for _, m := range moves {
		q := v.Play(p, m)
		if !m.IsCapture() && !v.HasCaptures(q) || !f.quick.Holds(q, solver, target, n) {
			continue
		}
		if only != nil {
			return nil, false
		}
		only = []rules.Move{m}
	}
	if only == nil {
		return nil, false
	}
	rest, ok := f.line(v.Play(p, only[0]), solver, target, n)
	return append(only, rest...), ok
}

// Near reports whether two tactics of a variant are almost the same: the same moves, or the same
// position except for a few squares, seen from the solver's side.
func Near(a, b *Tactic) bool {
	if a.Variant.String() != b.Variant.String() {
		return false
	}
	v := a.Variant
	p, q, line, other := a.Start, b.Start, a.Line, b.Line
	if p.Turn != q.Turn {
		q = v.Rotate(q)
		other = make([]rules.Move, len(b.Line))
		for i, m := range b.Line {
			other[i] = v.RotateMove(m)
		}
	}
	if slices.Equal(line, other) {
		return true
	}
	differ := 0
	for s := rules.Square(1); int(s) <= v.Board.Squares(); s++ {
		if v.Piece(p, s) != v.Piece(q, s) {
			differ++
		}
	}
	return differ <= 6
}
