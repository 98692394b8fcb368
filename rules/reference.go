package rules

import (
	"cmp"
	"math"
	"slices"
)

// ReferenceMoves returns the legal moves of p in canonical order. It works in the slow and obvious
// way: square by square, by recursion, without bit tricks. Tests compare the fast generator with
// it, and referees check games with it. It walks every path of a capture, of which an invented
// position may have a hundred million; for such positions use [Variant.BoundedReferenceMoves].
func (v *Variant) ReferenceMoves(p Position) []Move {
	moves, _ := v.BoundedReferenceMoves(p, math.MaxInt)
	return moves
}

// BoundedReferenceMoves returns the result of ReferenceMoves, or false if that needs more than the
// given number of jumps. A jump takes about a microsecond and some hundred bytes. Hardly any
// position of a game has a thousand.
func (v *Variant) BoundedReferenceMoves(p Position, jumps int) ([]Move, bool) {
	r := &reference{v: v, p: p, left: jumps}
	if v.FirstKingWins && !p.Kings(White).Or(p.Kings(Black)).Empty() {
		return nil, true
	}
	var captures []capture
	var quiet []Move
	for s := Square(1); int(s) <= v.Board.Squares(); s++ {
		if r.own(s) {
			captures = append(captures, r.captures(s)...)
			quiet = append(quiet, r.quiet(s)...)
		}
	}
	if r.left < 0 {
		return nil, false
	}
	moves := quiet
	if len(captures) > 0 {
		moves = v.chosen(captures)
	}
	slices.SortFunc(moves, func(a, b Move) int {
		if a.Less(b) {
			return -1
		}
		if b.Less(a) {
			return 1
		}
		return 0
	})
	return slices.Compact(moves), true
}

// capture is one path of a capture, complete or not.
type capture struct {
	path    []Square // squares landed on, the start first
	taken   []Square // the piece taken before each further square of path
	kings   []bool   // which of the taken are kings
	king    bool     // made by a king
	crowned bool     // the man that makes it was crowned on the way
	last    Direction
}

func (c capture) move(v *Variant) Move {
	m := NewMove(c.path[0], c.path[len(c.path)-1], v.Board.Set(c.taken...))
	if c.crowned && v.crownsApart() {
		m.capturedHi |= crownedBit
	}
	return m
}

// compare orders captures by a criterion: more is better.
func (v *Variant) compare(a, b capture, by Criterion) int {
	count := func(kings []bool) int {
		n := 0
		for _, k := range kings {
			if k {
				n++
			}
		}
		return n
	}
	one := map[bool]int{true: 1}
	switch by {
	case MostPieces:
		return cmp.Compare(len(a.taken), len(b.taken))
	case MostValue:
		value := func(c capture) int { return len(c.taken)*v.ManValue + count(c.kings)*(v.KingValue-v.ManValue) }
		return cmp.Compare(value(a), value(b))
	case CapturingKing:
		return cmp.Compare(one[a.king], one[b.king])
	case MostKings:
		return cmp.Compare(count(a.kings), count(b.kings))
	case EarliestKings:
		for i := range max(len(a.kings), len(b.kings)) {
			x, y := i < len(a.kings) && a.kings[i], i < len(b.kings) && b.kings[i]
			if x != y {
				return cmp.Compare(one[x], one[y])
			}
		}
		return 0
	}
	panic("rules: no such criterion")
}

// legalPaths returns those of all complete captures that the priority rules allow.
func (v *Variant) legalPaths(all []capture) []capture {
	for _, by := range v.Priority {
		var best []capture
		for _, c := range all {
			switch {
			case len(best) == 0 || v.compare(c, best[0], by) > 0:
				best = []capture{c}
			case v.compare(c, best[0], by) == 0:
				best = append(best, c)
			}
		}
		all = best
	}
	return all
}

// chosen returns the moves of those complete captures that the priority rules allow.
func (v *Variant) chosen(all []capture) []Move {
	var moves []Move
	for _, c := range v.legalPaths(all) {
		moves = append(moves, c.move(v))
	}
	return moves
}

type reference struct {
	v    *Variant
	p    Position
	left int // jumps that may still be tried; if negative, some captures are missing and some may be cut short
}

func (r *reference) own(s Square) bool {
	return r.v.Board.Has(r.p.Pieces(r.p.Turn), s)
}

