package mcts

import (
	"math"
	"math/rand/v2"

	"damier/rules"
)

// Result is what a search found. Its slices belong to the search and are valid until the next call
// of Start or Result. Moves, Visits, Priors, Values, Policy and Proofs have one element for each
// legal move.
type Result struct {
	Moves  []rules.Move // legal moves in canonical order
	Visits []int32      // including those of earlier searches if the tree was reused
	Priors []float32    // of the evaluator, without noise: in [0,1], sum 1
	Values []float32    // mean score in [0,1] for the side to move, with contempt; NaN without a visit
	Policy []float32    // the improved policy under the Gumbel rule, the share of the visits under PUCT: in [0,1], sum 1

	Proofs []Proof // the proved results of the moves, for the side that makes them
	Proof  Proof   // the proved result of the root, for its side to move

	// Root is the value of the root: the mean of all evaluations and results in the tree, mixed
	// with its best move by Config.Best. Raw is the evaluator's own value of the root. Both are for
	// the side to move, and zero if the root was not evaluated.
	Root, Raw rules.WDL

	// Best is the index of the move to play by the rule at the root. For the Gumbel rule it is the
	// best of the last candidates, noise included, so with noise it is already a sample. For the
	// PUCT rule it is the most visited move, or the one with the highest value by
	// Config.LeastVisits. A move that wins at once is always Best.
	Best int

	Simulations int          // backed up by this search
	Depth       int          // of the deepest node this search reached, in plies
	PV          []rules.Move // principal variation: Best, then the most visited moves and the forced ones

	rule Root
	win  bool
}

// resultMemory is the memory of a Result, which the next one reuses.
type resultMemory struct {
	visits                 []int32
	priors, values, policy []float32
	proofs                 []Proof
	pv                     []rules.Move
}

// Result returns what the search has found so far. In a position with one legal move Root and Raw
// are zero and there are no visits.
func (s *Search) Result() Result {
	m := &s.result
	m.visits, m.pv = m.visits[:0], m.pv[:0]
	m.priors, m.values, m.policy, m.proofs = m.priors[:0], m.values[:0], m.policy[:0], m.proofs[:0]
	if len(s.only) > 0 {
		m.visits = append(m.visits, 0)
		m.priors, m.values, m.policy = append(m.priors, 1), append(m.values, nan), append(m.policy, 1)
		m.pv, m.proofs = append(m.pv, s.only[0]), append(m.proofs, NotProved)
		return Result{
			Moves: s.only, Visits: m.visits, Priors: m.priors, Values: m.values, Policy: m.policy, Proofs: m.proofs, PV: m.pv,
			rule: s.cfg.Root,
		}
	}
	if len(s.nodes) == 0 {
		panic("mcts: Result before Start")
	}
	n := &s.nodes[rootID]
	r := Result{
		Moves:       s.moves,
		Proof:       n.proof,
		Best:        s.best(),
		Simulations: s.ended,
		Depth:       s.depth,
		rule:        s.cfg.Root,
		win:         n.state == expanded && s.root.win >= 0,
	}
	edges := s.edgesOf(n)
	for i := range s.moves {
		prior, value, visits := 1/float32(len(s.moves)), nan, int32(0)
		if n.state == expanded {
			e := &edges[i]
			if visits = e.real(); visits > 0 {
				value = e.score()
			}
			prior = s.priors[i]
		}
		m.visits = append(m.visits, visits)
		m.priors, m.values, m.policy = append(m.priors, prior), append(m.values, value), append(m.policy, 0)
		m.proofs = append(m.proofs, s.proofOfMove(i))
	}
	if n.state == expanded {
		r.Raw = s.raw
		draw := s.draws[rootID] / float64(n.visits)
		if n.proof != NotProved {
			draw = float64(n.proof.wdl().Draw)
		}
		score := float64(n.q)
		draw = min(draw, 2*score, 2-2*score) // a later proof changes the score, but not the draws counted before it
		r.Root = rules.WDL{
			Win:  float32(max(score-draw/2, 0)),
			Draw: float32(max(draw, 0)),
			Loss: float32(max(1-score-draw/2, 0)),
		}
	}
	improvedPolicy(m.policy, s.cfg, r.Raw, m.priors, m.values, m.visits)
	m.pv = s.appendPV(m.pv, r.Best)
	r.Visits, r.Priors, r.Values, r.Policy, r.Proofs, r.PV = m.visits, m.priors, m.values, m.policy, m.proofs, m.pv
	return r
}

var nan = float32(math.NaN())

// appendPV appends the principal variation that begins with root move best.
func (s *Search) appendPV(dst []rules.Move, best int) []rules.Move {
	if s.nodes[rootID].state != expanded {
		return append(dst, s.moves[best])
	}
	id, place := rootID, int32(best)
	for {
		s.legal = s.variant.AppendMoves(s.legal[:0], s.position(id))
		e := s.edge(step{id, place})
		m := s.legal[e.number()]
		dst = append(dst, m)
		child := e.child()
		if child == noNode {
			return dst
		}
		dst = s.appendForced(dst, id, child, m)
		id = child
		n, most := &s.nodes[id], int32(0)
		for i, x := range s.edgesOf(n) {
			if x.visits > most && x.value != lost {
				most, place = x.visits, int32(i)
			}
		}
		if most == 0 {
			return dst
		}
	}
}

// Sample returns the index of a move to play, with variety. For the Gumbel rule it is Best,
// because Budget.Noise gives the variety. For the PUCT rule Sample draws the move in proportion to
// visits^(1/temperature). It returns Best for a temperature of 0, for a search without visits, and
// if Best wins at once. rng may be nil if nothing is drawn.
func (r *Result) Sample(rng *rand.Rand, temperature float64) int {
	if r.rule != PUCT || temperature <= 0 || r.win {
		return r.Best
	}
	most := r.Visits[r.Best]
	for _, n := range r.Visits {
		most = max(most, n)
	}
	if most == 0 {
		return r.Best
	}
	weight := func(n int32) float64 { return math.Pow(float64(n)/float64(most), 1/temperature) }
	sum := 0.0
	for _, n := range r.Visits {
		sum += weight(n)
	}
	x, last := rng.Float64()*sum, r.Best
	for i, n := range r.Visits {
		if n == 0 {
			continue
		}
		last = i
		if x -= weight(n); x < 0 {
			return i
		}
	}
	return last
}
