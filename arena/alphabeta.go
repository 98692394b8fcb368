package arena

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"damier/alphabeta"
	"damier/rules"
)

// AlphaBeta is the alpha-beta baseline as a Player.
type AlphaBeta struct {
	engine *alphabeta.Engine
	cores  int
	tables bool // it asks endgame tables
	limits alphabeta.Limits
	last   alphabeta.Info
}

// NewAlphaBeta returns a player that searches every move within the limits, of which one at least must be
// set. Time that is left of a move is of no use later: it searches to the end of it.
func NewAlphaBeta(v *rules.Variant, c alphabeta.Config, l alphabeta.Limits) (*AlphaBeta, error) {
	if l == (alphabeta.Limits{}) {
		return nil, fmt.Errorf("alphabeta: no limit; give depth, nodes or time")
	}
	if l.Depth < 0 || l.Depth > alphabeta.MaxDepth || l.Time < 0 {
		return nil, fmt.Errorf("alphabeta: bad limit: depth %d is not in 1..%d, or time %s is negative", l.Depth, alphabeta.MaxDepth, l.Time)
	}
	e, err := alphabeta.New(v, c)
	if err != nil {
		return nil, err
	}
	l.Whole = l.Time > 0
	return &AlphaBeta{engine: e, cores: c.Cores, tables: c.Tables != nil, limits: l}, nil
}

// Name returns the engine's version with the limits, such as "alphabeta-1:depth=6".
func (a *AlphaBeta) Name() string {
	var parts []string
	if a.limits.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth=%d", a.limits.Depth))
	}
	if a.limits.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("nodes=%d", a.limits.Nodes))
	}
	if a.limits.Time > 0 {
		parts = append(parts, fmt.Sprintf("time=%s", a.limits.Time))
	}
	if a.cores > 1 {
		parts = append(parts, fmt.Sprintf("cores=%d", a.cores))
	}
	if a.tables {
		parts = append(parts, "egdb=on")
	}
	return a.engine.Name() + ":" + strings.Join(parts, ",")
}

// NewGame forgets what was searched.
func (a *AlphaBeta) NewGame() {
	a.engine.NewGame()
	a.last = alphabeta.Info{}
}

// Seed seeds the choice among equal moves, if the engine makes one.
func (a *AlphaBeta) Seed(seed uint64) { a.engine.Seed(seed) }

// MoveTime returns the limit of time.
func (a *AlphaBeta) MoveTime() time.Duration { return a.limits.Time }

// SetLimits limits the next moves by time alone, as a match by the clock does; the depth and nodes asked for
// stay, and what a move does not need is left for later ones. The visits mean nothing here.
func (a *AlphaBeta) SetLimits(_ int, limit time.Duration) {
	a.limits.Time, a.limits.Whole = limit, false
}

// Expectation returns the score in [0,1] that the last search expected, by a curve on which a man more gives
// 70 %: 1/(1+exp(-score/118)), the score in hundredths of a man.
func (a *AlphaBeta) Expectation() (float64, bool) {
	if len(a.last.PV) == 0 {
		return 0, false
	}
	return 1 / (1 + math.Exp(-float64(a.last.Score)/118)), true
}

// Play returns the move the engine found.
func (a *AlphaBeta) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	info, err := a.engine.Search(ctx, g, a.limits, nil)
	if err != nil {
		return rules.Move{}, err
	}
	a.last = info
	return info.PV[0], nil
}

// Last returns the report of the last search.
func (a *AlphaBeta) Last() alphabeta.Info { return a.last }
