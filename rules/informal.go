package rules

import (
	"slices"
	"strings"
)

// Informal play: at home a player may overlook a capture, stop it early or take less than the
// rules demand. The move stays on the board, and the other side chooses a remedy. A [Game],
// self-play, matches and protocols do not use any of this: there a move is legal or refused.

// Huffing says for which faults the players of a variant huff, that is remove the guilty piece
// ("souffler n'est pas jouer").
type Huffing uint8

// The customs of huffing.
const (
	NoHuffing   Huffing = iota
	HuffOmitted         // a capture left out or cut short
	HuffLesser          // also a complete capture of fewer or lesser pieces than the rules ask for
)

// Fault is the kind of error in a move of informal play.
type Fault uint8

// The faults.
const (
	Omitted  Fault = iota // a quiet move where a capture was possible
	CutShort              // a capture that stops before its end
	Lesser                // a complete capture, but the rules demand another one
)

// String says in a phrase what the player did.
func (f Fault) String() string { return f.Message().Error() }

// Message implements [Messenger].
func (f Fault) Message() *Message {
	switch f {
	case Omitted:
		return Messagef("no capture was made")
	case CutShort:
		return Messagef("the capture was cut short")
	}
	return Messagef("less was taken than must be")
}

// Remedy is what the other side may do about a fault.
type Remedy string

// The remedies. Force and LetStand are available in every variant.
const (
	Force    Remedy = "force"     // the move is taken back, and a legal one is played
	LetStand Remedy = "let stand" // the move is valid once the other side has moved
	Huff     Remedy = "huff"      // a piece that should have captured is removed, and the other side moves
)

// Lapse is a move that the rules do not allow but informal play does, and the data for its
// remedies.
type Lapse struct {
	Before Position // the position to which Force returns
	Move   Move
	After  Position // the position that LetStand keeps; the other side is to move
	Fault  Fault
	Missed []Move // the legal captures of Before, in canonical order

	// Guilty are the squares in After of the pieces that should have captured, ascending. If the
	// piece moved began a capture that it should have continued, it is the only one; else they are
	// all pieces that could make a legal capture. It is empty if this fault is not huffed in the
	// variant.
	Guilty []Square

	variant *Variant
}

// Lapses returns the moves that informal play allows in p besides the legal ones, in canonical
// order. If a capture is possible these are all quiet moves, and the captures that stop early or
// take less; else there are none. In a position with more than lapseJumps jumps to try, some may
// be missing.
func (v *Variant) Lapses(p Position) []Move {
	legal := v.AppendMoves(nil, p)
	if len(legal) == 0 || !legal[0].IsCapture() {
		return nil
	}
	var moves []Move
	for m := range v.faults(p) {
		if !slices.Contains(legal, m) {
			moves = append(moves, m)
		}
	}
	sortMoves(moves)
	return moves
}

// Lapse returns the fault of m in p and its remedies. It returns false if m is legal, or is no
// move even in informal play.
func (v *Variant) Lapse(p Position, m Move) (Lapse, bool) {
	legal := v.AppendMoves(nil, p)
	if len(legal) == 0 || !legal[0].IsCapture() || slices.Contains(legal, m) {
		return Lapse{}, false
	}
	fault, ok := v.faults(p)[m]
	if !ok {
		return Lapse{}, false
	}
	l := Lapse{Before: p, Move: m, After: v.Play(p, m), Fault: fault, Missed: legal, variant: v}
	if v.Huffing == NoHuffing || fault == Lesser && v.Huffing != HuffLesser {
		return l, true
	}
	goesOn := func(n Move) bool { return n.From == m.From }
	for _, n := range legal {
		s := n.From
		switch {
		case s == m.From:
			s = m.To
		case m.IsCapture() && slices.ContainsFunc(legal, goesOn):
			continue
		}
		if !slices.Contains(l.Guilty, s) {
			l.Guilty = append(l.Guilty, s)
		}
	}
	slices.Sort(l.Guilty)
	return l, true
}

// lapseJumps bounds the number of jumps tried to find the moves of informal play. Hardly any
// position of a game needs a thousand.
const lapseJumps = 1 << 12

