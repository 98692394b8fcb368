package engine

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"damier/alphabeta"
	"damier/rules"
)

// AlphaBetaConfig holds the settings of an [AlphaBeta].
type AlphaBetaConfig struct {
	Rated string // as [Engine.Rated]

	// Search holds the settings of the search. Search.Cores also limits Options.Cores.
	Search alphabeta.Config

	Own Limits // the limits used when a caller of Think gives none
}

// AlphaBeta is an Engine that uses alpha-beta search.
type AlphaBeta struct {
	variant *rules.Variant
	config  AlphaBetaConfig
	engine  *alphabeta.Engine
	version string // the version asked for; a level may search with another
	own     Limits
	level   int // 0 for none
	lines   int
}

// NewAlphaBeta returns an alpha-beta search for games of v.
func NewAlphaBeta(v *rules.Variant, c AlphaBetaConfig) (*AlphaBeta, error) {
	if c.Own.Unset() || c.Own.Infinite {
		return nil, fmt.Errorf("alphabeta: no limit; give depth, nodes or time")
	}
	if c.Own.Depth < 0 || c.Own.Depth > alphabeta.MaxDepth || c.Own.Time < 0 || c.Own.Nodes < 0 {
		return nil, fmt.Errorf("alphabeta: bad limit: depth %d is not in 1..%d, or time %s is negative", c.Own.Depth, alphabeta.MaxDepth, c.Own.Time)
	}
	a := &AlphaBeta{variant: v, config: c, version: c.Search.Version, own: c.Own, lines: 1}
	return a, a.make(c.Search)
}

// make makes a new search with an empty table.
func (a *AlphaBeta) make(c alphabeta.Config) error {
	e, err := alphabeta.New(a.variant, c)
	if err != nil {
		return err
	}
	a.engine, a.config.Search = e, c
	return nil
}

// Name implements [Engine].
func (a *AlphaBeta) Name() string { return a.engine.Name() }

// Variant implements [Engine].
func (a *AlphaBeta) Variant() *rules.Variant { return a.variant }

// Counts implements [Engine].
func (a *AlphaBeta) Counts() string { return "nodes" }

// Rated implements [Engine].
func (a *AlphaBeta) Rated() string { return a.config.Rated }

// NewGame implements [Engine].
func (a *AlphaBeta) NewGame() { a.engine.NewGame() }

// Seed seeds the choice among equal moves and the oversights.
func (a *AlphaBeta) Seed(seed uint64) { a.engine.Seed(seed) }

// Configure implements [Engine]. If the table size or the number of cores changes, it clears the
// table.
func (a *AlphaBeta) Configure(o Options) error {
	a.lines = cmp.Or(o.Lines, a.lines)
	c := a.config.Search
	c.TableBits = cmp.Or(o.TableBits, c.TableBits)
	c.Cores = cmp.Or(o.Cores, c.Cores)
	if cmp.Or(c.TableBits, DefaultTableBits) == cmp.Or(a.config.Search.TableBits, DefaultTableBits) && c.Cores == a.config.Search.Cores {
		return nil
	}
	return a.make(c)
}

// DefaultTableBits is the default size of the table: 16 MB.
const DefaultTableBits = 20

// Own implements [Engine].
func (a *AlphaBeta) Own() Limits { return a.own }

// SetOwn implements [Engine].
func (a *AlphaBeta) SetOwn(l Limits) error {
	if err := checkOwn(l, "depth, nodes"); err != nil {
		return err
	}
	if a.level > 0 {
		c := a.config.Search
		c.RandomTies, c.Oversight = 0, 0 // undo the settings of the level
		c.Version = a.version
		if err := a.make(c); err != nil {
			return err
		}
	}
	a.own, a.level = l, 0
	return nil
}

// SetLevel implements [Engine].
func (a *AlphaBeta) SetLevel(n int) error { return a.setLevel(n, rand.Uint64()) }

func (a *AlphaBeta) setLevel(n int, seed uint64) error {
	if n < 1 || n > Levels() {
		return fmt.Errorf("engine: level %d is not in 1..%d", n, Levels())
	}
	c := a.config.Search
	depth := LevelOf(n).AlphaBeta(&c, seed)
	if err := a.make(c); err != nil {
		return err
	}
	a.own, a.level = Limits{Depth: depth}, n
	return nil
}

// Think implements [Engine].
func (a *AlphaBeta) Think(ctx context.Context, g *rules.Game, l Limits, report func(Thought)) (Thought, error) {
	began := time.Now()
	var tell func(alphabeta.Info)
	if report != nil {
		tell = func(i alphabeta.Info) { report(a.thought(i, began)) }
	}
	a.engine.SetLines(a.lines)
	i, err := a.engine.Search(ctx, g, a.limits(l), tell)
	if err != nil && len(i.PV) == 0 {
		return Thought{}, err
	}
	return a.thought(i, began), nil // if it was stopped, the best move so far
}

// limits returns the limits of a search: those asked for, within the engine's own.
func (a *AlphaBeta) limits(l Limits) alphabeta.Limits {
	own := a.own
	if l.Infinite && (l.Analyze && a.level > 0) {
		own = Limits{} // a level does not limit analysis
	}
	limits := alphabeta.Limits{Depth: own.Depth, Nodes: uint64(own.Nodes), Time: own.Time, Whole: own.Whole, Best: l.Analyze}
	if l.Unset() && !l.Whole {
		return limits
	}
	limits.Depth = atMost(limits.Depth, l.Depth)
	limits.Nodes = atMost(limits.Nodes, uint64(l.Nodes))
	limits.Time, limits.Whole = l.Time, l.Whole // limits from a caller come from its own clock
	return limits
}

// atMost returns the smaller of two limits; 0 means no limit.
func atMost[N int | int64 | uint64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// thought converts a report of the search to a Thought.
func (a *AlphaBeta) thought(i alphabeta.Info, began time.Time) Thought {
	found := Thought{
		Move: i.PV[0], Line: i.PV, Expected: a.engine.Expected(i.Score), WinIn: winIn(i.Score),
		Depth: i.Depth, Nodes: int64(i.Nodes), Elapsed: max(i.Elapsed, 0),
	}
	if found.Elapsed == 0 {
		found.Elapsed = time.Since(began)
	}
	found.Moves = []Move{{Line: i.PV, Expected: found.Expected, WinIn: found.WinIn}}
	for _, l := range i.Others {
		found.Moves = append(found.Moves, Move{Line: l.PV, Expected: a.engine.Expected(l.Score), WinIn: winIn(l.Score)})
	}
	return found
}

// winIn returns the number of plies to the forced win that a score means, negative for a forced
// loss, 0 for neither.
func winIn(s alphabeta.Score) int {
	switch {
	case s > alphabeta.MateBound:
		return int(alphabeta.Mate - s)
	case s < -alphabeta.MateBound:
		return -int(alphabeta.Mate + s)
	}
	return 0
}

// NewBaseline returns the newest version of the baseline with a table of 2^tableBits entries. A
// search limited by time uses all cores.
func NewBaseline(v *rules.Variant, tableBits int) (*AlphaBeta, error) {
	return NewAlphaBeta(v, AlphaBetaConfig{
		Rated: "alphabeta", Search: alphabeta.Config{TableBits: tableBits, Cores: Cores()}, Own: Limits{Time: DefaultTime},
	})
}

// Settings returns the present settings of the search.
func (a *AlphaBeta) Settings() alphabeta.Config { return a.config.Search }
