package mcts

import "damier/rules"

// A combination is a chain of offers. An offer is a quiet move after which the opponent must
// capture; at the end of the chain the side that offers takes back more than it gave. Each offer
// alone loses a man or two, so an evaluator gives it a low value. A search by priors and values
// therefore needs about the square of the visits of the first offer to find the second. But
// searching a chain alone is cheap, because the opponent has no choice or little. So the search
// looks for combinations of two offers in a node after [Config.Scout] visits, and for longer ones
// after deeper times that number. It counts material only. The first move of the best combination
// gets a high prior, so that the tree tries it at once and finds its true value: the scout proves
// nothing.

// combinations searches positions for combinations. Only one goroutine may use it.
type combinations struct {
	v      *rules.Variant
	king   int          // value of a king in half men
	next   []rules.Next // stack of the positions after each position on the path
	room   []rules.Move // scratch
	solver rules.Color
	target int // balance in half men that the solver must reach
	left   int // positions that the search may still visit
}

const (
	fewOffers     = 2    // most offers of a chain in the first search of a node
	mostOffers    = 4    // most offers of any chain
	mostPositions = 1200 // most positions that one search for combinations visits
	deeper        = 16   // a node is searched for longer chains after deeper*Config.Scout visits
	halfMan       = 1
	man           = 2 * halfMan
)

// newCombinations returns a search for v, nil for variants in which material is not an advantage.
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

// find looks for the combination of at most the given number of offers that wins most, at least a
// man. It returns the index of its first move among the legal moves of p. ok is false if there is
// none, or if p is not quiet.
func (c *combinations) find(p rules.Position, offers int) (best int, ok bool) {
	if c.v.CanCapture(&p) {
		return 0, false
	}
	c.solver, c.left = p.Turn, mostPositions
	c.target = c.balance(&p) + man
	c.next = c.next[:0]
	first, last := c.offers(&p)
	for i := first; i < last && c.left >= 0; {
		if c.holds(&c.next[i], offers-1) {
			best, ok = int(c.next[i].Move), true
			c.target += halfMan // try to win more with the same move
			continue
		}
		i++
	}
	return best, ok
}

// offers appends the positions after all offers of p, which has no capture, to c.next, and returns
// their indices.
func (c *combinations) offers(p *rules.Position) (first, last int) {
	first = len(c.next)
	c.room = c.v.AppendQuiet(c.room[:0], p)
	c.next = c.v.AppendOffers(c.next, p, c.room)
	return first, len(c.next)
}

// holds reports whether the solver can force the target from x with at most that many more offers.
func (c *combinations) holds(x *rules.Next, offers int) bool {
	if c.left--; c.left < 0 {
		return false
	}
	mine := x.Position.Turn == c.solver
	if x.Standing != rules.MustCapture {
		return c.quiet(&x.Position, mine, offers)
	}
	first := len(c.next)
	c.next, c.room = c.v.AppendCaptured(c.next, c.room, &x.Position)
	last := len(c.next)
	result := !mine
	for i := first; i < last && result != mine; i++ {
		if c.holds(&c.next[i], offers) == mine {
			result = mine
		}
	}
	c.next = c.next[:first]
	return result
}

// quiet is holds for a position in which the side to move has no capture. The chain ends here,
// because the opponent may make any move. If men of the solver are attacked, the balance is not
// reliable and does not count.
func (c *combinations) quiet(p *rules.Position, mine bool, offers int) bool {
	enough := c.balance(p) >= c.target
	if !mine {
		return enough
	}
	if enough && !c.v.Threatened(p) {
		return true
	}
	if offers == 0 {
		return false
	}
	first, last := c.offers(p)
	found := false
	for i := first; i < last && !found; i++ {
		found = c.holds(&c.next[i], offers-1)
	}
	c.next = c.next[:first]
	return found
}

// balance returns the material of the solver minus that of the opponent, in half men.
func (c *combinations) balance(p *rules.Position) int {
	own, their, kings := p.Sets()
	if c.solver == rules.Black {
		own, their = their, own
	}
	b := man * (own.Len() - their.Len())
	if !kings.Empty() {
		b += (c.king - man) * (own.And(kings).Len() - their.And(kings).Len())
	}
	return b
}
