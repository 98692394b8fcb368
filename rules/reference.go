package rules

import "slices"

// ReferenceMoves returns the legal moves of p in canonical order, found the slow and obvious way: square
// by square, recursion, no bit tricks. It is the twin that the fast generator is compared with, and what
// referees re-check games with.
func (v *Variant) ReferenceMoves(p Position) []Move {
	r := reference{v: v, p: p}
	var captures []capture
	var quiet []Move
	for s := Square(1); int(s) <= v.Board.Squares(); s++ {
		if r.own(s) {
			captures = append(captures, r.captures(s)...)
			quiet = append(quiet, r.quiet(s)...)
		}
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
	return slices.Compact(moves)
}

// CapturePaths returns every way to walk the capture m in p: the squares landed on, from and to included,
// one for each captured piece besides from. It is empty if m is no legal capture.
func (v *Variant) CapturePaths(p Position, m Move) [][]Square {
	r := reference{v: v, p: p}
	if m.From == NoSquare || int(m.From) > v.Board.Squares() || !r.own(m.From) || !slices.Contains(v.ReferenceMoves(p), m) {
		return nil
	}
	var paths [][]Square
	for _, c := range r.captures(m.From) {
		if c.move(v) == m {
			paths = append(paths, c.path)
		}
	}
	return paths
}

// capture is one path of a capture, complete or on its way.
type capture struct {
	path  []Square // squares landed on, the start first
	taken []Square // one for each further square of path
	king  bool     // made by a king
}

func (c capture) move(v *Variant) Move {
	return NewMove(c.path[0], c.path[len(c.path)-1], v.Board.Set(c.taken...))
}

// chosen returns the moves that the priority rules leave of all complete captures.
func (v *Variant) chosen(all []capture) []Move {
	most, king := 0, false
	for _, c := range all {
		if len(c.taken) > most {
			most, king = len(c.taken), false
		}
		king = king || len(c.taken) == most && c.king
	}
	var moves []Move
	for _, c := range all {
		if len(c.taken) == most && (c.king || !king || !v.KingFirst) {
			moves = append(moves, c.move(v))
		}
	}
	return moves
}

type reference struct {
	v *Variant
	p Position
}

func (r reference) own(s Square) bool {
	return r.v.Board.Has(r.p.Pieces(r.p.Turn), s)
}

func (r reference) theirs(s Square) bool {
	return r.v.Board.Has(r.p.Pieces(r.p.Turn.Opponent()), s)
}

func (r reference) empty(s Square) bool { return s != NoSquare && r.v.Piece(r.p, s) == Empty }

func (r reference) king(s Square) bool { return r.v.Board.Has(r.p.Kings(r.p.Turn), s) }

func (r reference) forward(d Direction) bool {
	return (d == NorthWest || d == NorthEast) == (r.p.Turn == White)
}

// quiet returns the moves without capture of the piece on s.
func (r reference) quiet(s Square) []Move {
	var moves []Move
	for _, d := range Diagonals {
		if !r.king(s) && !r.forward(d) {
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

// captures returns every capture of the piece on s that cannot be continued.
func (r reference) captures(s Square) []capture {
	var all []capture
	var walk func(c capture)
	walk = func(c capture) {
		here, on := c.path[len(c.path)-1], false
		free := func(t Square) bool { return t == s || r.empty(t) } // the start counts as empty
		for _, d := range Diagonals {
			if !c.king && !r.v.ManCapturesBack && !r.forward(d) {
				continue
			}
			victim := r.v.Board.Neighbour(here, d)
			if c.king && r.v.KingFlies {
				for victim != NoSquare && free(victim) {
					victim = r.v.Board.Neighbour(victim, d)
				}
			}
			if victim == NoSquare || !r.theirs(victim) || slices.Contains(c.taken, victim) {
				continue
			}
			for t := r.v.Board.Neighbour(victim, d); t != NoSquare && free(t); t = r.v.Board.Neighbour(t, d) {
				on = true
				walk(capture{
					path:  append(slices.Clone(c.path), t),
					taken: append(slices.Clone(c.taken), victim),
					king:  c.king,
				})
				if !c.king || !r.v.KingFlies {
					break
				}
			}
		}
		if !on && len(c.taken) > 0 {
			all = append(all, c)
		}
	}
	walk(capture{path: []Square{s}, king: r.king(s)})
	return all
}
