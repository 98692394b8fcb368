package mcts

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// root is the data of the root that the tree does not hold. Slices other than candidates have one
// element for each root move.
type root struct {
	noise []float64 // Gumbel: added to the logits; PUCT: Dirichlet noise, sum 1; 0 without noise
	win   int       // index of a move that wins at once, -1 if there is none

	// Of the Gumbel rule.
	candidates []int32 // indices of moves, best first; those from halving.candidates on are eliminated
	scores     []float64
	halving    halving

	// Of the PUCT rule.
	priors []float32 // with noise
}

// drawNoise draws the noise of the budget for the root's moves.
func (s *Search) drawNoise(rng *rand.Rand) {
	r := &s.root
	r.noise = r.noise[:0]
	sum := 0.0
	for range s.nodes[rootID].count {
		x := 0.0
		switch {
		case s.budget.Noise <= 0:
		case s.cfg.Root == Gumbel:
			x = -math.Log(rng.ExpFloat64()) * s.budget.Noise
		default: // normalised gamma variables are a Dirichlet variable
			x = distuv.Gamma{Alpha: s.cfg.Alpha, Beta: 1, Src: rng}.Rand() + 1e-300
			sum += x
		}
		r.noise = append(r.noise, x)
	}
	if sum > 0 {
		for i := range r.noise {
			r.noise[i] /= sum
		}
	}
}

// openRoot prepares the choice at the root after its evaluation.
func (s *Search) openRoot() {
	r := &s.root
	r.win = s.findWin()
	s.openKnown()
	edges := s.edgesOf(&s.nodes[rootID])
	if s.cfg.Root == PUCT {
		share := min(max(s.cfg.Fraction, 0)*max(s.budget.Noise, 0), 1)
		r.priors = r.priors[:0]
		for i := range edges {
			r.priors = append(r.priors, float32((1-share)*float64(s.priors[i])+share*r.noise[i]))
		}
		if s.combinations != nil && len(s.moves) > 1 {
			s.scout(rootID)
		}
		return
	}
	r.candidates, r.scores = r.candidates[:0], r.scores[:0]
	for i := range edges {
		r.candidates = append(r.candidates, int32(i))
		x := r.noise[i] + logit(s.priors[i])
		if i == r.win {
			x = math.Inf(1)
		}
		r.scores = append(r.scores, x)
	}
	r.rank(len(edges))
	n := min(s.cfg.Candidates, len(edges), max(s.budget.Simulations, 1))
	r.halving = newHalving(n, s.budget.Simulations)
}

// findWin returns the index of a root move after which the opponent is lost without a choice, or
// by the tables; -1 if there is none. Of several it returns the shortest win. The search always
// tries such a move and plays it, whatever its prior.
func (s *Search) findWin() int {
	n := &s.nodes[rootID]
	win, shortest := -1, math.MaxInt
	for i, m := range s.moves {
		s.probes.plies = 0
		c, _, forced := s.advance(nil, rootID, m)
		if c.proof == ProvedWin && c.turn == n.turn || c.proof == ProvedLoss && c.turn != n.turn {
			if s.probes.prober == nil {
				return i
			}
			if plies := forced + s.probes.plies; plies < shortest {
				win, shortest = i, plies
			}
		}
	}
	return win
}

// rootEdge returns the index of the root edge for the next simulation, noEdge if the choice
// depends on leaves in flight.
func (s *Search) rootEdge() int32 {
	r := &s.root
	if s.cfg.Root == PUCT {
		if r.win >= 0 && s.edge(step{rootID, int32(r.win)}).visits == 0 {
			return int32(r.win)
		}
		return s.bestRootEdge()
	}
	if s.started == r.halving.end {
		if s.flying > 0 {
			return noEdge
		}
		s.score(r.halving.candidates)
		r.rank(r.halving.candidates)
		r.halving.next()
	}
	h := &r.halving
	return r.candidates[(s.started-h.start)%h.candidates]
}

