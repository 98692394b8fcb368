package mcts

import (
	"fmt"
	"math"
	"slices"

	"damier/rules"
)

// check returns the first invariant of the tree that does not hold. g is the game of the last
// Start that had a choice: every position of the tree is reached again by playing, and judged by
// rules.Game.
func (s *Search) check(g *rules.Game) error {
	if len(s.nodes) == 0 || len(s.nodes) > s.cfg.MaxNodes || len(s.nodes) != len(s.boards) || s.roots && (len(s.nodes) != len(s.draws) || len(s.nodes) != len(s.raws)) {
		return fmt.Errorf("slabs of %d nodes (at most %d), %d boards", len(s.nodes), s.cfg.MaxNodes, len(s.boards))
	}
	if root := &s.nodes[rootID]; root.state == terminal || root.ply != 0 {
		return fmt.Errorf("the root is %+v", *root)
	}
	c := checker{Search: s, flight: map[int32]bool{}, virtual: map[step]int32{}, in: map[int32]int32{}, seen: map[int32]bool{}, places: map[int32]bool{}}
	batches := []*batch{&s.own}
	for _, h := range s.crew.all {
		for i := range h.batches {
			batches = append(batches, &h.batches[i])
		}
	}
	for _, b := range batches {
		for _, f := range b.flight {
			c.flight[f.node] = true
			for _, at := range b.pathOf(f) {
				c.virtual[at] += int32(b.under)
			}
		}
	}
	if len(c.flight) != s.flying {
		return fmt.Errorf("%d leaves in flight, counted %d", len(c.flight), s.flying)
	}
	replay := rules.NewGameFrom(g.Variant(), g.Start())
	for _, m := range g.Moves() {
		if err := replay.Play(m); err != nil {
			return err
		}
	}
	if err := c.node(rootID, replay); err != nil {
		return err
	}
	if len(c.seen) != len(s.nodes) {
		return fmt.Errorf("%d of %d nodes hang on the root", len(c.seen), len(s.nodes))
	}
	for id, n := range c.in {
		visits := s.nodes[id].visits
		if n > visits || n < visits && !(s.cfg.Share && s.cfg.Reuse) {
			return fmt.Errorf("node %d: %d visits by its edges, %d in all", id, n, visits)
		}
	}
	return nil
}

// checker is what check finds on its way.
type checker struct {
	*Search
	flight  map[int32]bool  // leaves
	virtual map[step]int32  // by edge
	in      map[int32]int32 // simulations that came to a node, over all edges
	seen    map[int32]bool
	places  map[int32]bool // of edges outside of nodes
}

// node checks what can be reached from node id, whose position is on the board of g.
func (c *checker) node(id int32, g *rules.Game) error {
	s, n, p := c.Search, &c.nodes[id], c.position(id)
	fail := func(format string, args ...any) error {
		return fmt.Errorf("node %d after %d plies: %s", id, g.Ply(), fmt.Sprintf(format, args...))
	}
	if p != g.Position() || n.turn != p.Turn {
		return fail("position %+v, want %+v", p, g.Position())
	}
	if c.seen[id] {
		if p.Quiet > 0 || !s.cfg.Share {
			return fail("has two parents")
		}
		return nil
	}
	c.seen[id] = true
	outcome, reason := g.Outcome()
	over := g.Over()
	proof := NotProved
	if over {
		proof = proofOf(outcome.WDL(n.turn))
	}
	if g.Occurrences() >= s.cfg.RepetitionDraw && !over && id != rootID {
		over, outcome, reason = true, rules.Draw, rules.Threefold
	}
	if over != (n.state == terminal) {
		return fail("state %d where the game is %s (%s)", n.state, outcome, reason)
	}
	if n.state == terminal {
		value := outcome.WDL(n.turn)
		if n.draw() != value.Draw || n.count != 0 || n.visits == 0 || n.proof != proof {
			return fail("terminal with %d moves, %d visits, proof %d, draw %g, want %v (%s)", n.count, n.visits, n.proof, n.draw(), value, reason)
		}
		if math.Abs(float64(n.q)-expected(value)) > 1e-6 {
			return fail("terminal score %g of %v", n.q, value)
		}
		return nil
	}
	if int(n.count) != len(g.Legal()) {
		return fail("%d moves, want %v", n.count, g.Legal())
	}
	if int(n.occurs) != g.Occurrences() {
		return fail("occurs %d times, want %d", n.occurs, g.Occurrences())
	}
	if c.flight[id] != (n.state == inFlight) {
		return fail("state %d, in flight %t", n.state, c.flight[id])
	}
	return c.edges(id, g, fail)
}

