package rules

import (
	"slices"
)

// The bounds of an enumeration of paths: how many are returned, and how many jumps are tried to find them. No position
// of a game comes near; one that somebody has made up may have a million ways to walk one capture.
const (
	maxPaths     = 256
	maxPathJumps = 1 << 17
)

// CapturePaths returns the ways to walk the capture m in p: the squares landed on, from and to included,
// one for each captured piece besides from; all of them, or the first 256. It is empty if m is no legal capture.
func (v *Variant) CapturePaths(p Position, m Move) [][]Square {
	if !m.IsCapture() || v.FirstKingWins && !p.Kings(White).Or(p.Kings(Black)).Empty() {
		return nil
	}
	if len(v.Priority) > 0 && !v.isLegal(p, m) {
		return nil
	}
	r := &reference{v: v, p: p}
	return r.walks(m, false)
}

// isLegal reports whether m is legal in p.
func (v *Variant) isLegal(p Position, m Move) bool {
	if v.prepared == v {
		return slices.Contains(v.AppendMoves(nil, p), m)
	}
	moves, ok := v.BoundedReferenceMoves(p, maxPathJumps) // of a copy with other facts, which the fast generator does not know
	return ok && slices.Contains(moves, m)
}

// pathWalk is a search for the ways to walk one capture.
type pathWalk struct {
	*reference
	m     Move
	short bool // the capture may stop where it could go on
	c     capture
	dead  map[deadEnd]bool
	found []capture
	jumps int
}

// deadEnd is where a walk has been without coming to the end of the capture: on a square, with these pieces taken.
type deadEnd struct {
	at      Square
	taken   Set
	last    Direction
	crowned bool
}

// walks returns the ways to walk m, whatever the priority rules say but for the order of kings; short ones too if told
// so. It takes no piece that m does not take, and does not go twice where there is no way on.
func (r *reference) walks(m Move, short bool) [][]Square {
	w := &pathWalk{reference: r, m: m, short: short, dead: map[deadEnd]bool{}}
	if m.From == NoSquare || int(m.From) > r.v.Board.Squares() || !r.own(m.From) {
		return nil
	}
	w.c = capture{path: []Square{m.From}, king: r.king(m.From)}
	w.walk()
	found := w.found
	if slices.Contains(r.v.Priority, EarliestKings) && !short {
		var best []capture
		for _, c := range found {
			switch {
			case len(best) == 0 || r.v.compare(c, best[0], EarliestKings) > 0:
				best = []capture{c}
			case r.v.compare(c, best[0], EarliestKings) == 0:
				best = append(best, c)
			}
		}
		found = best
	}
	var paths [][]Square
	for _, c := range found {
		paths = append(paths, c.path)
	}
	return paths
}

// walk goes on from where the walk is. It reports whether it has come to the end of the capture.
func (w *pathWalk) walk() bool {
	c := w.c
	state := deadEnd{at: c.path[len(c.path)-1], taken: w.v.Board.Set(c.taken...), last: c.last, crowned: c.crowned}
	if w.dead[state] {
		return false
	}
	reached := false
	for _, d := range w.v.CaptureLines {
		landings := w.jumpsFrom(c, d)
		if len(landings) == 0 || !w.v.Board.Has(w.m.Captured(), landings[0].taken[len(landings[0].taken)-1]) {
			continue
		}
		goes := make([]bool, len(landings))
		for i, n := range landings {
			goes[i] = w.goesOn(n)
		}
		for i, n := range landings {
			if w.jumps++; w.jumps > maxPathJumps || len(w.found) >= maxPaths {
				return true // what is not walked to its end is no dead end
			}
			if w.isEnd(n, i == 0, goes[i], slices.Contains(goes, true)) && n.move(w.v) == w.m {
				w.found = append(w.found, n)
				reached = true
			}
			if goes[i] {
				w.c = n
				if w.walk() {
					reached = true
				}
			}
		}
	}
	if !reached {
		w.dead[state] = true
	}
	return reached
}

// isEnd reports whether a capture may end with n, which is the first of the squares to land on or not; goes says
// whether it can go on from there, and any whether it can from any of them.
func (w *pathWalk) isEnd(n capture, first, goes, any bool) bool {
	switch {
	case goes:
		return w.short
	case !first && w.v.Landing == BehindLastKing && n.kings[len(n.kings)-1]:
		return false
	}
	return !any || !w.v.KingGoesOn
}

// goesOn reports whether a capture can go on.
func (r *reference) goesOn(c capture) bool {
	return slices.ContainsFunc(r.v.CaptureLines, func(d Direction) bool { return len(r.jumpsFrom(c, d)) > 0 })
}
