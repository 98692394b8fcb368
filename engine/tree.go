package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"damier/mcts"
	"damier/rules"
)

// TreeConfig holds the settings of a [Tree].
type TreeConfig struct {
	Name string

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

// Rated implements [Engine]. The levels of a tree search were not measured.
func (t *Tree) Rated() string { return "" }

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

// Last returns the result of the last search; it is valid until the next one.
func (t *Tree) Last() mcts.Result { return t.result }