func (r *reference) theirs(s Square) bool {
	return r.v.Board.Has(r.p.Pieces(r.p.Turn.Opponent()), s)
}

func (r *reference) empty(s Square) bool { return s != NoSquare && r.v.Piece(r.p, s) == Empty }

func (r *reference) king(s Square) bool { return r.v.Board.Has(r.p.Kings(r.p.Turn), s) }

func (r *reference) theirKing(s Square) bool { return r.v.Board.Has(r.p.Kings(r.p.Turn.Opponent()), s) }

// all returns every complete capture of the side to move.
func (r *reference) all() []capture {
	var all []capture
	for s := Square(1); int(s) <= r.v.Board.Squares(); s++ {
		if r.own(s) {
			all = append(all, r.captures(s)...)
		}
	}
	return all
}

// quiet returns the moves without capture of the piece on s.
func (r *reference) quiet(s Square) []Move {
	if n, last := r.p.KingMoves(r.p.Turn); r.v.KingMoveLimit > 0 && n >= r.v.KingMoveLimit && last == s {
		return nil
	}
	var moves []Move
	for _, d := range r.v.MoveLines {
		if !r.king(s) && d.Backward(r.p.Turn) {
			continue
		}
		for t := r.v.Board.Neighbour(s, d); r.empty(t); t = r.v.Board.Neighbour(t, d) {
			moves = append(moves, NewMove(s, t, Set{}))
			if !r.king(s) || !r.v.KingFlies {
				break
			}
		}
	}
	return moves
}

// captures returns every complete capture of the piece on s.
func (r *reference) captures(s Square) []capture {
	return r.continued(capture{path: []Square{s}, king: r.king(s)})
}

// continued returns every complete capture that begins with c and goes on; none if c cannot go on.
func (r *reference) continued(c capture) []capture {
	var all []capture
	for _, d := range r.v.CaptureLines {
		var ended, goingOn []capture
		for i, n := range r.jumpsFrom(c, d) {
			if r.left--; r.left < 0 {
				return append(append(all, goingOn...), ended...)
			}
			if on := r.continued(n); len(on) > 0 {
				goingOn = append(goingOn, on...)
			} else if i == 0 || r.v.Landing != BehindLastKing || !n.kings[len(n.kings)-1] {
				ended = append(ended, n)
			}
		}
		all = append(all, goingOn...)
		if len(goingOn) == 0 || !r.v.KingGoesOn {
			all = append(all, ended...)
		}
	}
	return all
}

// jumpsFrom returns c with one more jump in direction d, once for each square on which it may
// land, the nearest first. It returns none if there is nothing to take.
func (r *reference) jumpsFrom(c capture, d Direction) []capture {
	here := c.path[len(c.path)-1]
	king := c.king || c.crowned
	free := func(t Square) bool { // the start square counts as empty
		return t == c.path[0] || r.empty(t) || r.v.RemovedAtOnce && slices.Contains(c.taken, t)
	}
	switch {
	case !king && !r.v.ManCapturesBack && d.Backward(r.p.Turn):
		return nil
	case r.v.NoTurnBack && len(c.taken) > 0 && d == c.last.Opposite():
		return nil
	}
	victim := r.v.Board.Neighbour(here, d)
	for king && r.v.KingFlies && victim != NoSquare && free(victim) {
		victim = r.v.Board.Neighbour(victim, d)
	}
	switch {
	case victim == NoSquare || !r.theirs(victim) || slices.Contains(c.taken, victim):
		return nil
	case !king && r.v.MenSpareKings && r.theirKing(victim):
		return nil
	}
	var landings []capture
	for t := r.v.Board.Neighbour(victim, d); t != NoSquare && free(t); t = r.v.Board.Neighbour(t, d) {
		landings = append(landings, capture{
			path:    append(slices.Clone(c.path), t),
			taken:   append(slices.Clone(c.taken), victim),
			kings:   append(slices.Clone(c.kings), r.theirKing(victim)),
			king:    c.king,
			crowned: c.crowned || !king && r.v.CrownedAtOnce && r.v.Promotes(r.p.Turn, t),
			last:    d,
		})
		if !king || !r.v.KingFlies || r.v.Landing == Behind {
			break
		}
	}
	return landings
}
