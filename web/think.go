package web

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
	"damier/strength"
)

// The engines that can sit at a board.
const (
	person    = "person"
	model     = "model"
	alphaBeta = "alphabeta"
)

// Bounds on one search, whoever asks: a board is one of many.
const (
	moveTime       = 10 * time.Second // for a move, whatever its level
	clockedTime    = time.Minute      // for a move, whatever the clock
	analysisTime   = 30 * time.Second
	analysisVisits = 60_000
	analysisDepth  = 20
	treeNodes      = 100_000 // about 50 MB
	reportEvery    = 250 * time.Millisecond
)

// manyLeaves are evaluated together where a search is long, which costs hardly more than one.
const manyLeaves = 8

// fewVisits are searched leaf by leaf.
const fewVisits = 800

// line is a root move with what a search knows about it.
type line struct {
	move   rules.Move
	visits int64   // 0 where they are not counted
	value  float64 // expected score in [0,1] for the side to move; NaN if unknown
	pv     []rules.Move
	proof  mcts.Proof // for the side to move
}

// thought is what a search has found. Values are for the side to move.
type thought struct {
	best    rules.Move
	lines   []line // the best first
	score   float64
	wdl     rules.WDL // zero if the engine knows only a score
	nodes   int64
	depth   int
	elapsed time.Duration
	proof   mcts.Proof // of the position, for the side to move
}

// worker serves the queue, one search at a time.
type worker struct {
	models     func(*rules.Variant) (Model, error)
	library    func(*rules.Variant) []Model
	nnue       func(*rules.Variant) alphabeta.Evaluator   // as Config.NNUE
	points     float64                                    // as Config.Points
	evaluators map[string]mcts.Evaluator                  // by the variant with its options, and the model's name
	tree       func(*rules.Variant, int) []mcts.Evaluator // as Config.Tree
	constants  mcts.Config                                // as Config.Search
	looks      map[string][]mcts.Evaluator                // of tree, by the variant with its options
	rng        *rand.Rand
}

// manyEvaluators are kept; when there are more all are forgotten.
const manyEvaluators = 16

// evaluator returns the worker's own evaluator of a model for v: that of the library by the name, or v's own with "".
func (w *worker) evaluator(v *rules.Variant, name string) (mcts.Evaluator, error) {
	key := v.String() + "\n" + name
	if e, ok := w.evaluators[key]; ok {
		return e, nil
	}
	m, err := w.model(v, name)
	if err != nil {
		return nil, err
	}
	e, err := m.NewEvaluator()
	if err != nil {
		return nil, err
	}
	if len(w.evaluators) >= manyEvaluators {
		clear(w.evaluators)
	}
	w.evaluators[key] = e
	return e, nil
}

// model returns the model of a name.
func (w *worker) model(v *rules.Variant, name string) (Model, error) {
	if name != "" {
		for _, m := range w.library(v) {
			if m.Name == name {
				return m, nil
			}
		}
		return Model{}, ErrNoModel
	}
	if w.models == nil {
		return Model{}, ErrNoModel
	}
	return w.models(v)
}

// play searches a move for an engine, within the limit.
func (w *worker) play(ctx context.Context, g *rules.Game, s seat, l strength.Level, limit time.Duration) (thought, error) {
	began := time.Now()
	clocked := limit != moveTime
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if s.Player == model {
		e, err := w.evaluator(g.Variant(), s.Model)
		if err != nil {
			return thought{}, err
		}
		config, budget, leaves := mcts.Config{Root: mcts.Gumbel, MaxNodes: treeNodes}, mcts.Budget{Simulations: l.Visits}, 1
		if l.Visits > fewVisits {
			leaves = manyLeaves
		}
		if clocked {
			// The rule of Gumbel must know its budget; this one may be stopped at any moment.
			config.Root = mcts.PUCT
			if l.Full {
				budget.Simulations = math.MaxInt32
			}
		}
		search := mcts.NewSearch(g.Variant(), config)
		t, err := runTree(ctx, search, e, g, budget, leaves, w.rng, nil)
		if err == nil && l.Temperature > 0 {
			t.best = g.Legal()[l.Choose(search.Result(), w.rng)]
		}
		return t, err
	}
	if s.Player == treeSearch {
		return w.playTree(ctx, g, l, clocked)
	}
	config := alphabeta.Config{TableBits: 18}
	limits := alphabeta.Limits{Depth: l.AlphaBeta(&config, w.rng.Uint64())}
	ab, err := w.depthFirst(g.Variant(), s.Player, config)
	if err != nil {
		return thought{}, err
	}
	if clocked && l.Full {
		limits = alphabeta.Limits{Time: limit - time.Since(began), Whole: true}
	}
	i, err := ab.Search(ctx, g, limits, nil)
	if len(i.PV) == 0 {
		return thought{}, err
	}
	return ab.thought(i, began), nil
}

// thought is what a search of the alpha-beta has found.
func (d depthFirst) thought(i alphabeta.Info, began time.Time) thought {
	score := d.expected(i.Score)
	return thought{
		best: i.PV[0], lines: []line{{move: i.PV[0], value: score, pv: i.PV}}, score: score,
		nodes: int64(i.Nodes), depth: i.Depth, elapsed: time.Since(began),
	}
}

