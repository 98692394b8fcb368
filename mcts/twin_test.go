package mcts

import (
	"cmp"
	"math"
	"slices"

	"damier/rules"
)

// twin is the search written the slow and obvious way: nodes with pointers, recursion, the whole game
// played from its start for every node, all scores kept. It has no noise, no batches and no memory.
type twin struct {
	cfg  Config
	game *rules.Game // on the board: the node being looked at
	eval func(*Leaf)
	root *twinNode
	win  int // the first root move that wins at once, -1 if there is none
}

type twinNode struct {
	turn     rules.Color
	moves    []rules.Move
	priors   []float32
	children []*twinNode
	lines    []int // plies to each child
	scores   []float64
	raw      rules.WDL
	result   *rules.WDL // at the end of a line
}

// newTwin searches the game's position with n simulations, with so many forcing moves among the candidates.
func newTwin(cfg Config, g *rules.Game, eval func(*Leaf), n, forcing int) *twin {
	t := &twin{cfg: cfg.For(g.Variant()), game: rules.NewGameFrom(g.Variant(), g.Start()), eval: eval}
	for _, m := range g.Moves() {
		if err := t.game.Play(m); err != nil {
			panic(err)
		}
	}
	t.root = t.expand(true)
	t.win = slices.IndexFunc(t.root.moves, t.wins)
	if t.cfg.Root == PUCT {
		for range n {
			t.simulate(t.root, t.rootPUCT(), t.root.turn)
		}
		return t
	}
	left := make([]int, len(t.root.moves)) // candidates, best first
	for i := range left {
		left[i] = i
	}
	candidates := min(t.cfg.Candidates, len(left), n)
	slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(t.gumbelScore(b), t.gumbelScore(a)) })
	left = t.admit(left, candidates, min(forcing, candidates/2))
	for _, considered := range considerations(candidates, n) {
		if considered.rank {
			slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(t.gumbelScore(b), t.gumbelScore(a)) })
			left = left[:considered.candidates]
		}
		t.simulate(t.root, left[considered.index], t.root.turn)
	}
	return t
}

// admit returns the moves that are candidates, of all in the order of their scores: the first n, but as long as fewer
// than least of them are forcing, the last that is not gives way to the next forcing move.
func (t *twin) admit(ranked []int, n, least int) []int {
	in := map[int]bool{}
	forcing := 0
	for _, i := range ranked[:n] {
		in[i] = true
		if t.forces(i) {
			forcing++
		}
	}
	for _, i := range ranked[n:] {
		if !t.forces(i) || forcing >= least {
			continue
		}
		last := -1
		for _, j := range ranked {
			if in[j] && !t.forces(j) {
				last = j
			}
		}
		in[last], in[i] = false, true
		forcing++
	}
	return slices.DeleteFunc(slices.Clone(ranked), func(i int) bool { return !in[i] })
}

// forces reports whether root move i is quiet and leaves the opponent nothing but captures.
func (t *twin) forces(i int) bool {
	v := t.game.Variant()
	replies := v.ReferenceMoves(v.Play(t.game.Position(), t.root.moves[i]))
	return !t.root.moves[i].IsCapture() && len(replies) > 0 && replies[0].IsCapture()
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
	for j := range t.root.moves {
		if c := t.root.children[j]; c != nil {
			most = max(most, len(c.scores))
		}
	}
	if c := t.root.children[i]; c != nil {
		score += (t.cfg.CVisit + float64(most)) * t.cfg.CScale * float64(float32(t.mean(c, t.root.turn)))
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
	if t.win >= 0 && t.root.children[t.win] == nil {
		return t.win
	}
	return t.puct(t.root)
}

// mean returns the mean score of n for side c.
func (t *twin) mean(n *twinNode, c rules.Color) float64 {
	sum := 0.0
	for _, s := range n.scores {
		sum += s
	}
	q := sum / float64(len(n.scores))
	if n.turn != c {
		return 1 - q
	}
	return q
}

func (t *twin) puct(n *twinNode) int {
	best, top := 0, float32(math.Inf(-1))
	for i := range n.moves {
		q, visits := float32(t.mean(n, n.turn)-max(t.cfg.FPU, 0)), 0
		if c := n.children[i]; c != nil {
			q, visits = float32(t.mean(c, n.turn)), len(c.scores)
		}
		u := float32(t.cfg.CPuct*math.Sqrt(float64(len(n.scores)))) * n.priors[i] / float32(1+visits)
		if q+u > top {
			best, top = i, q+u
		}
	}
	return best
}

// walk plays m and the forced moves after it on the board, up to a choice or an end, and returns the
// number of plies.
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
		}
		n.result, n.raw = &result, result
	} else {
		n.moves = slices.Clone(t.game.Legal())
		n.priors = make([]float32, len(n.moves))
		n.children, n.lines = make([]*twinNode, len(n.moves)), make([]int, len(n.moves))
		l := Leaf{Position: p, Moves: n.moves, Occurrences: t.game.Occurrences(), Priors: n.priors}
		t.eval(&l)
		n.raw = l.Value
		if !root {
			t.favourForcing(n, p)
		}
	}
	contempt := t.cfg.Contempt
	if !root && p.Turn != t.root.turn {
		contempt = -contempt
	}
	n.scores = append(n.scores, float64(n.raw.Win)+(0.5-contempt)*float64(n.raw.Draw))
	return n
}

// favourForcing mixes the priors of n, at position p, with equal ones for the moves that the opponent must answer by a
// capture, unless n has captures itself.
func (t *twin) favourForcing(n *twinNode, p rules.Position) {
	v := t.game.Variant()
	captures := func(p rules.Position) bool {
		moves := v.ReferenceMoves(p)
		return len(moves) > 0 && moves[0].IsCapture()
	}
	offers := make([]float32, len(n.moves))
	count := float32(0)
	for i, m := range n.moves {
		if !captures(p) && captures(v.Play(p, m)) {
			offers[i] = 1
			count++
		}
	}
	if share := float32(t.cfg.Forcing); share > 0 && count > 0 {
		for i, offer := range offers {
			n.priors[i] = (1-share)*n.priors[i] + share*offer/count
		}
	}
}

// simulate goes by move i of n, on to a new node or an end, and returns its score for side c.
func (t *twin) simulate(n *twinNode, i int, c rules.Color) float64 {
	plies := t.walk(n.moves[i])
	n.lines[i] = plies
	child := n.children[i]
	var score float64
	switch {
	case child == nil:
		child = t.expand(false)
		n.children[i] = child
		score = child.scores[0]
	case child.result != nil:
		score = child.scores[0]
		child.scores = append(child.scores, score)
	default:
		score = t.simulate(child, t.puct(child), child.turn)
	}
	t.undo(plies)
	if child.turn != n.turn {
		score = 1 - score
	}
	n.scores = append(n.scores, score)
	if c != n.turn {
		return 1 - score
	}
	return score
}
