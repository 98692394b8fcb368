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

// TreeConfig says how a [Tree] searches.
type TreeConfig struct {
	Name  string
	Rated string // as [Engine.Rated]

	// Evaluators judge positions, at least one. All are used at once where time ends the search, the
	// first alone where visits do.
	Evaluators []mcts.Evaluator

	// Search are the constants of the search. Root is the rule where no level says another.
	Search mcts.Config

	// KeepRoot keeps the rule of Search at every level.
	KeepRoot bool

	// Repeatable makes a search that visits end give the same move whatever was searched before: it
	// uses no part of the last tree.
	Repeatable bool

	// Tables are endgame tables that the search asks, nil for none.
	Tables mcts.Prober

	// Leaves are evaluated together where visits end the search, 1 when zero. More make the search
	// faster only with an evaluator that needs less for a leaf among others, and always worse.
	Leaves int

	Own Limits // the engine's own
}

// Tree is an Engine by tree search.
type Tree struct {
	variant *rules.Variant
	config  TreeConfig
	level   int // 0 for none
	cores   int
	own     Limits

	// search is for all searches, or where the engine is Repeatable for those that time ends, and
	// counted for those that visits end.
	search, counted *mcts.Search

	rng    *rand.Rand
	rate   float64 // visits per second under the Gumbel rule, a running mean; 0 before the first
	result mcts.Result
}

// mostVisits bounds a search that only time or the context ends.
const mostVisits = math.MaxInt32

// probeVisits measure the speed of the first search that time ends under the Gumbel rule.
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

// checkOwn returns an error for own limits that bind nothing.
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

// Seed seeds the noise at the root and the choices of a level.
func (t *Tree) Seed(seed uint64) { t.rng = rand.New(rand.NewPCG(seed, 0x4e6574776f726b)) }

// Configure implements [Engine]. A thought has all moves, so Lines changes nothing.
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
	}
	if err := t.run(ctx, g, l, began, report); err != nil {
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

// play makes another move than the best the move of the thought.
func (f *Thought) play(m rules.Move) {
	if m == f.Move {
		return
	}
	f.Move = m
	f.Line = []rules.Move{m}
}

// run searches until a limit or ctx ends it. What it has found is in t.result.
func (t *Tree) run(ctx context.Context, g *rules.Game, l Limits, began time.Time, report func(Thought)) error {
	visits := int64(mostVisits)
	if l.Nodes > 0 {
		visits = min(visits, l.Nodes)
	}
	if l.Depth > 0 {
		visits = min(visits, 1000*int64(l.Depth)) // a forced line may never be so long
	}
	counts := l.Nodes > 0 && l.Time == 0 && l.Depth == 0 && !l.Infinite
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

// runGumbel searches under a rule that must know its budget beforehand: time is turned into visits by
// the speed measured so far. The deadline is for the case that the speed was overestimated.
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
		return nil // another search would know less than the first
	}
	return t.measured(ctx, g, int64(budget), l, began, report)
}

// measured searches and measures the speed.
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
			return true // the timer may be late where all cores are busy
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
		// Stopped before anything was known: at least evaluate the position.
		s.Start(g, mcts.Budget{}, t.rng)
		_, err = s.Run(context.Background(), t.config.Evaluators[0], 1)
		t.result = s.Result()
	}
	return err
}

// reportEvery is the time between two reports.
const reportEvery = 250 * time.Millisecond

// sampler looks at the clock, which takes as long as a twentieth of a fast visit, as seldom as some
// 50 microseconds pass between two looks.
type sampler struct {
	last         time.Time // the last look
	every, calls int
}

// due looks at the clock if it is time to; last is then the present.
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

// stopWhen stops a search when ctx is done or, if limit is not zero, when that is over. It returns
// what must be called after the search, before the next begins.
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
			<-fired // or it would stop the next search
		}
		cancel()
	}
}

// rescue completes the thought of a position that was not searched because it has one move.
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

// thought returns the result as a Thought. Its slices belong to the caller.
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

// Last returns the result of the last search; it holds until the next.
func (t *Tree) Last() mcts.Result { return t.result }
