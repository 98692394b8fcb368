package rules

import (
	"fmt"
	"slices"
)

// Informal play: at home a player may overlook a capture, cut it short or take less than he must. The move
// stands on the board all the same, and the other side chooses what becomes of it. None of this enters a
// [Game], self-play, a match or a protocol: there a move is legal or refused.

// Huffing says what a variant's players huff for ("souffler n'est pas jouer").
type Huffing uint8

// The customs of huffing.
const (
	NoHuffing   Huffing = iota
	HuffOmitted         // a capture left out or cut short
	HuffLesser          // also a complete capture of fewer or lesser pieces than the rules ask for
)

// Fault is what is wrong with a move that informal play lets pass.
type Fault uint8

// The faults.
const (
	Omitted  Fault = iota // nothing was taken, and something could be
	CutShort              // a capture was not played to its end
	Lesser                // a complete capture, but the rules ask for another
)

// String says what the player has done.
func (f Fault) String() string {
	return [...]string{"no capture was made", "the capture was cut short", "less was taken than must be"}[f]
}

// Remedy is what the other side may do about a fault.
type Remedy string

// The remedies. Forcing and letting stand are open in every variant.
const (
	Force    Remedy = "force"     // the move is taken back, and a legal one is played
	LetStand Remedy = "let stand" // the move is valid once the other side has moved
	Huff     Remedy = "huff"      // a piece that should have taken comes off the board, and the other side moves
)

// Lapse is a move of informal play that the rules do not allow, and what can be done about it.
type Lapse struct {
	Before Position // to which forcing goes back
	Move   Move
	After  Position // the other side is to move; what letting stand leaves
	Fault  Fault
	Missed []Move // the legal captures of Before, in canonical order

	// Guilty are the squares on which the pieces that should have taken stand in After, ascending: the piece
	// moved alone if it began a capture that it should have gone on with, else all that could take as the rules
	// ask for. Empty where the fault is not huffed.
	Guilty []Square

	variant *Variant
}

// Lapses returns the moves of p that informal play allows besides the legal ones, in canonical order: where
// there is a capture to make, all moves without one, and the captures that stop early or take less. It is
// empty where nothing can be taken. Of a position with more than lapseJumps ways to go on capturing, some may be left
// out.
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

// Lapse tells what m means in informal play; false if it is legal in p, or no move even there.
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

// lapseJumps bounds the jumps that are tried to find what informal play allows. Hardly any position of a game has a
// thousand.
const lapseJumps = 1 << 12

// faults returns the moves that informal play knows in p, where a capture can be made, each with its fault;
// the legal ones are among them.
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
	// A king that lands where it cannot go on, while it could on another square, has cut its capture short.
	w := *v
	w.KingGoesOn = false
	for _, c := range (&reference{v: &w, p: p, left: lapseJumps}).all() {
		for n := 1; n <= len(c.taken); n++ {
			found[c.cut(v, p.Turn, n).move(v)] = CutShort
		}
	}
	all := r.all()
	if r.left < 0 {
		return found // what is whole among them is not known
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

// Remedies returns what the other side may choose from.
func (l Lapse) Remedies() []Remedy {
	if len(l.Guilty) == 0 {
		return []Remedy{Force, LetStand}
	}
	return []Remedy{Force, LetStand, Huff}
}

// Huff returns After without the guilty piece on s; the other side is to move. The error says which pieces
// may be huffed.
func (l Lapse) Huff(s Square) (Position, error) {
	if !slices.Contains(l.Guilty, s) {
		if len(l.Guilty) == 0 {
			return Position{}, fmt.Errorf("nothing may be huffed: %s in %s", l.Fault, l.variant)
		}
		return Position{}, fmt.Errorf("the piece on %s may not be huffed; it is %s", l.variant.SquareName(s), l.variant.either(l.Guilty))
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
func (v *Variant) either(squares []Square) string {
	text := ""
	for i, s := range squares {
		switch {
		case i > 0 && i == len(squares)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += v.SquareName(s)
	}
	return text
}

// LapsePaths returns the paths of a capture of informal play that is not legal: the squares landed on, the start
// first. It is empty for other moves.
func (v *Variant) LapsePaths(p Position, m Move) [][]Square {
	if _, ok := v.Lapse(p, m); !ok || !m.IsCapture() {
		return nil
	}
	w := *v
	w.KingGoesOn = false
	return (&reference{v: &w, p: p}).walks(m, true)
}
