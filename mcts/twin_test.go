package mcts

import (
	"cmp"
	"math"
	"slices"

	"damier/rules"
)

// twin is the search written the slow and obvious way: nodes with pointers, recursion, the whole
// game played from its start for every node, all scores kept. It has no noise, no batches and no
// memory.
type twin struct {
	cfg  Config
	game *rules.Game // on the board: the node being looked at
	eval func(*Leaf)
	root *twinNode
	met  map[rules.Position]*twinNode // nodes that several orders of moves may lead to
	win  int                          // the first root move that wins at once, -1 if there is none
}

type twinNode struct {
	turn   rules.Color
	moves  []rules.Move
	priors []float32
	edges  []twinEdge
	ends   []float64 // scores of the simulations that ended here
	draws  float64
	raw    rules.WDL
	result *rules.WDL // at the end of a line
	proof  Proof

	tried   []int // below the root: moves that were tried, or that the scout proposes, in the order in which they came up
	next    int   // below the root: the move to try next, -1 for none; see propose
	offers  []int // moves that the scout proposes
	scouted int   // 1 for two offers, 2 for more
	onWay   bool  // of a combination
}

// twinEdge is a move with what was last heard of the node behind it.
type twinEdge struct {
	child  *twinNode
	plies  int // to the child
	visits int
	value  float32 // for the side that moves; unknown before a visit, unless the evaluator reported it
	proof  Proof   // the same
}

// newTwin searches the game's position with n simulations.
func newTwin(cfg Config, g *rules.Game, eval func(*Leaf), n int) *twin {
	t := &twin{cfg: cfg.For(g.Variant()), game: rules.NewGameFrom(g.Variant(), g.Start()), eval: eval, met: map[rules.Position]*twinNode{}}
	for _, m := range g.Moves() {
		if err := t.game.Play(m); err != nil {
			panic(err)
		}
	}
	t.root = t.expand(true)
	t.win = slices.IndexFunc(t.root.moves, t.wins)
	if t.cfg.Root == PUCT {
		if t.cfg.Scout > 0 {
			t.scout(t.root)
		}
		for range n {
			if t.root.proof == NotProved {
				t.simulate(t.root, t.rootPUCT())
			}
		}
		return t
	}
	left := make([]int, len(t.root.moves)) // candidates, best first
	for i := range left {
		left[i] = i
	}
	candidates := min(t.cfg.Candidates, len(left), n)
	slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(t.gumbelScore(b), t.gumbelScore(a)) })
	left = left[:candidates]
	for _, considered := range considerations(candidates, n) {
		if considered.rank {
			slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(t.gumbelScore(b), t.gumbelScore(a)) })
			left = left[:considered.candidates]
		}
		if t.root.proof == NotProved {
			t.simulate(t.root, left[considered.index])
		}
	}
	return t
}

// consideration is one simulation of sequential halving.
type consideration struct {
	rank       bool // the candidates are ranked first, and this many remain
	candidates int
	index      int // of the candidate that gets the simulation, by rank
}

// considerations lists sequential halving of m candidates over n simulations, one by one.
func considerations(m, n int) []consideration {
	var all []consideration
	for considered := m; len(all) < n; considered = max(min(m, 2), considered/2) {
		rounds := n
		if m > 1 {
			rounds = max(1, int(float64(n)/(math.Ceil(math.Log2(float64(m)))*float64(considered))))
		}
		for i := range rounds * considered {
			all = append(all, consideration{i == 0, considered, i % considered})
		}
	}
	return all[:n]
}

func (t *twin) gumbelScore(i int) float64 {
	if i == t.win {
		return math.Inf(1)
	}
	score := math.Log(float64(t.root.priors[i]))
	most := 0
	for _, e := range t.root.edges {
		most = max(most, e.visits)
	}
	if e := t.root.edges[i]; e.visits > 0 {
		score += (t.cfg.CVisit + float64(most)) * t.cfg.CScale * float64(e.value)
	}
	return score
}

// wins reports whether root move m wins at once, forced moves included.
func (t *twin) wins(m rules.Move) bool {
	plies := t.walk(m)
	defer t.undo(plies)
	outcome, _ := t.game.Outcome()
	return outcome == rules.Win(t.root.turn)
}

