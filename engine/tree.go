package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"damier/mcts"
	"damier/rules"
)

// TreeConfig holds the settings of a [Tree].
type TreeConfig struct {
	Name  string
	Rated string // as [Engine.Rated]

	// Evaluators evaluate positions; there must be at least one. A search limited by time uses all
	// of them at once, a search limited by visits only the first.
	Evaluators []mcts.Evaluator

	// Search holds the constants of the search. Root is the rule used unless a level sets another.
	Search mcts.Config

	// KeepRoot keeps the rule of Search.Root at every level.
	KeepRoot bool

	// Repeatable makes the result of a search limited by visits independent of earlier searches:
	// it reuses no part of the last tree.
	Repeatable bool

	// Tables are endgame tables for the search; nil means none.
	Tables mcts.Prober

	// Leaves is the number of leaves evaluated together in a search limited by visits; zero means
	// 1. More leaves make the search worse, and make it faster only if the evaluator evaluates
	// several leaves faster than one by one.
	Leaves int

	Own Limits // the limits used when a caller of Think gives none
}

// Tree is an Engine that uses tree search.
type Tree struct {
	variant *rules.Variant
	config  TreeConfig
	level   int // 0 for none
	cores   int
	own     Limits

	// search is used for all searches. If the engine is Repeatable it serves only those limited by
	// time, and counted those limited by visits.
	search, counted *mcts.Search

	rng *rand.Rand
	// Visits per second under the Gumbel rule, as a running mean; 0 before the first search.
	rate   float64
	result mcts.Result
}

// mostVisits is the budget of a search that is limited only by time or the context.
const mostVisits = math.MaxInt32

// probeVisits is the number of visits that measure the speed before the first search limited by
// time under the Gumbel rule.
const probeVisits = 64

// NewTree returns a tree search for games of v.
func NewTree(v *rules.Variant, c TreeConfig) (*Tree, error) {
	if len(c.Evaluators) == 0 {
		panic("engine: a tree search needs an evaluator")
	}
	if c.Leaves < 0 {
		return nil, fmt.Errorf("engine: %d leaves together", c.Leaves)
	}
	if err := c.Search.Validate(); err != nil {
		return nil, err
	}
	t := &Tree{variant: v, config: c, cores: len(c.Evaluators), own: c.Own}
	if err := checkOwn(c.Own, "visits"); err != nil {
		return nil, err
	}
	t.Seed(0)
	t.makeSearches()
	return t, nil
}

// checkOwn returns an error for own limits that limit nothing.
func checkOwn(l Limits, counts string) error {
	switch {
	case l.Depth < 0 || l.Nodes < 0 || l.Time < 0:
		return errors.New("engine: a limit is negative")
	case l.Unset():
		return fmt.Errorf("engine: no limit; give %s or time above 0", counts)
	}
	return nil
}

func (t *Tree) makeSearches() {
	c := t.config.Search
	if t.level > 0 && !t.config.KeepRoot {
		c.Root = LevelOf(t.level).Root()
	}
	t.search = mcts.NewSearch(t.variant, c)
	t.counted = t.search
	if t.config.Repeatable {
		timed := t.config.Search
		t.search = mcts.NewSearch(t.variant, timed)
		c.Reuse = false
		t.counted = mcts.NewSearch(t.variant, c)
		t.counted.SetTables(t.config.Tables)
	}
	t.search.SetTables(t.config.Tables)
}

// Name implements [Engine].
func (t *Tree) Name() string { return t.config.Name }

// Variant implements [Engine].
func (t *Tree) Variant() *rules.Variant { return t.variant }

// Counts implements [Engine].
func (t *Tree) Counts() string { return "visits" }

// Rated implements [Engine].
func (t *Tree) Rated() string { return t.config.Rated }

// NewGame forgets the tree of the last game.
func (t *Tree) NewGame() {
	t.search.Forget()
	t.counted.Forget()
}

// Seed seeds the noise at the root and the random choices of a level.
func (t *Tree) Seed(seed uint64) { t.rng = rand.New(rand.NewPCG(seed, 0x4e6574776f726b)) }

// Configure implements [Engine]. A thought always has all moves, so Lines has no effect.
func (t *Tree) Configure(o Options) error {
	if o.Cores > 0 {
		t.cores = min(o.Cores, len(t.config.Evaluators))
	}
	if o.Leaves > 0 {
		t.config.Leaves = o.Leaves
	}
	return nil
}

// Own implements [Engine].
func (t *Tree) Own() Limits { return t.own }

// SetOwn implements [Engine].
func (t *Tree) SetOwn(l Limits) error {
	if err := checkOwn(l, t.Counts()); err != nil {
		return err
	}
	t.own = l
	if t.level > 0 {
		t.level = 0
		t.makeSearches()
	}
	return nil
}

// SetLevel implements [Engine].
func (t *Tree) SetLevel(n int) error {
	if n < 1 || n > Levels() {
		return fmt.Errorf("engine: level %d is not in 1..%d", n, Levels())
	}
	t.level = n
	t.own = Limits{Nodes: int64(LevelOf(n).Visits)}
	t.makeSearches()
	return nil
}

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

// sampler limits the look-ups of the clock to one in some 50 microseconds, because a look-up takes
// a twentieth of a fast visit.
type sampler struct {
	last         time.Time // the last look-up
	every, calls int
}

// due looks up the time if enough calls have passed. If it returns true, s.last is the present
// time.
func (s *sampler) due() bool {
	if s.calls++; s.calls < s.every {
		return false
	}
	now := time.Now()
	switch passed := now.Sub(s.last); {
	case passed < 25*time.Microsecond:
		s.every = min(2*max(s.every, 1), 64)
	case passed > 100*time.Microsecond:
		s.every /= 2
	}
	s.last = now
	s.calls = 0
	return true
}

// stopWhen stops the search when ctx is done or, if limit is not zero, when the limit is over. The
// caller must call disarm after the search and before the next one.
func stopWhen(ctx context.Context, began time.Time, limit time.Duration, s *mcts.Search) (disarm func()) {
	cancel := func() {}
	if limit > 0 {
		ctx, cancel = context.WithDeadline(ctx, began.Add(limit))
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		s.Stop()
		close(fired)
	})
	return func() {
		if !stop() {
			<-fired // otherwise it could stop the next search
		}
		cancel()
	}
}

// rescue completes the thought for a position that was not searched because it has one legal move.
func (t *Tree) rescue(g *rules.Game, found *Thought) error {
	if t.result.Root != (rules.WDL{}) {
		return nil
	}
	n := len(g.Legal())
	leaf := []mcts.Leaf{{
		Position: g.Position(), Moves: g.Legal(), Occurrences: g.Occurrences(),
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
		Move: r.Moves[r.Best], Line: slices.Clone(r.PV), Expected: float64(r.Root.Score()), Draw: float64(r.Root.Draw),
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

// Last returns the result of the last search; it is valid until the next one.
func (t *Tree) Last() mcts.Result { return t.result }
