package player

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"damier/internal/simd"
	"damier/mcts"
	"damier/net"
	"damier/rules"
	"damier/strength"
)

// Config says how a Network searches. One of Visits and Time must be set; with both the search ends at the
// first.
type Config struct {
	Name   string        // in results; "network" when empty
	Visits int           // simulations per move
	Time   time.Duration // per move

	// Leaves is how many leaves are evaluated together, 1 when zero. More are found with virtual loss and
	// make the search worse; faster only where an evaluator needs less for a leaf among others, see
	// [LeavesFor]. Leave it at 1 with a Batcher, which fills its blocks from many games.
	Leaves int

	// Cache, if not nil, keeps evaluations of the network for all players of it. What they find is the same
	// with it and without.
	Cache *mcts.Cache

	// Noise is the randomness of the choice at the root, mcts.Budget.Noise. With 0, the default, a Network
	// always plays alike when its limit is Visits.
	Noise float64

	// Level, if not 0, is one of package strength: the visits are its own, and it chooses among the moves.
	Level int

	Search mcts.Config // constants of the search

	Tables mcts.Prober // endgame tables, or nil
}

// Network is a player that searches with an evaluator, or with several. It belongs to one goroutine.
type Network struct {
	variant    *rules.Variant
	config     Config
	evaluators []mcts.Evaluator // all but the first for searches that time ends
	batcher    thinker          // or nil
	search     *mcts.Search
	rng        *rand.Rand
	rate       float64 // simulations per second, a running mean; 0 before the first search with Time
	result     mcts.Result
}

// probe is how many simulations measure the speed at first.
const probe = 64

// most bounds the simulations of a search that only time limits.
const most = 1 << 22

// New returns a player of games of v that evaluates with ev, which stays the caller's: several players may
// share a Batcher.
func New(v *rules.Variant, ev mcts.Evaluator, c Config) (*Network, error) {
	return NewParallel(v, []mcts.Evaluator{ev}, c)
}

// NewParallel returns a player whose searches use all the evaluators at once, each on a goroutine of its own, when
// its limit is Time. When that is Visits alone it uses the first, and always plays alike.
func NewParallel(v *rules.Variant, evs []mcts.Evaluator, c Config) (*Network, error) {
	if len(evs) == 0 {
		panic("player: a network needs an evaluator")
	}
	if c.Level < 0 || c.Level > strength.Count() {
		return nil, fmt.Errorf("player: level %d is not in 1..%d", c.Level, strength.Count())
	}
	if c.Level > 0 {
		c.Visits = strength.Of(c.Level).Visits
	}
	if c.Visits < 0 || c.Time < 0 || c.Visits == 0 && c.Time == 0 {
		return nil, errors.New("player: a network needs a limit of visits or time above 0")
	}
	if c.Leaves < 0 {
		return nil, fmt.Errorf("player: %d leaves together", c.Leaves)
	}
	if c.Leaves == 0 {
		c.Leaves = 1
	}
	if c.Name == "" {
		c.Name = "network"
	}
	if err := c.Search.Validate(); err != nil {
		return nil, err
	}
	n := &Network{variant: v, config: c, search: mcts.NewSearch(v, c.Search)}
	if c.Tables != nil {
		n.search.SetTables(c.Tables)
	}
	n.batcher, _ = evs[0].(thinker)
	for _, ev := range evs {
		if c.Cache != nil {
			ev = &mcts.Cached{Evaluator: ev, Cache: c.Cache}
		}
		n.evaluators = append(n.evaluators, ev)
	}
	n.Seed(0)
	return n, nil
}

// Name returns the name with the limit, such as "gen-000012:visits=200".
func (n *Network) Name() string {
	var limits []string
	switch {
	case n.config.Level > 0:
		limits = append(limits, fmt.Sprintf("level=%d", n.config.Level))
	case n.config.Visits > 0:
		limits = append(limits, fmt.Sprintf("visits=%d", n.config.Visits))
	}
	if n.config.Time > 0 {
		limits = append(limits, "time="+n.config.Time.String())
	}
	return n.config.Name + ":" + strings.Join(limits, ",")
}

// NewGame forgets the tree of the last game.
func (n *Network) NewGame() {
	n.search.Forget()
}

// Seed seeds the randomness of the root.
func (n *Network) Seed(seed uint64) { n.rng = rand.New(rand.NewPCG(seed, 0x4e6574776f726b)) }

// MoveTime returns the limit of time, 0 for none.
func (n *Network) MoveTime() time.Duration { return n.config.Time }

// SetLimits changes the limits from the next move on; one of the two must be above 0.
func (n *Network) SetLimits(visits int, limit time.Duration) {
	if visits <= 0 && limit <= 0 {
		panic("player: no limit")
	}
	n.config.Visits, n.config.Time = visits, limit
}

// Play returns the move the search chooses.
func (n *Network) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	r, err := n.Think(ctx, g)
	if err != nil {
		return rules.Move{}, err
	}
	if n.config.Level > 0 {
		return r.Moves[strength.Of(n.config.Level).Choose(r, n.rng)], nil
	}
	return r.Moves[r.Best], nil
}

