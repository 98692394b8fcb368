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

	gatherer             // for Gather and Backup
	flying    int        // leaves handed out and not backed up, of all gatherers
	path      []step     // scratch: the path of the last descent
	collide   []step     // scratch: the paths to leaves that were in flight already
	gatherers []gatherer // for RunParallel

	legal    []rules.Move     // scratch: legal moves when played moves are followed
	replies  []rules.Move     // scratch: legal moves when forced moves are followed
	newEdges []edge           // scratch of expand
	trail    []rules.Position // scratch: history and path of the node being made, see trace
	result   resultMemory

	combinations *combinations // nil if the search does not look for combinations
	probes       probes
}

// gatherer is the state of one goroutine that gathers leaves.
type gatherer struct {
	flight  []flight     // the leaves handed out
	paths   []step       // the paths to these leaves
	counted bool         // the leaves are simulations; false for the evaluation of the root
	under   int16        // how often a path counts as in flight: 0 if no other leaf can be in flight, else 1
	priors  []float32    // memory of the leaves for priors and values
	moves   []rules.Move // memory of the leaves for moves
	leaves  []Leaf       // used by Run
	packed  []seed       // the evaluated leaves, see pack
	forcing []int32      // scratch of raiseForcing
}

// flight is a leaf that was handed out for evaluation.
type flight struct {
	node        int32
	first, last int32 // its path in gatherer.paths
}

// pathOf returns the path to a leaf in flight.
func (h *gatherer) pathOf(f flight) []step { return h.paths[f.first:f.last] }

// mostEnds is the largest number of simulations ending in known results that one Gather backs up.
// In an ending there may be no others, and the caller must get a chance to look at the clock.
const mostEnds = 64

// mostFlying is the largest number of leaves in flight. With the simulations of one Gather that
// meet a leaf in flight, at most half as many and one, they do not exceed mostVirtual on an edge.
const mostFlying = 320

// maxForced limits the forced plies of one edge; a node with a single move interrupts a longer
// line.
const maxForced = 64

// NewSearch returns a search for games of variant v. It panics if cfg is not valid.
func NewSearch(v *rules.Variant, cfg Config) *Search {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	s := &Search{variant: v, cfg: cfg.For(v)}
	if s.cfg.Scout > 0 {
		s.combinations = newCombinations(v)
	}
	s.shared.on, s.spare.shared.on = s.cfg.Share, s.cfg.Share
	s.wide = v.Board.Squares() > 64
	s.roots = s.cfg.Reuse
	s.probes.best = -1
	return s
}

