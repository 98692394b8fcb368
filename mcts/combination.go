package mcts

import "damier/rules"

// A combination is a chain of offers: quiet moves each of which leaves the opponent nothing but captures, until what he
// has taken comes back with interest. Each offer by itself loses a man or two, so an evaluator gives it a low value, and a
// search by priors and values finds the second and the third of a chain only after the square of the visits that the first
// took. Yet the chain is short work by itself, for the opponent has no choice, or little. So a node that has been visited
// [Config.Scout] times is searched for combinations of two offers, and one that has been visited many times that for longer
// ones, by material alone. The first move of the best gets a prior that has it tried at once. What it is worth the tree finds
// out: the scout proves nothing.

// combinations searches positions for combinations. It belongs to one goroutine.
type combinations struct {
	v      *rules.Variant
	king   int          // worth of a king in half men
	moves  []rules.Move // a stack
	solver rules.Color
	target int // balance in half men that the solver is to reach
	left   int // positions that may yet be looked at
}

const (
	fewOffers     = 2    // of a chain that is looked for first
	mostOffers    = 4    // of any chain
	mostPositions = 1200 // that one search for combinations looks at
	deeper        = 16   // times Config.Scout are the visits after which longer chains are looked for
	halfMan       = 1
	man           = 2 * halfMan
)

// newCombinations returns a search in v, nil where men are not what is played for.
func newCombinations(v *rules.Variant) *combinations {
	if v.NoMovesWins {
		return nil
	}
	c := &combinations{v: v, king: 3 * halfMan}
	if v.KingFlies {
		c.king = 3 * man
	}
	return c
}

// find returns the number, among the legal moves of p, of the offer that begins the combination of so many offers at most
// that wins most, at least a man; false if there is none, or if p is not quiet.
func (c *combinations) find(p rules.Position, offers int) (best int, ok bool) {
	c.moves = c.v.AppendMoves(c.moves[:0], p)
	if len(c.moves) == 0 || c.moves[0].IsCapture() {
		return 0, false
	}
	c.solver, c.left = p.Turn, mostPositions
	c.target = c.balance(&p) + man
	last := len(c.moves)
	for i := 0; i < last && c.left >= 0; {
		after := c.v.Play(p, c.moves[i])
		if c.v.HasCaptures(after) && c.holds(after, offers-1) {
			best, ok = i, true
			c.target += halfMan // and more?
			continue
		}
		i++
	}
	return best, ok
}

// holds reports whether the solver can force the target from p with so many more offers.
func (c *combinations) holds(p rules.Position, offers int) bool {
	if c.left--; c.left < 0 {
		return false
	}
	mine := p.Turn == c.solver
	if !c.v.HasCaptures(p) {
		return c.quiet(p, mine, offers)
	}
	first := len(c.moves)
	c.moves = c.v.AppendMoves(c.moves, p)
	last := len(c.moves)
	result := !mine
	for i := first; i < last && result != mine; i++ {
		if c.holds(c.v.Play(p, c.moves[i]), offers) == mine {
			result = mine
		}
	}
	c.moves = c.moves[:first]
	return result
}

// quiet is holds where the side to move has no capture. The opponent could then move as he likes, and the solver whose men
// are attacked must not count them: the chain ends.
func (c *combinations) quiet(p rules.Position, mine bool, offers int) bool {
	enough := c.balance(&p) >= c.target
	if !mine {
		return enough
	}
	if enough && !c.attacked(p) {
		return true
	}
	if offers == 0 {
		return false
	}
	first := len(c.moves)
	c.moves = c.v.AppendMoves(c.moves, p)
	last := len(c.moves)
	found := false
	for i := first; i < last && !found; i++ {
		after := c.v.Play(p, c.moves[i])
		found = c.v.HasCaptures(after) && c.holds(after, offers-1)
	}
	c.moves = c.moves[:first]
	return found
}

// attacked reports whether the side that is not to move could capture, if it were.
func (c *combinations) attacked(p rules.Position) bool {
	p.Turn = p.Turn.Opponent()
	return c.v.HasCaptures(p)
}

// balance returns the solver's material less the opponent's, in half men.
func (c *combinations) balance(p *rules.Position) int {
	o := c.solver.Opponent()
	return man*(p.Men(c.solver).Len()-p.Men(o).Len()) + c.king*(p.Kings(c.solver).Len()-p.Kings(o).Len())
}

// due reports whether n is to be searched for combinations, or for longer ones.
func (s *Search) due(n *node) bool {
	return n.flags&scoutedDeep == 0 && (n.flags&onWay != 0 || int(n.visits) >= deeper*s.cfg.Scout ||
		n.flags&scouted == 0 && int(n.visits) >= s.cfg.Scout)
}

// scout looks for a combination in node id, and favours its first move. In the middle of a combination, and at the root,
// it looks for any.
func (s *Search) scout(id int32) {
	n := &s.nodes[id]
	offers := fewOffers
	n.flags |= scouted
	if id == rootID || n.flags&onWay != 0 || int(n.visits) >= deeper*s.cfg.Scout {
		offers = mostOffers
		n.flags |= scoutedDeep
	}
	i, ok := s.combinations.find(s.boards[id].position, offers)
	if !ok {
		return
	}
	place := s.edgeOf(id, i)
	if place == noEdge {
		place = s.hasten(id, i)
	}
	e := s.edge(step{id, place})
	e.move |= offerBit
	prior := &e.prior
	if id == rootID {
		prior = &s.root.priors[place]
	}
	*prior = max(*prior, favoured)
}

// favoured is the least prior of a move that the scout proposes. The other moves keep theirs.
const favoured = 0.5

// hasten makes an edge of move i of node id, which is a seed, and puts it before the edge that was to be tried next. It
// returns its place.
func (s *Search) hasten(id int32, i int) int32 {
	t, n := &s.tree, &s.nodes[id]
	x := &t.seedsOf(id)[i]
	e := edge{prior: unpackPrior(x.prior), value: unpackValue(x.value), child: noNode, move: uint16(i)}
	x.prior = grownSeed
	t.push(n, e)
	edges := t.edgesOf(n)
	last := len(edges) - 1
	if last > 0 && edges[last-1].child == noNode {
		edges[last], edges[last-1] = edges[last-1], edges[last]
		last--
	}
	return int32(last)
}

// passOn tells the child of a step that the way there is part of a combination, if it is: it is scouted at once. In the
// middle of a combination both sides capture, and all their captures belong to it.
func (s *Search) passOn(at step, child int32, m rules.Move) {
	if s.edge(at).move&offerBit != 0 || s.nodes[at.node].flags&onWay != 0 && m.IsCapture() {
		s.nodes[child].flags |= onWay
	}
}
