package rules

import (
	"slices"
)

// The bounds of an enumeration of paths: the number returned, and the number of jumps tried to
// find them. Positions of games stay far below. But an invented position may have a million paths
// for one capture.
const (
	maxPaths     = 256
	maxPathJumps = 1 << 17
)

// CapturePaths returns the paths of the capture m in p, at most 256 of them. A path is the squares
// landed on, with From first and To last: one square for each captured piece besides From. It
// returns nil if m is no legal capture.
func (v *Variant) CapturePaths(p Position, m Move) [][]Square {
	jumps := maxPathJumps
	return v.CapturePathsWithin(p, m, &jumps)
}

// CapturePathsWithin returns the paths of the capture m in p, like CapturePaths, and bounds the
// work of several calls together: every jump that is tried is subtracted from *jumps, and at 0 the
// search ends with the paths found so far, which may be none.
func (v *Variant) CapturePathsWithin(p Position, m Move, jumps *int) [][]Square {
	if !m.IsCapture() || v.FirstKingWins && !p.Kings(White).Or(p.Kings(Black)).Empty() {
		return nil
	}
	if len(v.Priority) > 0 && !v.isLegal(p, m) {
		return nil
	}
	r := &reference{v: v, p: p}
	return r.walks(m, false, jumps)
}

// isLegal reports whether m is legal in p.
func (v *Variant) isLegal(p Position, m Move) bool {
	if v.prepared == v {
		return slices.Contains(v.AppendMoves(nil, p), m)
	}
	moves, ok := v.BoundedReferenceMoves(p, maxPathJumps) // v is a changed copy, whose fast generator has old facts
	return ok && slices.Contains(moves, m)
}

// pathWalk is a search for the paths of one capture.
type pathWalk struct {
	*reference
	m     Move
	short bool // the capture may stop although it could go on
	c     capture
	dead  map[deadEnd]bool
	found []capture
	jumps *int // that may still be tried
}

// deadEnd is a state from which no walk reaches the end of the capture: the square and the pieces
// taken.
type deadEnd struct {
	at      Square
	taken   Set
	last    Direction
	crowned bool
}

// walks returns the paths of m. It ignores the priority rules except EarliestKings; with short it
// also returns paths that stop early, and ignores that one too. It takes only pieces that m takes,
// and leaves a dead end only once. It subtracts the jumps that it tries from *jumps.
func (r *reference) walks(m Move, short bool, jumps *int) [][]Square {
	left := min(*jumps, maxPathJumps)
	w := &pathWalk{reference: r, m: m, short: short, dead: map[deadEnd]bool{}, jumps: &left}
	defer func(before int) { *jumps -= before - left }(left)
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

// walk continues from the present state w.c. It reports whether it reached the end of the capture.
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
			if *w.jumps <= 0 || len(w.found) >= maxPaths {
				return true // the search stopped, so this state is not proved to be a dead end
			}
			*w.jumps--
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

// isEnd reports whether the capture may end with n. first says that n is the nearest landing
// square, goes that the capture can go on from n, and any that it can go on from any landing
// square.
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
