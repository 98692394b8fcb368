package mcts

import (
	"fmt"
	"math"
	"slices"

	"damier/rules"
)

// check returns the first invariant of the tree that does not hold. g is the game of the last Start that
// had a choice: every position of the tree is reached again by playing, and judged by rules.Game.
func (s *Search) check(g *rules.Game) error {
	if len(s.nodes) == 0 || len(s.nodes) > s.cfg.MaxNodes || len(s.edges) != len(s.moves) {
		return fmt.Errorf("slabs of %d nodes (at most %d), %d edges, %d moves", len(s.nodes), s.cfg.MaxNodes, len(s.edges), len(s.moves))
	}
	if root := &s.nodes[rootID]; root.parent != noNode || root.edge != noNode || root.forced != 0 || root.state == terminal {
		return fmt.Errorf("the root is %+v", *root)
	}
	flight := map[int32]int16{} // virtual loss
	for _, h := range append([]hand{s.hand}, s.hands...) {
		for _, id := range h.flight {
			flight[id] = h.loss
		}
	}
	if len(flight) != s.flying {
		return fmt.Errorf("%d leaves in flight, counted %d", len(flight), s.flying)
	}
	replay := rules.NewGameFrom(g.Variant(), g.Start())
	for _, m := range g.Moves() {
		if err := replay.Play(m); err != nil {
			return err
		}
	}
	reached, err := s.checkNode(rootID, replay, flight)
	if err == nil && reached != len(s.nodes) {
		err = fmt.Errorf("%d of %d nodes hang on the root", reached, len(s.nodes))
	}
	return err
}

// scoreOf returns what the value of n is worth to its side to move.
func (s *Search) scoreOf(n *node) float64 {
	draw := 0.5 - s.cfg.Contempt
	if n.position.Turn != s.nodes[rootID].position.Turn {
		draw = 0.5 + s.cfg.Contempt
	}
	return float64(n.value.Win) + draw*float64(n.value.Draw)
}

// checkNode checks the subtree of node id, whose position is on the board of g, and returns its size.
func (s *Search) checkNode(id int32, g *rules.Game, flight map[int32]int16) (int, error) {
	n := &s.nodes[id]
	fail := func(format string, args ...any) (int, error) {
		return 0, fmt.Errorf("node %d after %d plies: %s", id, g.Ply(), fmt.Sprintf(format, args...))
	}
	if n.position != g.Position() {
		return fail("position %+v, want %+v", n.position, g.Position())
	}
	if n.visits > 0 && !(n.sum >= -1e-6 && n.sum <= float64(n.visits)+1e-6 && n.draws >= -1e-6 && n.draws <= float64(n.visits)+1e-6) {
		return fail("score %g and draws %g in %d visits", n.sum, n.draws, n.visits)
	}
	outcome, reason := g.Outcome()
	over := g.Over()
	if g.Occurrences() >= s.cfg.RepetitionDraw && !over && id != rootID {
		over, outcome, reason = true, rules.Draw, rules.Threefold
	}
	if over != (n.state == terminal) {
		return fail("state %d where the game is %s (%s)", n.state, outcome, reason)
	}
	if n.state == terminal {
		if n.value != outcome.WDL(n.position.Turn) || n.count != 0 || n.visits == 0 {
			return fail("terminal with %d moves, %d visits, value %v, want %v (%s)", n.count, n.visits, n.value, outcome.WDL(n.position.Turn), reason)
		}
		if math.Abs(n.sum-float64(n.visits)*s.scoreOf(n)) > 1e-6 {
			return fail("terminal score %g in %d visits of %v", n.sum, n.visits, n.value)
		}
		return 1, nil
	}
	if got := s.movesOf(n); !slices.Equal(got, g.Legal()) {
		return fail("moves %v, want %v", got, g.Legal())
	}
	if n.count == 1 && id != rootID && n.forced != maxForced {
		return fail("one legal move was not played through")
	}
	if int(n.occurs) != g.Occurrences() {
		return fail("occurs %d times, want %d", n.occurs, g.Occurrences())
	}
	loss, flies := flight[id]
	if flies != (n.state == inFlight) {
		return fail("state %d, in flight %t", n.state, flies)
	}
	size, visits, virtual, sum, draws, priors := 1, int32(0), int16(0), 0.0, 0.0, 0.0
	if n.state == expanded {
		visits, sum, draws = 1, s.scoreOf(n), float64(n.value.Draw)
	} else if flies && id != rootID {
		virtual = loss
	}
	for i, e := range s.edgesOf(n) {
		index := n.first + int32(i)
		if !(e.prior >= 0 && e.prior <= 1) {
			return fail("prior %g", e.prior)
		}
		priors += float64(e.prior)
		if e.child == noNode {
			if e.visits != 0 {
				return fail("%d visits without a child", e.visits)
			}
			continue
		}
		c := &s.nodes[e.child]
		if c.parent != id || c.edge != index || e.child <= id {
			return fail("child %d has parent %d and edge %d", e.child, c.parent, c.edge)
		}
		if e.visits != c.visits+int32(c.virtual) {
			return fail("edge has %d visits, its child %d and %d virtual", e.visits, c.visits, c.virtual)
		}
		childSum := c.sum
		if c.position.Turn != n.position.Turn {
			childSum = float64(c.visits) - c.sum
		}
		if e.visits > 0 && math.Abs(float64(e.value)-childSum/float64(e.visits)) > 1e-6 {
			return fail("edge value %g, want %g", e.value, childSum/float64(e.visits))
		}
		visits, virtual, sum, draws = visits+c.visits, virtual+c.virtual, sum+childSum, draws+c.draws
		line := append([]rules.Move{s.moves[index]}, s.lineOf(c)...)
		for j, m := range line {
			if j > 0 && len(g.Legal()) != 1 {
				return fail("ply %d of a line to node %d is not forced", j, e.child)
			}
			if err := g.Play(m); err != nil {
				return fail("line to node %d: %v", e.child, err)
			}
		}
		below, err := s.checkNode(e.child, g, flight)
		if err != nil {
			return 0, err
		}
		size += below
		for range line {
			g.Undo()
		}
	}
	if n.state != expanded && size > 1 {
		return fail("children before its evaluation")
	}
	if n.state == expanded && math.Abs(priors-1) > 1e-4 {
		return fail("priors sum to %g", priors)
	}
	if n.visits != visits || n.virtual != virtual {
		return fail("%d visits and %d virtual, want %d and %d", n.visits, n.virtual, visits, virtual)
	}
	if math.Abs(n.sum-sum) > 1e-6*float64(1+visits) || math.Abs(n.draws-draws) > 1e-6*float64(1+visits) {
		return fail("score %g and draws %g, want %g and %g", n.sum, n.draws, sum, draws)
	}
	return size, nil
}