// Forget drops the tree and keeps its memory, so that the next Start begins a new tree.
func (s *Search) Forget() {
	s.abandon(&s.gatherer)
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
	s.abandon(&s.gatherer)
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

// Gather selects up to max leaves and appends them to dst. It may append fewer, or none: it backs
// up simulations that end in a terminal node at once, the root must be evaluated before anything
// else, and the Gumbel rule waits for all values before it halves. Every leaf counts as a visit of
// its path until Backup, so that the next selection finds another leaf. With max 1 there is only
// one leaf, and the search is exactly sequential.
//
// The memory of a leaf (Priors and the others) is valid until Backup. Call Backup before the next
// Gather.
func (s *Search) Gather(dst []Leaf, max int) []Leaf {
	if s.flying > 0 {
		panic("mcts: Gather before Backup")
	}
	under := int16(0)
	if max > 1 {
		under = 1
	}
	from := len(dst)
	dst = s.gather(&s.gatherer, dst, max, max/2, under)
	s.list(&s.gatherer, dst[from:])
	return dst
}

// gather is Gather for gatherer h, but does not list the moves of the leaves, see list. It gives
// up after meeting more than collisions leaves that are in flight already.
func (s *Search) gather(h *gatherer, dst []Leaf, max, collisions int, under int16) []Leaf {
	if s.Done() || max < 1 {
		return dst
	}
	h.priors, h.paths = h.priors[:0], h.paths[:0]
	h.under, h.counted = 0, true
	switch s.nodes[rootID].state {
	case unevaluated:
		h.counted = false
		s.path = s.path[:0]
		return s.handOut(h, dst, rootID)
	case inFlight:
		return dst
	}
	max = min(max, mostFlying-s.flying)
	collisions = min(collisions, mostFlying/2)
	h.under = under
	s.collide = s.collide[:0]
	for collided, ends := 0, 0; len(h.flight) < max && s.started < s.budget.Simulations && collided <= collisions && ends < mostEnds && !s.stop.Load(); {
		id := s.selectLeaf()
		if id == noNode {
			break
		}
		switch n := &s.nodes[id]; {
		case n.state == inFlight:
			s.pass(s.path, 1)
			s.collide = append(s.collide, s.path...)
			collided++
		case n.state == terminal || n.proof != NotProved:
			s.started++
			s.ended++
			ends++
			s.visit(id, s.path, float64(n.draw()), 0)
			if s.nodes[rootID].proof != NotProved {
				return s.uncollide(dst)
			}
		default:
			s.started++
			dst = s.handOut(h, dst, id)
			s.pass(s.path, under)
		}
	}
	return s.uncollide(dst)
}

// uncollide undoes the counts for leaves met while in flight, and returns dst.
func (s *Search) uncollide(dst []Leaf) []Leaf {
	s.pass(s.collide, -1)
	return dst
}

// handOut marks node id, to which s.path leads, as in flight for h, and appends its leaf to dst.
func (s *Search) handOut(h *gatherer, dst []Leaf, id int32) []Leaf {
	n := &s.nodes[id]
	n.state = inFlight
	first := int32(len(h.paths))
	h.paths = append(h.paths, s.path...)
	h.flight = append(h.flight, flight{id, first, int32(len(h.paths))})
	s.flying++
	// If h.priors grows here, leaves handed out before keep their part of the old array: Backup
	// reads the leaves, not h.priors.
	count := int(n.count)
	begin := len(h.priors)
	h.priors = slices.Grow(h.priors, 2*count)[:begin+2*count]
	clear(h.priors[begin:])
	return append(dst, Leaf{
		Position:    s.position(id),
		Occurrences: int(n.occurs),
		Priors:      h.priors[begin : begin+count : begin+count],
		Values:      h.priors[begin+count : begin+2*count : begin+2*count],
	})
}

// list sets the moves of the leaves of h. It does not touch the tree, so another goroutine may
// hold it.
func (s *Search) list(h *gatherer, leaves []Leaf) {
	h.moves = h.moves[:0]
	for i := range leaves {
		l := &leaves[i]
		at := len(h.moves)
		h.moves = s.variant.AppendMoves(h.moves, l.Position) // if it grows, earlier leaves keep the old array
		l.Moves = h.moves[at:len(h.moves):len(h.moves)]
	}
}

// Backup takes back the leaves of the last Gather after their evaluation: all of them, in the same
// order.
func (s *Search) Backup(leaves []Leaf) {
	s.pack(&s.gatherer, leaves)
	s.backupGathered(&s.gatherer, leaves)
}

// backupGathered backs up the leaves of the last gather of h, evaluated and packed.
func (s *Search) backupGathered(h *gatherer, leaves []Leaf) {
	if len(leaves) != len(h.flight) {
		panic("mcts: Backup of other leaves than the last Gather's")
	}
	at := 0
	for i := range leaves {
		f := h.flight[i]
		end := at + len(leaves[i].Priors)
		draw := s.expand(f.node, &leaves[i], h.packed[at:end])
		at = end
		s.visit(f.node, h.pathOf(f), float64(draw), h.under)
	}
	if len(leaves) > 0 {
		h.flight = h.flight[:0]
		s.flying -= len(leaves)
		if h.counted {
			s.ended += len(leaves)
		} else {
			s.openRoot()
		}
	}
}

// worth returns the score in [0,1] of w for side turn, from whose point of view w is. It includes
// contempt.
func (s *Search) worth(w rules.WDL, turn rules.Color) float64 {
	contempt := s.cfg.Contempt
	if turn != s.nodes[rootID].turn {
		contempt = -contempt
	}
	return score(w, contempt)
}

// score returns the expected score in [0,1] for a player to whom a draw counts 1/2 - contempt.
func score(w rules.WDL, contempt float64) float64 {
	if contempt == 0 {
		return float64(w.Score())
	}
	return min(max(float64(w.Score())-contempt*float64(w.Draw), 0), 1)
}

// pack checks the evaluations of the leaves of h and makes the seeds of their nodes. It does not
// touch the tree, so another goroutine may hold it.
func (s *Search) pack(h *gatherer, leaves []Leaf) {
	h.packed = h.packed[:0]
	for i := range leaves {
		l := &leaves[i]
		if len(l.Priors) != len(l.Moves) {
			panic("mcts: evaluation with another number of priors than moves")
		}
		sum := float32(0)
		for _, p := range l.Priors {
			sum += p
		}
		if w := l.Value; !(sum > 0.99 && sum < 1.01) || !(w.Win >= 0 && w.Draw >= 0 && w.Loss >= 0) ||
			!(w.Win+w.Draw+w.Loss > 0.99 && w.Win+w.Draw+w.Loss < 1.01) {
			panic("mcts: evaluation out of range")
		}
		if s.cfg.Forcing > 0 && h.counted {
			s.raiseForcing(h, l)
		}
		for i := range l.Moves {
			h.packed = append(h.packed, seed{packPrior(l.Priors[i]), packValue(l.valueOf(i))})
		}
	}
}

// expand stores the packed evaluation of a leaf in node id. It returns the draw probability.
func (s *Search) expand(id int32, l *Leaf, seeds []seed) (draw float32) {
	n := &s.nodes[id]
	value := l.Value
	if value.Score() > 1 { // rounding must not carry a mean out of [0,1]
		value = rules.WDL{Win: 1}
	}
	if int(id) < len(s.raws) {
		s.raws[id] = raw{value.Win, value.Draw}
	}
	n.state = expanded
	n.own = float32(s.worth(value, n.turn))
	n.q = n.own
	if id == rootID {
		s.raw = value
		s.setRootEdges(n, s.rootEdges(l))
		return value.Draw
	}
	n.seeds = int32(len(s.seeds))
	s.seeds = append(s.seeds, seeds...)
	s.chooseNext(id)
	return value.Draw
}

// rootEdges returns the edges of the root for the evaluation l.
func (s *Search) rootEdges(l *Leaf) []edge {
	s.newEdges = s.newEdges[:0]
	s.priors = append(s.priors[:0], l.Priors...)
	for i := range l.Moves {
		s.newEdges = append(s.newEdges, edge{packed: packPrior(l.Priors[i]), value: l.valueOf(i), move: uint16(i)})
	}
	return s.newEdges
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

// valueOf returns the evaluator's value of move i, or unknown.
func (l *Leaf) valueOf(i int) float32 {
	if !l.Valued {
		return unknown
	}
	q := l.Values[i]
	if !(q >= 0 && q <= 1) {
		panic("mcts: the value of a move is out of range")
	}
	return q
}

// abandon drops the leaves of h that are in flight; a later simulation can select them again.
func (s *Search) abandon(h *gatherer) {
	for _, f := range h.flight {
		s.nodes[f.node].state = unevaluated
		s.pass(h.pathOf(f), -h.under)
		if h.counted {
			s.started--
		}
	}
	s.flying -= len(h.flight)
	h.flight = h.flight[:0]
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
	for !s.Done() {
		if err := ctx.Err(); err != nil {
			return s.Result(), err
		}
		s.leaves = s.Gather(s.leaves[:0], max(batch, 1))
		if len(s.leaves) == 0 {
			continue
		}
		if err := ev.Evaluate(ctx, s.leaves); err != nil {
			s.abandon(&s.gatherer)
			return s.Result(), err
		}
		s.Backup(s.leaves)
	}
	return s.Result(), nil
}
