package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"damier/mcts"
	"damier/rules"
)

// mostVisits is the budget of a search that is limited only by time or the context.
const mostVisits = math.MaxInt32

// probeVisits is the number of visits that measure the speed before the first search limited by
// time under the Gumbel rule.
const probeVisits = 64

// Think implements [Engine].
func (t *Tree) Think(ctx context.Context, g *rules.Game, l Limits, report func(Thought)) (Thought, error) {
	began := time.Now()
	level := 0
	if l.Unset() {
		analyze := l.Analyze
		l = t.own
		l.Analyze = analyze
		level = t.level
	} else if t.level > 0 && !l.Analyze && !LevelOf(t.level).Full {
		level = t.level
		l.Nodes, l.Infinite = atMost(int64(LevelOf(level).Visits), l.Nodes), false
	}
	if err := t.run(ctx, g, l, level, began, report); err != nil {
		return Thought{}, err
	}
	found := t.thought(began)
	if err := t.rescue(g, &found); err != nil {
		return Thought{}, err
	}
	if level > 0 && !l.Analyze && t.result.Raw != (rules.WDL{}) {
		found.play(t.result.Moves[LevelOf(level).Choose(t.result, t.rng)])
	}
	if report != nil {
		report(found)
	}
	return found, nil
}

// play makes m, which may differ from the best move, the move of the thought.
func (f *Thought) play(m rules.Move) {
	if m == f.Move {
		return
	}
	f.Move = m
	f.Line = []rules.Move{m}
}

// run searches until a limit or ctx ends the search. The result is in t.result. At a level above 0
// the visits are those of the level, and a clock can only end the search before them.
func (t *Tree) run(ctx context.Context, g *rules.Game, l Limits, level int, began time.Time, report func(Thought)) error {
	visits := int64(mostVisits)
	if l.Nodes > 0 {
		visits = min(visits, l.Nodes)
	}
	if l.Depth > 0 {
		visits = min(visits, 1000*int64(l.Depth)) // a forced line may never reach the depth
	}
	counts := l.Nodes > 0 && (l.Time == 0 || level > 0) && l.Depth == 0 && !l.Infinite
	if counts || len(g.Legal()) == 1 {
		return t.searchOnce(ctx, t.counted, 1, max(t.config.Leaves, 1), g, visits, l, began, report)
	}
	rule := t.config.Search.Root
	if t.level > 0 && !t.config.KeepRoot && !t.config.Repeatable {
		rule = LevelOf(t.level).Root()
	}
	if l.Time > 0 && rule != mcts.PUCT {
		return t.runGumbel(ctx, g, visits, l, began, report)
	}
	return t.searchOnce(ctx, t.search, t.cores, max(t.config.Leaves, 1), g, visits, l, began, report)
}

// runGumbel searches under a rule that needs its budget in advance: it converts time to visits by
// the speed measured so far. The deadline still applies, in case the speed was overestimated.
func (t *Tree) runGumbel(ctx context.Context, g *rules.Game, most int64, l Limits, began time.Time, report func(Thought)) error {
	fresh := t.rate == 0
	if fresh {
		if err := t.measured(ctx, g, min(probeVisits, most), l, began, report); err != nil {
			return err
		}
		if most <= probeVisits || time.Since(began) >= l.Time || ctx.Err() != nil {
			return nil
		}
	}
	left := max(l.Time-time.Since(began), 0)
	budget := max(1, min(t.rate*left.Seconds()*0.95, float64(most)))
	if fresh && int(budget) <= t.result.Simulations && !t.config.Search.Reuse {
		return nil // another search would have fewer visits than the first
	}
	return t.measured(ctx, g, int64(budget), l, began, report)
}

