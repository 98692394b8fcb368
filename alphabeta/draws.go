package alphabeta

import "damier/rules"

// ended returns the score of p if it is a draw or an endgame table knows it. A side without a move
// has lost, or won, even if the draw rules count p as a draw.
func (e *Engine) ended(p *rules.Position, capturing bool, ply int) (Score, bool) {
	if e.variant.MayBeDrawn(p) {
		if score, ok := e.drawn(p, capturing, ply); ok {
			return score, true
		}
	}
	if e.mostProbed > 0 && e.few(p) {
		return e.probe(*p, ply)
	}
	return 0, false
}

// drawn is the part of ended about the draw rules.
func (e *Engine) drawn(p *rules.Position, capturing bool, ply int) (Score, bool) {
	if e.repeats(p, ply) {
		return 0, true
	}
	if e.variant.DrawByCount(*p) == rules.NoReason {
		return 0, false
	}
	if !capturing && !e.variant.CanMove(p) {
		return e.stuck(*p, ply), true
	}
	return 0, true
}

// stuck returns the score of p, in which the side to move has no legal move.
func (e *Engine) stuck(p rules.Position, ply int) Score {
	if o, _ := e.variant.Stuck(p); o == rules.Win(p.Turn) {
		return Mate - Score(ply)
	}
	return -Mate + Score(ply)
}

// repeats reports whether the search treats p as a draw by repetition: it occurred before on the
// path (or is the root), or in the game one time less than the rule demands.
func (e *Engine) repeats(p *rules.Position, ply int) bool {
	limit := e.variant.Draws.Repetition
	if p.Quiet < 4 || limit == 0 {
		return false
	}
	at := e.base + ply
	key := e.keys[at]
	before := 0
	for i := at - 4; i >= 0 && i >= at-int(p.Quiet); i -= 2 {
		if e.keys[i] != key {
			continue
		}
		if before++; before == limit-1 || i >= e.base {
			return true
		}
	}
	return false
}