// Think searches the game's position, which must not be over. The result holds until the next call.
func (n *Network) Think(ctx context.Context, g *rules.Game) (mcts.Result, error) {
	if err := ctx.Err(); err != nil {
		return mcts.Result{}, err
	}
	if n.batcher != nil {
		n.batcher.Begin()
		defer n.batcher.End()
	}
	c := n.config
	if c.Time <= 0 || len(g.Legal()) == 1 {
		n.search.Start(g, mcts.Budget{Simulations: c.Visits, Noise: c.Noise}, n.rng)
		return n.run(ctx, 1)
	}
	if c.Search.Root == mcts.PUCT {
		return n.until(ctx, g, time.Now().Add(c.Time))
	}
	// The Gumbel rule must know its budget beforehand, so time is turned into simulations by the
	// speed measured so far; the timer is for the case that it was thought too high.
	deadline := time.Now().Add(c.Time)
	fresh := n.rate == 0
	if fresh {
		r, err := n.timed(ctx, g, min(probe, limit(c.Visits)), deadline)
		if err != nil || c.Visits > 0 && c.Visits <= probe || time.Until(deadline) <= 0 {
			return r, err
		}
	}
	left := max(time.Until(deadline), 0)
	budget := int(max(1, min(n.rate*left.Seconds()*0.95, float64(limit(c.Visits)))))
	if fresh && budget <= n.result.Simulations && !c.Search.Reuse {
		return n.result, nil // another search would know less than the first
	}
	return n.timed(ctx, g, budget, deadline)
}

// until searches until the deadline, and until the root is evaluated in any case.
func (n *Network) until(ctx context.Context, g *rules.Game, deadline time.Time) (mcts.Result, error) {
	n.search.Start(g, mcts.Budget{Simulations: limit(n.config.Visits), Noise: n.config.Noise}, n.rng)
	w := watch{deadline: deadline, last: time.Now()}
	r, err := n.search.RunParallel(ctx, n.evaluators, n.config.Leaves, w.over)
	n.result = r
	return r, err
}

// watch tells when time is over. To look at the clock takes as long as a twentieth of a fast simulation, so it
// looks as often as it takes for some 50 microseconds to pass between two looks.
type watch struct {
	deadline, last time.Time
	every, calls   int
}

// over reports whether time is over.
func (w *watch) over() bool {
	if w.calls++; w.calls < w.every {
		return false
	}
	now := time.Now()
	switch passed := now.Sub(w.last); {
	case passed < 25*time.Microsecond:
		w.every = min(2*max(w.every, 1), 64)
	case passed > 100*time.Microsecond:
		w.every /= 2
	}
	w.last, w.calls = now, 0
	return !now.Before(w.deadline)
}

// thinker is an evaluator that wants to know who is about to use it: a Batcher.
type thinker interface {
	Begin()
	End()
}

func limit(visits int) int {
	if visits > 0 {
		return visits
	}
	return most
}

// timed searches until the deadline at the latest, and measures the speed. The root is evaluated in any
// case: without that there would be nothing to choose by.
func (n *Network) timed(ctx context.Context, g *rules.Game, simulations int, deadline time.Time) (mcts.Result, error) {
	n.search.Start(g, mcts.Budget{Simulations: simulations, Noise: n.config.Noise}, n.rng)
	began := time.Now()
	fired := make(chan struct{})
	timer := time.AfterFunc(time.Until(deadline), func() {
		n.search.Stop()
		close(fired)
	})
	r, err := n.run(ctx, len(n.evaluators))
	if !timer.Stop() {
		<-fired // or it would stop the next search
	}
	if err == nil && r.Raw == (rules.WDL{}) {
		n.search.Start(g, mcts.Budget{Noise: n.config.Noise}, n.rng)
		return n.run(ctx, 1)
	}
	if elapsed := time.Since(began).Seconds(); r.Simulations >= probe/2 && elapsed > 0 {
		rate := float64(r.Simulations) / elapsed
		if n.rate == 0 {
			n.rate = rate
		}
		n.rate += 0.3 * (rate - n.rate)
	}
	return r, err
}

func (n *Network) run(ctx context.Context, evaluators int) (mcts.Result, error) {
	r, err := n.search.RunParallel(ctx, n.evaluators[:evaluators], n.config.Leaves, nil)
	n.result = r
	return r, err
}

// Last returns the result of the last search; it holds until the next.
func (n *Network) Last() mcts.Result { return n.result }

// Expectation returns the score in [0,1] that the last search expected at its root, and false before the first.
func (n *Network) Expectation() (float64, bool) {
	if n.result.Root == (rules.WDL{}) {
		return 0, false
	}
	return float64(n.result.Root.Score()), true
}

// Label returns a short name for the model in a file: the file's, without folder and extension, or of a run's model.nnue, of
// which every run has one, the run's.
func Label(file string) string {
	name := filepath.Base(file)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	if run := filepath.Base(filepath.Dir(file)); name == "model" && run != "." && run != string(filepath.Separator) {
		return run
	}
	return name
}

// LeavesFor returns how many leaves a search that time ends should evaluate together with m. A lattice needs as
// much for each leaf of a few as for one alone, and one alone is the best search. What an MLP does is to read its
// weights, once for all leaves.
func LeavesFor(m *net.Model) int {
	if m.Config.Resolve().Arch == net.MLP {
		return 8
	}
	return 1
}

// Evaluators returns n evaluators of m on the best level of the machine, in the precision that p is for it; see
// net.Precision.For.
func Evaluators(m *net.Model, p net.Precision, n int) ([]mcts.Evaluator, error) {
	made, err := net.NewEvaluators(m, simd.Best(), p, n)
	if err != nil {
		return nil, err
	}
	var es []mcts.Evaluator
	for _, e := range made {
		es = append(es, e)
	}
	return es, nil
}