// measured searches and updates the measured speed.
func (t *Tree) measured(ctx context.Context, g *rules.Game, visits int64, l Limits, began time.Time, report func(Thought)) error {
	start := time.Now()
	if err := t.searchOnce(ctx, t.search, t.cores, max(t.config.Leaves, 1), g, visits, l, began, report); err != nil {
		return err
	}
	if elapsed := time.Since(start).Seconds(); t.result.Simulations >= probeVisits/2 && elapsed > 0 {
		rate := float64(t.result.Simulations) / elapsed
		if t.rate == 0 {
			t.rate = rate
		}
		t.rate += 0.3 * (rate - t.rate)
	}
	return nil
}

// searchOnce runs one search.
func (t *Tree) searchOnce(ctx context.Context, s *mcts.Search, cores, leaves int, g *rules.Game, visits int64, l Limits, began time.Time, report func(Thought)) error {
	s.Start(g, mcts.Budget{Simulations: int(visits)}, t.rng)
	pace := mcts.Pace{Began: began, Should: l.Time, Must: l.Time}
	clocked := l.Time > 0 && !l.Whole
	if at, ok := ctx.Deadline(); ok && clocked {
		pace.Must = max(at.Sub(began), l.Time)
	}
	defer stopWhen(ctx, began, pace.Must, s)()
	clock := sampler{last: began}
	next := began.Add(reportEvery / 2)
	asked := 0
	_, err := s.RunParallel(context.Background(), t.config.Evaluators[:cores], leaves, func() (enough bool) {
		if asked++; l.Depth > 0 && asked%16 == 0 && len(s.Result().PV) >= l.Depth {
			return true
		}
		if report == nil && l.Time == 0 || !clock.due() {
			return false
		}
		switch {
		case clocked && pace.Over(s, clock.last):
			return true
		case l.Time > 0 && !clocked && clock.last.Sub(began) >= l.Time:
			return true // the timer may be late if all cores are busy
		}
		if report != nil && clock.last.After(next) {
			t.result = s.Result()
			report(t.thought(began))
			next = clock.last.Add(reportEvery)
		}
		return false
	})
	t.result = s.Result()
	if err == nil && t.result.Raw == (rules.WDL{}) && len(t.result.Moves) > 1 {
		// Stopped before the root was evaluated: evaluate it now.
		s.Start(g, mcts.Budget{}, t.rng)
		_, err = s.Run(context.Background(), t.config.Evaluators[0], 1)
		t.result = s.Result()
	}
	return err
}

// reportEvery is the time between two calls of report.
const reportEvery = 250 * time.Millisecond

// rescue completes the thought for a position that was not searched because it has one legal move.
func (t *Tree) rescue(g *rules.Game, found *Thought) error {
	if t.result.Root != (rules.WDL{}) {
		return nil
	}
	n := len(g.Legal())
	leaf := []mcts.Leaf{{
		Position: g.Position(), Moves: g.Legal(),
		Priors: make([]float32, n), Values: make([]float32, n),
	}}
	if err := t.config.Evaluators[0].Evaluate(context.Background(), leaf); err != nil {
		return err
	}
	found.Forced = true
	found.Expected = float64(leaf[0].Value.Score())
	if len(found.Moves) == 1 {
		found.Moves[0].Expected = found.Expected
	}
	return nil
}

// thought converts the result to a Thought. Its slices belong to the caller.
func (t *Tree) thought(began time.Time) Thought {
	r := t.result
	found := Thought{
		Move: r.Moves[r.Best], Line: slices.Clone(r.PV), Expected: float64(r.Root.Score()),
		Depth: r.Depth, Nodes: int64(r.Simulations), Elapsed: time.Since(began), Proof: r.Proof,
	}
	for i, m := range r.Moves {
		x := Move{
			Line: []rules.Move{m}, Expected: float64(r.Values[i]), Visits: int64(r.Visits[i]), Proof: r.Proofs[i],
		}
		if i == r.Best {
			x.Line = found.Line
		}
		found.Moves = append(found.Moves, x)
	}
	sortMoves(found.Moves, found.Move)
	return found
}