// analyse searches until ctx is done or the bounds are reached, and reports what it has found from time to time and at
// the end.
func (w *worker) analyse(ctx context.Context, g *rules.Game, engine string, report func(thought)) error {
	ctx, cancel := context.WithTimeout(ctx, analysisTime)
	defer cancel()
	if engine == treeSearch {
		return w.analyseByTree(ctx, g, report)
	}
	if engine != model {
		return w.analyseByDepth(ctx, g, engine, report)
	}
	e, err := w.evaluator(g.Variant(), "")
	if err != nil {
		return err
	}
	search := mcts.NewSearch(g.Variant(), mcts.Config{Root: mcts.PUCT, MaxNodes: treeNodes})
	t, err := runTree(ctx, search, e, g, mcts.Budget{Simulations: analysisVisits}, manyLeaves, w.rng, report)
	if err != nil {
		return err
	}
	report(t)
	return nil
}

// runTree runs a tree search until it is done or ctx is. What it has found by then counts.
func runTree(ctx context.Context, s *mcts.Search, e mcts.Evaluator, g *rules.Game, b mcts.Budget, leaves int, rng *rand.Rand, report func(thought)) (thought, error) {
	began := time.Now()
	next := began.Add(reportEvery / 2) // the first report comes soon
	s.Start(g, b, rng)
	var batch []mcts.Leaf
	for !s.Done() && ctx.Err() == nil {
		if batch = s.Gather(batch[:0], leaves); len(batch) == 0 {
			continue
		}
		if err := e.Evaluate(context.Background(), batch); err != nil { // milliseconds: ctx ends the search, not the batch
			return thought{}, err
		}
		s.Backup(batch)
		if now := time.Now(); report != nil && now.After(next) {
			report(ofTree(s.Result(), began))
			next = now.Add(reportEvery)
		}
	}
	t := ofTree(s.Result(), began)
	if t.wdl == (rules.WDL{}) { // a single move is not searched, nor is anything known when ctx was done before
		leaf := leafOf(g)
		if err := e.Evaluate(context.Background(), leaf); err != nil {
			return thought{}, err
		}
		t.settle(leaf[0])
		t.wdl = leaf[0].Value
	}
	return t, nil
}

// leafOf returns the game's position as a leaf to evaluate.
func leafOf(g *rules.Game) []mcts.Leaf {
	n := len(g.Legal())
	return []mcts.Leaf{{
		Position: g.Position(), Moves: g.Legal(), Occurrences: g.Occurrences(), Priors: make([]float32, n), Values: make([]float32, n),
	}}
}

// settle makes t what an evaluation of the root alone says: its value, and the move that it would look at first.
func (t *thought) settle(leaf mcts.Leaf) {
	if len(t.lines) > 1 {
		t.best = leaf.Moves[slices.Index(leaf.Priors, slices.Max(leaf.Priors))]
	}
	t.score = float64(leaf.Value.Score())
	if len(t.lines) == 1 {
		t.lines[0].value = t.score
	}
}

// ofTree puts the result of a tree search into words.
func ofTree(r mcts.Result, began time.Time) thought {
	t := thought{
		wdl: r.Root, score: float64(r.Root.Score()), best: r.Moves[r.Best],
		nodes: int64(r.Simulations), depth: r.Depth, elapsed: time.Since(began),
	}
	for i, m := range r.Moves {
		l := line{move: m, visits: int64(r.Visits[i]), value: float64(r.Values[i])}
		if i == r.Best {
			l.pv = slices.Clone(r.PV)
		}
		t.lines = append(t.lines, l)
	}
	slices.SortStableFunc(t.lines, func(a, b line) int {
		switch {
		case (a.move == t.best) != (b.move == t.best):
			if a.move == t.best {
				return -1
			}
			return 1
		case a.visits != b.visits:
			return int(b.visits - a.visits)
		}
		return 0
	})
	return t
}

// analyseByDepth judges every move by an alpha-beta search, one depth after the other.
func (w *worker) analyseByDepth(ctx context.Context, g *rules.Game, engine string, report func(thought)) error {
	began := time.Now()
	ab, err := w.depthFirst(g.Variant(), engine, alphabeta.Config{TableBits: 18})
	if err != nil {
		return err
	}
	lines := make([]line, len(g.Legal()))
	for i, m := range g.Legal() {
		lines[i] = line{move: m, value: math.NaN()}
	}
	me := g.Position().Turn
	next := g.Clone()
	var nodes int64
	for depth := 1; depth <= analysisDepth; depth++ {
		found := slices.Clone(lines)
		for i, l := range lines {
			if err := next.Play(l.move); err != nil {
				return err
			}
			if o, _ := next.Outcome(); o != rules.Ongoing {
				found[i].value, found[i].pv = float64(o.WDL(me).Score()), []rules.Move{l.move}
			} else {
				info, err := ab.Search(ctx, next, alphabeta.Limits{Depth: depth}, nil)
				if ctx.Err() != nil {
					return nil // the depths before have been reported
				}
				if err != nil {
					return err
				}
				nodes += int64(info.Nodes)
				found[i].visits += int64(info.Nodes)
				found[i].value = 1 - ab.expected(info.Score)
				found[i].pv = append([]rules.Move{l.move}, info.PV...)
			}
			next.Undo()
		}
		slices.SortStableFunc(found, func(a, b line) int {
			switch {
			case a.value > b.value:
				return -1
			case a.value < b.value:
				return 1
			}
			return 0
		})
		lines = found
		report(thought{
			best: lines[0].move, lines: slices.Clone(lines), score: lines[0].value,
			nodes: nodes, depth: depth + 1, elapsed: time.Since(began),
		})
		if len(lines) == 1 && depth >= 12 {
			break
		}
	}
	return nil
}

// ErrNoModel is wrapped by the error of [Config.Models] for a variant that has no model.
var ErrNoModel = errors.New("no model for this variant")

// Model is a trained network for one variant.
type Model struct {
	Name         string
	NewEvaluator func() (mcts.Evaluator, error) // one for each worker
}
