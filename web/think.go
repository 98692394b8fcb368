package web

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"damier/engine"
	"damier/rules"
)

// Who can sit at a board. Tree search and NNUE (the alpha-beta search) judge by a trained network, the
// alpha-beta by an evaluation made by hand.
const (
	person     = "person"
	treeSearch = "tree"
	trained    = "nnue"
	alphaBeta  = "alphabeta"
)

// Bounds on one search, whoever asks: a board is one of many.
const (
	moveTime      = 10 * time.Second // for a move, whatever its level
	clockedTime   = time.Minute      // for a move, whatever the clock
	analysisTime  = 30 * time.Second
	analysisDepth = 20
	analysisLines = 64 // moves of which an alpha-beta analysis tells the score
	reportEvery   = 250 * time.Millisecond
)

// TableBits is the size of the table of an alpha-beta search at a board, 4 MB. MaxNodes bounds the tree
// of a tree search: some 260 MB.
const (
	TableBits = 18
	MaxNodes  = 1_000_000
)

// ErrNoNetwork is wrapped by the error of [Config.Open] for a variant that has no network.
var ErrNoNetwork = errors.New("no network for this variant")

// worker serves the queue, one search at a time.
type worker struct {
	open func(v *rules.Variant, player, network string) (engine.Engine, error) // as Config.Open; may be nil
	rng  *rand.Rand
}

// engine makes the engine of a player: a search of a board leaves nothing behind.
func (w *worker) engine(v *rules.Variant, player, network string) (engine.Engine, error) {
	if player == alphaBeta {
		return engine.NewBaseline(v, TableBits)
	}
	if w.open == nil {
		return nil, ErrNoNetwork
	}
	return w.open(v, player, network)
}

// play searches a move for an engine at its level, within the limit.
func (w *worker) play(ctx context.Context, g *rules.Game, s seat, limit time.Duration) (engine.Thought, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	e, err := w.engine(g.Variant(), s.Player, s.Model)
	if err != nil {
		return engine.Thought{}, err
	}
	if err := e.SetLevel(s.Level); err != nil {
		return engine.Thought{}, err
	}
	e.Seed(w.rng.Uint64())
	var limits engine.Limits // those of the level
	if clocked := limit != moveTime; clocked && engine.LevelOf(s.Level).Full {
		if err := e.SetOwn(engine.Limits{Time: limit}); err != nil {
			return engine.Thought{}, err
		}
		limits = engine.Limits{Time: max(limit-time.Since(began), 1), Whole: true}
	}
	return e.Think(ctx, g, limits, nil)
}

// analyse searches until ctx is done or the bounds are reached, and reports what it has found from time
// to time and at the end.
func (w *worker) analyse(ctx context.Context, g *rules.Game, player string, report func(engine.Thought)) error {
	ctx, cancel := context.WithTimeout(ctx, analysisTime)
	defer cancel()
	e, err := w.engine(g.Variant(), player, "")
	if err != nil {
		return err
	}
	if err := e.Configure(engine.Options{Lines: analysisLines}); err != nil {
		return err
	}
	limits := engine.Limits{Infinite: true, Analyze: true}
	if e.Counts() != visits {
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

// visits is what tree searches count.
const visits = "visits"

// judge searches a position with a set effort. An error of ctx's end is none: the caller asks ctx.
func (w *worker) judge(ctx context.Context, g *rules.Game, player, network string, f effort) (engine.Thought, error) {
	if o, _ := g.Outcome(); o != rules.Ongoing {
		return engine.Thought{Expected: float64(o.WDL(g.Position().Turn).Score())}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, moveTime)
	defer cancel()
	e, err := w.engine(g.Variant(), player, network)
	if err != nil {
		return engine.Thought{}, err
	}
	limits := engine.Limits{Depth: f.Depth, Analyze: true}
	if e.Counts() == visits {
		limits = engine.Limits{Nodes: int64(f.Visits), Analyze: true}
	}
	return e.Think(ctx, g, limits, nil)
}

// hasNetwork reports whether a trained network plays v.
func (s *Server) hasNetwork(v *rules.Variant) bool {
	if s.config.Network == nil {
		return false
	}
	_, ok := s.config.Network(v)
	return ok
}

// ownNetwork returns the name of the network of v if it does not come with the program, else "".
func (s *Server) ownNetwork(v *rules.Variant) string {
	if s.config.Network == nil {
		return ""
	}
	name, _ := s.config.Network(v)
	return name
}

// library returns the names of the networks that can be chosen for v besides its own.
func (s *Server) library(v *rules.Variant) []string {
	if s.config.Library == nil {
		return nil
	}
	return s.config.Library(v)
}

// best returns the engine that plays v where nobody has chosen, and reviews games: the stronger search
// over the network of the variant.
func (s *Server) best(v *rules.Variant) string {
	switch {
	case !s.hasNetwork(v):
		return alphaBeta
	case v.Tuning().Search == rules.AlphaBetaSearch:
		return trained
	}
	return treeSearch
}

// analyst returns the engine that analyses v: a tree search where there is a network, for it has the
// visits and the worth of every move.
func (s *Server) analyst(v *rules.Variant) string {
	if s.hasNetwork(v) {
		return treeSearch
	}
	return alphaBeta
}