func (t *twin) rootPUCT() int {
	if t.win >= 0 && t.root.edges[t.win].visits == 0 {
		return t.win
	}
	return t.puct(t.root)
}

// visits returns how many simulations went through n or ended there.
func (n *twinNode) visits() int {
	all := len(n.ends)
	for _, e := range n.edges {
		all += e.visits
	}
	return all
}

// worth returns what n is worth to its side to move.
func (t *twin) worth(n *twinNode) float32 {
	if n.proof != NotProved {
		return float32(expected(n.proof.wdl()))
	}
	if n.result != nil {
		return float32(expected(*n.result))
	}
	sum, best := 0.0, float32(-1)
	for _, x := range n.ends {
		sum += x
	}
	for _, e := range n.edges {
		sum += float64(e.visits) * float64(e.value)
	}
	for _, i := range t.choices(n) {
		if e := n.edges[i]; e.proof != ProvedLoss && e.value != unknown {
			best = max(best, e.value)
		}
	}
	q := sum / float64(n.visits())
	if n.visits() > 1 && best >= 0 {
		q = (1-t.cfg.Best)*q + t.cfg.Best*float64(best)
	}
	return float32(q)
}

// expected returns the expected score of w.
func expected(w rules.WDL) float64 { return float64(w.Win) + 0.5*float64(w.Draw) }

// choices returns the moves of n among which PUCT chooses: at the root all, elsewhere those tried,
// those that the scout proposes, and the next.
func (t *twin) choices(n *twinNode) []int {
	if n == t.root {
		all := make([]int, len(n.moves))
		for i := range all {
			all[i] = i
		}
		return all
	}
	if n.next < 0 {
		return n.tried
	}
	return append(slices.Clone(n.tried), n.next)
}

// chooseNext makes the move of the highest prior, of those that are not among the tried, the next.
func (n *twinNode) chooseNext() {
	n.next = -1
	for i, p := range n.priors {
		if !slices.Contains(n.tried, i) && (n.next < 0 || p > n.priors[n.next]) {
			n.next = i
		}
	}
}

// propose adds move i to the tried, unless it is one of them. If it was the next, there is no next
// until a move is tried for the first time.
func (n *twinNode) propose(i int) {
	if slices.Contains(n.tried, i) {
		return
	}
	if n.next == i {
		n.next = -1
	}
	n.tried = append(n.tried, i)
}

// try records that move i is tried for the first time.
func (n *twinNode) try(i int) {
	if i == n.next {
		n.tried, n.next = append(n.tried, i), -1
	}
	if n.next < 0 {
		n.chooseNext()
	}
}

// scout looks for a combination in n, whose position is on the board.
func (t *twin) scout(n *twinNode) {
	offers := fewOffers
	if n.scouted++; n == t.root || n.onWay || n.visits() >= deeper*t.cfg.Scout {
		n.scouted, offers = 2, mostOffers
	}
	if i, ok := newCombinations(t.game.Variant()).find(t.game.Position(), offers); ok {
		n.offers = append(n.offers, i)
		if n != t.root {
			n.propose(i)
		}
		n.priors[i] = max(n.priors[i], favoured)
	}
}

func (t *twin) puct(n *twinNode) int {
	best, top := 0, float32(math.Inf(-1))
	for _, i := range t.choices(n) {
		e := &n.edges[i]
		if e.proof == ProvedLoss {
			continue
		}
		q := e.value
		if q == unknown {
			q = t.worth(n) - float32(max(t.cfg.FPU, 0))
		}
		weight := t.cfg.CPuct * math.Sqrt(float64(n.visits()))
		if t.cfg.CPuctGrowth > 0 {
			weight *= math.Pow(float64(n.visits())/2000, t.cfg.CPuctGrowth)
		}
		u := float32(weight) * n.priors[i] / float32(1+e.visits)
		if q+u > top {
			best, top = i, q+u
		}
	}
	return best
}

// walk plays m and the forced moves after it on the board, up to a choice or an end, and returns
// the number of plies.
func (t *twin) walk(m rules.Move) int {
	for plies := 1; ; plies++ {
		if err := t.game.Play(m); err != nil {
			panic(err)
		}
		if t.ended() || len(t.game.Legal()) > 1 {
			return plies
		}
		m = t.game.Legal()[0]
	}
}