// bestRootEdge is bestEdge for the root of the PUCT rule, with noise in the priors.
func (s *Search) bestRootEdge() int32 {
	n := &s.nodes[rootID]
	explore := s.explore.weight(n.visits)
	untried := float64(n.q) - max(s.cfg.FPU, 0)
	best, top := 0, math.Inf(-1)
	for i, e := range s.edgesOf(n) {
		score := float64(e.value)
		if e.value == unknown {
			score = untried
		}
		if score += explore * float64(s.root.priors[i]) / float64(1+e.visits); score > top {
			best, top = i, score
		}
	}
	return int32(best)
}

// score writes the scores of the first n candidates: noise plus logit plus sigma of the value. A
// candidate without a visit comes last; only a search that was stopped has one.
func (s *Search) score(n int) {
	r := &s.root
	edges := s.edgesOf(&s.nodes[rootID])
	most := int32(0)
	for i := range edges {
		most = max(most, edges[i].visits)
	}
	scale := s.cfg.sigma(float64(most))
	for _, i := range r.candidates[:n] {
		e := &edges[i]
		switch {
		case int(i) == r.win:
			r.scores[i] = math.Inf(1)
		case e.visits == 0:
			r.scores[i] = math.Inf(-1)
		default:
			r.scores[i] = r.noise[i] + logit(s.priors[i]) + scale*float64(e.score())
		}
	}
}

// rank sorts the first n candidates by score, best first; candidates with equal scores keep their
// order.
func (r *root) rank(n int) {
	c := r.candidates[:n]
	for i := 1; i < n; i++ {
		for j := i; j > 0 && r.scores[c[j]] > r.scores[c[j-1]]; j-- {
			c[j], c[j-1] = c[j-1], c[j]
		}
	}
}

// best returns the index of the move that the root rule plays.
func (s *Search) best() int {
	r, n := &s.root, &s.nodes[rootID]
	if n.state != expanded {
		return 0
	}
	if s.probes.best >= 0 {
		return s.probes.best
	}
	if r.win >= 0 {
		return r.win
	}
	if i := s.provedBest(); i >= 0 {
		return i
	}
	edges := s.edgesOf(n)
	if s.cfg.Root == Gumbel {
		s.score(r.halving.candidates)
		best := r.candidates[0]
		for _, i := range r.candidates[:r.halving.candidates] {
			if r.scores[i] > r.scores[best] {
				best = i
			}
		}
		return int(best)
	}
	return s.mostTrusted(edges)
}

// mostTrusted returns the index of the move that the PUCT rule plays. Among the moves with a share
// Config.LeastVisits of the most visits it is the one with the highest value, and of equals the
// one with more visits. Without visits it is the move with the highest prior. If all moves are
// proved to lose it is the most visited one, which resists longest.
func (s *Search) mostTrusted(edges []edge) int {
	most, longest := mostVisits(edges), 0
	for i := range edges {
		if edges[i].visits > edges[longest].visits {
			longest = i
		}
	}
	least := max(s.cfg.LeastVisits*float64(most), 1)
	best := -1
	for i := range edges {
		e := &edges[i]
		if e.value == lost || most > 0 && float64(e.visits) < least {
			continue
		}
		if best < 0 || s.preferred(e, &edges[best], i, best) {
			best = i
		}
	}
	if best < 0 {
		return longest
	}
	return best
}

// preferred reports whether edge e of root move i is better to play than edge b of move j.
func (s *Search) preferred(e, b *edge, i, j int) bool {
	switch {
	case e.visits == 0:
		return s.root.priors[i] > s.root.priors[j]
	case e.value != b.value:
		return e.value > b.value
	}
	return e.visits > b.visits
}

// provedBest returns the index of a root move with the proved result of the root, -1 if there is
// none.
func (s *Search) provedBest() int {
	n := &s.nodes[rootID]
	if n.proof == NotProved || n.proof == ProvedLoss {
		return -1
	}
	for i := range s.edgesOf(n) {
		if s.proofOfMove(i) == n.proof {
			return i
		}
	}
	return -1
}

// proofOfMove returns the proved result of root move i.
func (s *Search) proofOfMove(i int) Proof {
	n := &s.nodes[rootID]
	edges := s.edgesOf(n)
	if i >= len(edges) || !edges[i].settled() {
		return NotProved
	}
	c := &s.nodes[edges[i].child()]
	if c.turn != n.turn {
		return c.proof.flip()
	}
	return c.proof
}
