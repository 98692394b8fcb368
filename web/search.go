package web

import (
	"context"
	"math"
	"runtime"
	"time"

	"damier/mcts"
	"damier/rules"
	"damier/strength"
)

// treeSearch is the engine that searches as a model does and judges by the NNUE: Config.Tree.
const treeSearch = "tree"

// mostNodes bounds a tree of it: some 260 MB.
const mostNodes = 1_000_000

// fullVisits is the budget of a search that only time and mostNodes end.
const fullVisits = math.MaxInt32

// hasTree reports whether there is a tree search over an NNUE for v.
func (s *Server) hasTree(v *rules.Variant) bool { return s.config.Tree != nil && s.hasNNUE(v) }

// analyst returns the engine that analyses v. Where the best plays by its NNUE it is a tree search over that, for which the
// visits and the worth of every move come with the search.
func (s *Server) analyst(v *rules.Variant) string {
	best := s.best(v)
	if best == trained && s.hasTree(v) {
		return treeSearch
	}
	return best
}

// treeEvaluators returns the worker's own evaluators of Config.Tree for v, one for each core.
func (w *worker) treeEvaluators(v *rules.Variant) ([]mcts.Evaluator, error) {
	if evs, ok := w.looks[v.String()]; ok {
		return evs, nil
	}
	if w.tree == nil {
		return nil, ErrNoModel
	}
	evs := w.tree(v, runtime.GOMAXPROCS(0))
	if len(evs) == 0 {
		return nil, ErrNoModel
	}
	if len(w.looks) >= manyEvaluators {
		clear(w.looks)
	}
	w.looks[v.String()] = evs
	return evs, nil
}

// playTree searches a move for the engine treeSearch. Where time alone ends the search it uses all cores.
func (w *worker) playTree(ctx context.Context, g *rules.Game, l strength.Level, clocked bool) (thought, error) {
	evs, err := w.treeEvaluators(g.Variant())
	if err != nil {
		return thought{}, err
	}
	c, budget := w.constants, mcts.Budget{Simulations: l.Visits}
	c.Root, c.MaxNodes, c.Reuse = l.Root(), mostNodes, false
	if clocked {
		c.Root = mcts.PUCT // which may be stopped at any moment
	}
	if clocked && l.Full {
		budget.Simulations = fullVisits
	} else {
		evs = evs[:1] // the same move every time
	}
	search := mcts.NewSearch(g.Variant(), c)
	t, err := runParallel(ctx, search, evs, g, budget, nil)
	if err == nil && l.Temperature > 0 && search.Result().Simulations > 0 {
		t.best = g.Legal()[l.Choose(search.Result(), w.rng)]
	}
	return t, err
}

// analyseByTree analyses by the engine treeSearch, on all cores.
func (w *worker) analyseByTree(ctx context.Context, g *rules.Game, report func(thought)) error {
	evs, err := w.treeEvaluators(g.Variant())
	if err != nil {
		return err
	}
	c := w.constants
	c.Root, c.MaxNodes, c.Reuse = mcts.PUCT, mostNodes, false
	t, err := runParallel(ctx, mcts.NewSearch(g.Variant(), c), evs, g, mcts.Budget{Simulations: fullVisits}, report)
	if err != nil {
		return err
	}
	report(t)
	return nil
}

// runParallel runs a tree search with all the evaluators at once until it is done or ctx is. What it has found by then
// counts.
func runParallel(ctx context.Context, s *mcts.Search, evs []mcts.Evaluator, g *rules.Game, b mcts.Budget, report func(thought)) (thought, error) {
	began := time.Now()
	next := began.Add(reportEvery / 2) // the first report comes soon
	calls := 0
	s.Start(g, b, nil)
	r, err := s.RunParallel(ctx, evs, 1, func() bool {
		if calls++; report == nil || calls%64 > 0 { // a look at the clock is no small part of a simulation
			return false
		}
		if now := time.Now(); now.After(next) {
			report(ofTreeSearch(s.Result(), began))
			next = now.Add(reportEvery)
		}
		return false
	})
	if err != nil && ctx.Err() == nil {
		return thought{}, err
	}
	t := ofTreeSearch(r, began)
	if r.Root == (rules.WDL{}) { // a single move is not searched, nor is anything known when ctx was done before
		leaf := leafOf(g)
		if err := evs[0].Evaluate(context.Background(), leaf); err != nil {
			return thought{}, err
		}
		t.settle(leaf[0])
	}
	return t, nil
}

// ofTreeSearch puts the result of a tree search over an NNUE into words. Such a network knows an expected score and nothing
// of draws, so no win, draw and loss are told.
func ofTreeSearch(r mcts.Result, began time.Time) thought {
	t := ofTree(r, began)
	t.wdl = rules.WDL{}
	t.proof = r.Proof
	for i := range t.lines {
		for j, m := range r.Moves {
			if m == t.lines[i].move {
				t.lines[i].proof = r.Proofs[j]
			}
		}
	}
	return t
}
