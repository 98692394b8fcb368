package board

import (
	"context"
	"time"

	"damier/engine"
	"damier/rules"
	"damier/web/searches"
)

// person is the Player of a seat that is not an engine.
const person = "person"

// Bounds on one search, because many boards share the workers.
const (
	clockedTime   = time.Minute // maximum for a move with a clock
	analysisTime  = 30 * time.Second
	analysisDepth = 20
	analysisLines = 64 // root moves whose score an alpha-beta analysis reports
	reportEvery   = 250 * time.Millisecond
)

// play searches for a move by the engine of a seat at its level, within a time limit.
func play(
	ctx context.Context, w *searches.Worker, g *rules.Game, s seat, limit time.Duration,
) (engine.Thought, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e, err := w.Engine(g.Variant(), s.Player, s.Model)
	if err != nil {
		return engine.Thought{}, err
	}
	if err := e.SetLevel(s.Level); err != nil {
		return engine.Thought{}, err
	}
	e.Seed(w.Rand.Uint64())
	var limits engine.Limits // zero: those of the level
	if clocked := limit != searches.MoveTime; clocked && engine.LevelOf(s.Level).Full {
		if err := e.SetOwn(engine.Limits{Time: limit}); err != nil {
			return engine.Thought{}, err
		}
		limits = engine.Limits{Time: max(limit-time.Since(began), 1), Whole: true}
	}
	return e.Think(ctx, g, limits, nil)
}

// analyse searches until ctx is done or the bounds are reached. It reports its results from time
// to time and at the end.
func analyse(
	ctx context.Context, w *searches.Worker, g *rules.Game, player string,
	report func(engine.Thought),
) error {
	ctx, cancel := context.WithTimeout(ctx, analysisTime)
	defer cancel()
	e, err := w.Engine(g.Variant(), player, "")
	if err != nil {
		return err
	}
	if err := e.Configure(engine.Options{Lines: analysisLines}); err != nil {
		return err
	}
	limits := engine.Limits{Infinite: true, Analyze: true}
	if e.Counts() != searches.Visits {
		limits.Depth = analysisDepth
		if len(g.Legal()) == 1 {
			limits.Depth = analysisDepth / 2
		}
	}
	found, err := e.Think(ctx, g, limits, report)
	if err == nil && len(found.Moves) > 0 {
		report(found)
	}
	return err
}

// evaluate searches a position with a fixed effort. When ctx is done early it returns without an
// error, so the caller must check ctx.
func evaluate(
	ctx context.Context, w *searches.Worker, g *rules.Game, player, network string, f effort,
) (engine.Thought, error) {
	if o, _ := g.Outcome(); o != rules.Ongoing {
		return engine.Thought{Expected: float64(o.WDL(g.Position().Turn).Score())}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, searches.MoveTime)
	defer cancel()
	e, err := w.Engine(g.Variant(), player, network)
	if err != nil {
		return engine.Thought{}, err
	}
	limits := engine.Limits{Depth: f.Depth, Analyze: true}
	if e.Counts() == searches.Visits {
		limits = engine.Limits{Nodes: int64(f.Visits), Analyze: true}
	}
	return e.Think(ctx, g, limits, nil)
}