// faults returns the moves of informal play in p, where a capture is possible, each with its
// fault. The map also contains the legal moves.
func (v *Variant) faults(p Position) map[Move]Fault {
	found := map[Move]Fault{}
	if v.FirstKingWins && !p.Kings(White).Or(p.Kings(Black)).Empty() {
		return found
	}
	r := &reference{v: v, p: p, left: lapseJumps}
	for s := Square(1); int(s) <= v.Board.Squares(); s++ {
		if r.own(s) {
			for _, m := range r.quiet(s) {
				found[m] = Omitted
			}
		}
	}
	// A king cuts its capture short if it lands on a square from which it cannot go on while
	// another square allows it.
	w := *v
	w.KingGoesOn = false
	for _, c := range (&reference{v: &w, p: p, left: lapseJumps}).all() {
		for n := 1; n <= len(c.taken); n++ {
			found[c.cut(v, p.Turn, n).move(v)] = CutShort
		}
	}
	all := r.all()
	if r.left < 0 {
		return found // the complete captures are not known
	}
	for _, c := range all {
		found[c.move(v)] = Lesser
	}
	return found
}

// cut returns the first n jumps of a capture of side c.
func (p capture) cut(v *Variant, c Color, n int) capture {
	q := capture{path: p.path[:n+1], taken: p.taken[:n], kings: p.kings[:n], king: p.king}
	for _, s := range q.path[1:] {
		q.crowned = q.crowned || !p.king && v.CrownedAtOnce && v.Promotes(c, s)
	}
	return q
}

// Remedies returns the remedies from which the other side may choose.
func (l Lapse) Remedies() []Remedy {
	if len(l.Guilty) == 0 {
		return []Remedy{Force, LetStand}
	}
	return []Remedy{Force, LetStand, Huff}
}

// Huff returns After without the guilty piece on s; the other side is to move. If no guilty piece
// stands on s the error lists the squares of those that do.
func (l Lapse) Huff(s Square) (Position, error) {
	if !slices.Contains(l.Guilty, s) {
		if len(l.Guilty) == 0 {
			return Position{}, Messagef("nothing may be huffed: %s in %s", l.Fault, l.variant)
		}
		return Position{}, Messagef("the piece on %s may not be huffed; it is %s", l.variant.SquareName(s), l.variant.either(l.Guilty))
	}
	gone := l.variant.Board.Set(s)
	p, c := l.After, l.Before.Turn
	kings := p.Kings(White).Or(p.Kings(Black)).AndNot(gone)
	q := NewPosition(p.Pieces(White).AndNot(gone), p.Pieces(Black).AndNot(gone), kings, p.Turn)
	o := c.Opponent()
	q = q.WithKingMoves(o, int(p.kingMoves[o]), p.lastKing[o])
	if p.lastKing[c] != s && !q.Men(c).Empty() {
		q = q.WithKingMoves(c, int(p.kingMoves[c]), p.lastKing[c])
	}
	return q, nil
}

// either lists squares as "32", "32 or 37", "32, 33 or 37".
func (v *Variant) either(squares []Square) any {
	var names []string
	for _, s := range squares {
		names = append(names, v.SquareName(s))
	}
	n := len(names) - 1
	if n == 0 {
		return names[0]
	}
	return Messagef("%s or %s", strings.Join(names[:n], ", "), names[n])
}

// LapsePaths returns the paths of a capture that only informal play allows: the squares landed on,
// the start first. It returns nil for other moves.
func (v *Variant) LapsePaths(p Position, m Move) [][]Square {
	jumps := maxPathJumps
	return v.LapsePathsWithin(p, m, &jumps)
}

// LapsePathsWithin is LapsePaths with the bound of [Variant.CapturePathsWithin].
func (v *Variant) LapsePathsWithin(p Position, m Move, jumps *int) [][]Square {
	if _, ok := v.Lapse(p, m); !ok || !m.IsCapture() {
		return nil
	}
	w := *v
	w.KingGoesOn = false
	return (&reference{v: &w, p: p}).walks(m, true, jumps)
}