// edges checks the edges of node id, and what they say of it.
func (c *checker) edges(id int32, g *rules.Game, fail func(string, ...any) error) error {
	s, n := c.Search, &c.nodes[id]
	if n.state != expanded {
		if n.len != 0 {
			return fail("%d edges before its evaluation", n.len)
		}
		return nil
	}
	visits, sum, priors, raised, open := int32(0), float64(n.own), 0.0, 0.0, uint16(0) // raised: the most that combinations add to the priors
	best, proofs := float32(-1), []Proof{}
	tried := true
	moves, last := map[int]bool{}, edge{packed: packPrior(1)}
	if id != rootID {
		for i, x := range s.seedsOf(id) {
			if x.prior != grownSeed {
				priors += float64(unpackPrior(x.prior))
				open++
			} else {
				moves[i] = true
			}
		}
		if seeds := len(s.seedsOf(id)); seeds != len(g.Legal()) {
			return fail("%d seeds for %d moves", seeds, len(g.Legal()))
		}
		if len(moves) != int(n.len) {
			return fail("%d edges of %d seeds", n.len, len(moves))
		}
	} else if int(n.len) != len(g.Legal()) {
		return fail("the root has %d edges of %d", n.len, len(g.Legal()))
	}
	if int(n.len) > len(n.few) {
		more := n.few[0].visits
		if more <= 0 {
			return fail("%d edges at %d", n.len, more)
		}
		for i := more; i < more+int32(n.len); i++ {
			if c.places[i] {
				return fail("shares place %d of an edge", i)
			}
			c.places[i] = true
		}
	}
	for i, e := range s.edgesOf(n) {
		place := step{id, int32(i)}
		if !(e.prior() >= 0 && e.prior() <= 1) {
			return fail("prior %g", e.prior())
		}
		priors += float64(e.prior())
		if e.move&offerBit != 0 {
			raised += favoured
		}
		if e.number() >= int(n.count) || id == rootID && e.number() != i || id != rootID && !moves[e.number()] {
			return fail("edge %d is of move %d", i, e.number())
		}
		delete(moves, e.number())
		if id != rootID && n.flags&scouted == 0 && (e.prior() > last.prior() || i > 0 && e.prior() == last.prior() && e.number() < last.number()) {
			return fail("edge %d should have been tried before", i)
		}
		last = e
		if id != rootID && e.visits > 0 && !tried {
			return fail("edge %d was tried before its turn", i)
		}
		if e.virtual() != c.virtual[place] {
			return fail("edge %d has %d simulations under way, want %d", i, e.virtual(), c.virtual[place])
		}
		if e.value <= 1 {
			best = max(best, e.value)
		}
		tried = e.visits > 0 || e.child() != noNode || // or its simulation was given up
			e.move&offerBit != 0 // or PUCT does not choose what the scout proposes
		if !e.settled() {
			open++
		}
		if e.child() == noNode {
			if e.visits != 0 || e.settled() {
				return fail("%d visits without a child", e.visits)
			}
			continue
		}
		child := &s.nodes[e.child()]
		real := e.real()
		c.in[e.child()] += real
		visits, sum = visits+real, sum+float64(real)*float64(e.score())
		if e.settled() {
			p := child.proof
			if child.turn != n.turn {
				p = p.flip()
			}
			if p == NotProved || (p == ProvedLoss) != (e.value == lost) && n.proof != ProvedWin {
				return fail("edge %d is settled by proof %d with value %g", i, p, e.value)
			}
			proofs = append(proofs, p)
		} else if real > 0 && !s.cfg.Share && (e.value != child.valueFor(n.turn) || child.proof != NotProved) {
			return fail("edge value %g, want %g, proof %d", e.value, child.valueFor(n.turn), child.proof)
		}
		if err := c.child(g, g.Legal()[e.number()], e.child(), fail); err != nil {
			return err
		}
	}
	if priors < 0.99 || priors > 1.01+raised || n.open != open {
		return fail("priors sum to %g, %d edges open, counted %d", priors, open, n.open)
	}
	if n.proof != NotProved {
		all := open == 0
		if n.proof == ProvedWin != slices.Contains(proofs, ProvedWin) || n.proof != ProvedWin && !all ||
			n.proof == ProvedLoss && slices.Contains(proofs, ProvedDraw) || n.q != float32(expected(n.proof.wdl())) {
			return fail("proof %d by %v, %d open, worth %g", n.proof, proofs, open, n.q)
		}
		return nil
	}
	if id != rootID && n.next.prior != grownSeed {
		i := s.bestSeed(id)
		if i < 0 || s.seedsOf(id)[i] != n.next {
			return fail("the seed to try next is %v, number %d of %v", n.next, i, s.seedsOf(id))
		}
		if v := unpackValue(n.next.value); v <= 1 {
			best = max(best, v)
		}
	} else if id != rootID && n.flags&scouted == 0 && int(n.len) != len(s.seedsOf(id)) {
		return fail("no seed to try next with %d edges of %d", n.len, len(s.seedsOf(id)))
	}
	if slices.Contains(proofs, ProvedWin) || open == 0 {
		return fail("no proof by %v, %d open", proofs, open)
	}
	if n.visits != visits+1 {
		return fail("%d visits, want %d", n.visits, visits+1)
	}
	if int(id) < len(s.raws) {
		value := s.raws[id].wdl()
		if n.proof != NotProved {
			value = n.proof.wdl()
		}
		if math.Abs(float64(n.own)-expected(value)) > 1e-6 {
			return fail("evaluated as %v, worth %g", value, n.own)
		}
		if draws := s.draws[id]; !(draws >= -1e-6 && draws <= float64(n.visits)+1e-6) {
			return fail("%d visits, draws %g", n.visits, draws)
		}
	}
	q := sum / float64(n.visits)
	if best >= 0 {
		q += s.cfg.Best * (float64(best) - q)
	}
	if n.visits > 1 && math.Abs(float64(n.q)-q) > 1e-6 {
		return fail("worth %g, want %g", n.q, q)
	}
	return nil
}

// priorsOf returns the priors of an expanded node by the numbers of its moves.
func (s *Search) priorsOf(id int32) []float32 {
	if id == rootID {
		return s.priors
	}
	priors := make([]float32, s.nodes[id].count)
	for i, x := range s.seedsOf(id) {
		priors[i] = unpackPrior(x.prior)
	}
	for _, e := range s.edgesOf(&s.nodes[id]) {
		priors[e.number()] = e.prior()
	}
	return priors
}

// child checks node id, to which move m and forced moves lead from the position on the board of g.
func (c *checker) child(g *rules.Game, m rules.Move, id int32, fail func(string, ...any) error) error {
	played := 0
	defer func() {
		for range played {
			g.Undo()
		}
	}()
	for {
		if err := g.Play(m); err != nil {
			return fail("line to node %d: %v", id, err)
		}
		played++
		if g.Position() == c.position(id) {
			break
		}
		if len(g.Legal()) != 1 {
			return fail("ply %d of a line to node %d is not forced", played, id)
		}
		m = g.Legal()[0]
	}
	if c.nodes[id].count == 1 && played <= maxForced {
		return fail("one legal move was not played through")
	}
	return c.node(id, g)
}
