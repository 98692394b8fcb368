package mcts

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"damier/rules"
)

// Search is one tree search. It is reused for one position after another. Only one goroutine at a
// time may use it, except for [Search.Stop].
type Search struct {
	variant *rules.Variant
	cfg     Config // defaults filled in
	explore exploration
	tree
	spare tree // the memory into which reuse copies the subtree

	// Of the game, at the root.
	history []rules.Position // positions before the root, from the last man's move or capture on
	moves   []rules.Move     // legal moves of the root
	priors  []float32        // of the root's moves, by the evaluator
	raw     rules.WDL        // the evaluator's value of the root
	ply     int              // ply of the root in its game
	only    []rules.Move     // the single legal move, if there is no choice at the root; then nothing is searched

	// Of the present search.
	budget  Budget
	started int // simulations begun
	ended   int // simulations backed up
	depth   int // of the deepest node reached, in plies
	full    bool
	stop    atomic.Bool
	root    root

	own     batch  // the leaves that the goroutine of the search evaluates
	desk    desk   // where it does so
	crew    crew   // of a parallel search
	flying  int    // leaves handed out and not backed up
	path    []step // scratch: the path of the last descent
	collide []step // scratch: the paths to leaves that were in flight already

	legal    []rules.Move     // scratch: legal moves when played moves are followed
	replies  []rules.Move     // scratch: legal moves when forced moves are followed
	newEdges []edge           // scratch of expand
	trail    []rules.Position // scratch: history and path of the node being made, see trace
	result   resultMemory

	combinations *combinations // nil if the search does not look for combinations
	probes       probes
}

// maxForced limits the forced plies of one edge; a node with a single move interrupts a longer
// line.
const maxForced = 64

// NewSearch returns a search for games of variant v. It panics if cfg is not valid.
func NewSearch(v *rules.Variant, cfg Config) *Search {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	s := &Search{variant: v, cfg: cfg.For(v), desk: desk{variant: v}}
	if s.cfg.Scout > 0 {
		s.combinations = newCombinations(v)
	}
	s.explore = newExploration(s.cfg.CPuct, s.cfg.CPuctGrowth)
	s.shared.on, s.spare.shared.on = s.cfg.Share, s.cfg.Share
	s.wide = v.Board.Squares() > 64
	s.roots = s.cfg.Reuse
	s.probes.best = -1
	return s
}

// Forget drops the tree and keeps its memory, so that the next Start begins a new tree.
func (s *Search) Forget() {
	s.reset()
	s.history, s.moves = s.history[:0], s.moves[:0]
}

// Start begins a search at the position of g, which must not be over. It only reads g and does not
// keep it. It uses rng only during the call; rng may be nil if b.Noise is 0.
//
// A position with one legal move is not searched: the search is done at once and its result holds
// that move.
func (s *Search) Start(g *rules.Game, b Budget, rng *rand.Rand) {
	if g.Over() {
		panic("mcts: Start in a game that is over")
	}
	if v := g.Variant(); v != s.variant && v.String() != s.variant.String() {
		panic("mcts: Start in a game of another variant")
	}
	s.budget, s.started, s.ended, s.depth, s.full = b, 0, 0, 0, false
	s.only = s.only[:0]
	s.probes.best = -1
	s.stop.Store(false)
	if legal := g.Legal(); len(legal) == 1 {
		s.only = append(s.only, legal[0]) // the tree stays for the next Start
		return
	}
	if !s.cfg.Reuse || !s.reuse(g) {
		s.newRoot(g)
	}
	s.moves = append(s.moves[:0], g.Legal()...)
	s.ply = g.Ply()
	s.history = append(s.history[:0], window(g, s.ply)...)
	s.drawNoise(rng)
	if s.nodes[rootID].state == expanded {
		s.openRoot()
	}
}

// window returns the positions before ply that the position at ply can repeat.
func window(g *rules.Game, ply int) []rules.Position {
	p := g.Positions()
	first, counted := ply, math.MaxUint8
	for first > 0 && counted == math.MaxUint8 { // Quiet stops at its largest value, so look farther back
		counted = int(p[first].Quiet)
		first = max(0, first-counted)
	}
	return p[first:ply]
}

// newRoot begins a new tree with the position of g as its root.
func (s *Search) newRoot(g *rules.Game) {
	s.reset()
	p := g.Position()
	s.add(&node{
		occurs: uint8(min(g.Occurrences(), math.MaxUint8)),
		turn:   p.Turn,
		count:  moveCount(len(g.Legal())),
	}, &p, s.cfg.MaxNodes)
}

// reuse keeps the subtree of g's position and reports whether there was one.
//
// The value of a node depends on its position with all counters, and on the earlier positions that
// it can repeat. If g contains the root of the tree, with the same positions before it, and
// continues by moves of the tree, then these are the same for every node of the subtree: a
// repetition on the path is now a repetition in the game, and both count alike. The exception is
// the new root: the search may have treated it as a draw although the game goes on. Then nothing
// is kept.
func (s *Search) reuse(g *rules.Game) bool {
	p := g.Positions()
	if len(s.nodes) == 0 || s.ply >= len(p) || p[s.ply] != s.position(rootID) {
		return false
	}
	if !slices.Equal(window(g, s.ply), s.history) {
		return false
	}
	id := s.find(g.Moves()[s.ply:])
	if id == noNode || s.nodes[id].state != expanded {
		return false
	}
	if id != rootID {
		s.raw = s.raws[id].wdl()
		if proof := s.nodes[id].proof; proof != NotProved {
			s.raw = proof.wdl()
		}
		s.copySubtree(id, &s.spare)
		s.tree, s.spare = s.spare, s.tree
		s.makeRoot()
	}
	return true
}

// makeRoot turns node 0, copied from an inner node, into a root: it gets an edge for every move,
// in the order of the moves, and its priors sum to 1 again, which rounding had changed.
func (s *Search) makeRoot() {
	n := &s.nodes[rootID]
	n.next.prior = grownSeed
	s.newEdges = s.newEdges[:0]
	for i, x := range s.seedsOf(rootID) {
		s.newEdges = append(s.newEdges, newEdge(x, i))
	}
	for _, e := range s.edgesOf(n) {
		s.newEdges[e.number()] = e
	}
	sum := float32(0)
	s.priors = s.priors[:0]
	for i := range s.newEdges {
		prior := s.newEdges[i].prior()
		s.priors = append(s.priors, prior)
		sum += prior
	}
	for i := range s.priors {
		s.priors[i] /= sum
	}
	s.setRootEdges(n, s.newEdges)
}

// Done reports whether the search is over: the budget is spent and backed up, the tree is full,
// there is no choice at the root, its result is proved, the tables know the move, or Stop was
// called.
func (s *Search) Done() bool {
	if len(s.only) > 0 || s.full || s.probes.best >= 0 || s.stop.Load() {
		return true
	}
	return len(s.nodes) == 0 || s.nodes[rootID].proof != NotProved ||
		s.nodes[rootID].state == expanded && s.flying == 0 && s.started >= s.budget.Simulations
}

// Stop ends the search, which keeps its results. Any goroutine may call it. The next Start clears
// it.
func (s *Search) Stop() { s.stop.Store(true) }

// Run searches until Done with up to batch leaves in each evaluation. When ctx is done or the
// evaluator fails it returns early, with the result so far and an error, and drops the leaves in
// flight.
func (s *Search) Run(ctx context.Context, ev Evaluator, batch int) (Result, error) {
	err := s.lead(ctx, ev, batch, nil)
	return s.Result(), err
}