func (t *twin) ended() bool { return t.game.Over() || t.game.Occurrences() >= t.cfg.RepetitionDraw }

func (t *twin) undo(plies int) {
	for range plies {
		t.game.Undo()
	}
}

// expand returns a node for the position on the board, visited once.
func (t *twin) expand(root bool) *twinNode {
	p := t.game.Position()
	n := &twinNode{turn: p.Turn}
	if !root && t.ended() {
		result := rules.WDL{Draw: 1}
		if t.game.Over() {
			o, _ := t.game.Outcome()
			result = o.WDL(p.Turn)
			n.proof = proofOf(result)
		}
		n.result, n.raw = &result, result
	} else {
		n.moves = slices.Clone(t.game.Legal())
		n.priors = make([]float32, len(n.moves))
		n.edges = make([]twinEdge, len(n.moves))
		l := Leaf{Position: p, Moves: n.moves, Priors: n.priors, Values: make([]float32, len(n.moves))}
		t.eval(&l)
		n.raw = l.Value
		for i := range n.edges {
			n.edges[i].value = unknown
			if l.Valued {
				n.edges[i].value = l.Values[i]
			}
		}
		if !root {
			n.round()
			n.chooseNext()
		}
	}
	n.ends = append(n.ends, float64(float32(expected(n.raw))))
	n.draws = float64(n.raw.Draw)
	return n
}

// round rounds what the search keeps in fewer bits below the root: priors to nine bits behind the
// first, values to one part in 65534.
func (n *twinNode) round() {
	for i, p := range n.priors {
		fraction, exponent := math.Frexp(float64(p))
		n.priors[i] = float32(math.Ldexp(math.Floor(fraction*(1<<10)+0.5), exponent-10))
		if e := &n.edges[i]; e.value != unknown {
			e.value = float32(math.Floor(float64(e.value)*65534+0.5) / 65534)
		}
	}
}

// simulate goes by move i of n, on to a new node, an end or a proof, and returns the draw part of
// what it found there.
func (t *twin) simulate(n *twinNode, i int) float64 {
	e := &n.edges[i]
	e.plies = t.walk(n.moves[i])
	p := t.game.Position()
	fresh := false
	if e.child == nil {
		if e.child = t.met[p]; e.child == nil {
			e.child, fresh = t.expand(false), true
			if t.cfg.Share && p.Quiet == 0 && e.child.result == nil {
				t.met[p] = e.child
			}
		}
	}
	c := e.child
	if e.visits == 0 {
		if n != t.root {
			n.try(i)
		}
		if slices.Contains(n.offers, i) || n.onWay && n.moves[i].IsCapture() {
			c.onWay = t.cfg.Scout > 0 || c.onWay
		}
	}
	draw := float64(c.raw.Draw)
	switch {
	case fresh:
	case c.proof != NotProved || c.result != nil:
		if c.result == nil {
			draw = float64(c.proof.wdl().Draw)
		}
		c.ends = append(c.ends, float64(t.worth(c)))
		c.draws += draw
	default:
		due := c.scouted == 0 && c.visits() >= t.cfg.Scout
		if c.scouted < 2 && (c.onWay || c.visits() >= deeper*t.cfg.Scout) {
			due = true
		}
		if t.cfg.Scout > 0 && due {
			t.scout(c)
		}
		draw = t.simulate(c, t.puct(c))
	}
	t.undo(e.plies)
	e.visits++
	e.value, e.proof = t.worth(c), c.proof
	if c.turn != n.turn {
		e.value, e.proof = 1-e.value, c.proof.flip()
	}
	n.draws += draw
	t.prove(n)
	return draw
}

// prove draws the conclusion from what is proved of the moves of n.
func (t *twin) prove(n *twinNode) {
	least, most := ProvedWin, NotProved
	for _, e := range n.edges {
		least, most = min(least, e.proof), max(most, e.proof)
	}
	if most == ProvedWin || least != NotProved && n.proof == NotProved {
		n.proof = most
	}
}
