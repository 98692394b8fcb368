package engine

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
)

// Engine thinks about positions of one variant. It belongs to one goroutine.
type Engine interface {
	// Name is what results and protocols call the engine, without its limits.
	Name() string

	// Variant returns the rules that the engine plays by.
	Variant() *rules.Variant

	// Counts says what Limits.Nodes and Thought.Nodes count: "visits", "nodes", or "" for nothing.
	Counts() string

	// Rated is the name by which [Measured] knows the levels of the engine, "" if none was measured.
	Rated() string

	// NewGame forgets what was learnt in the last game.
	NewGame()

	// Seed seeds the choices that the engine makes by chance.
	Seed(seed uint64)

	// Configure changes settings of later searches.
	Configure(Options) error

	// Own returns the engine's own limits.
	Own() Limits

	// SetOwn changes the engine's own limits, and ends a level. It is an error if the engine cannot
	// keep such limits.
	SetOwn(Limits) error

	// SetLevel makes the engine play at a level, 1 to [Levels], until SetOwn. It is an error if the
	// engine has no levels.
	SetLevel(n int) error

	// Think searches a game that is not over. When ctx is done it returns at once, without an error,
	// with the best it has. report, if not nil, gets what is known from time to time, from the
	// goroutine of Think.
	Think(ctx context.Context, g *rules.Game, l Limits, report func(Thought)) (Thought, error)
}

// Limits bound a search, which ends at the first of them. Zero fields do not bind. If no field binds
// and Infinite is false, the engine's own limits hold.
type Limits struct {
	Depth int   // plies
	Nodes int64 // positions of an alpha-beta search, visits of a tree search
	Time  time.Duration

	// Whole means that what is left of Time is of no use later.
	Whole bool

	// Infinite means: until the context is done.
	Infinite bool

	// Analyze asks for the best move, whatever the level.
	Analyze bool
}

// Unset reports whether no limit is given.
func (l Limits) Unset() bool {
	return l.Depth == 0 && l.Nodes == 0 && l.Time == 0 && !l.Infinite
}

// Options are settings of later searches. A zero field leaves a setting as it is.
type Options struct {
	Lines     int // moves reported with their lines, the best first
	Cores     int // goroutines of a search that time ends, at most as many as the engine was made for
	TableBits int // of an alpha-beta search: the table has 2^TableBits entries of 16 bytes
	Leaves    int // of a tree search: leaves evaluated together where visits end the search
}

// Proof is what a search has proved of a position, for the side to move.
type Proof = mcts.Proof

// The proofs.
const (
	NotProved  = mcts.NotProved
	ProvedWin  = mcts.ProvedWin
	ProvedLoss = mcts.ProvedLoss
	ProvedDraw = mcts.ProvedDraw
)

// Thought is what a search found. Scores are expected scores in [0,1] of the side to move.
type Thought struct {
	Move     rules.Move   // the move to play
	Line     []rules.Move // the line expected; it begins with Move
	Expected float64      // of the position
	Draw     float64      // share of drawn results in a tree search, in [0,1]
	WinIn    int          // plies to a forced win, negative to a forced loss; 0 if neither is known
	Depth    int          // plies
	Nodes    int64        // visits or nodes, see [Engine.Counts]
	Elapsed  time.Duration

	// Moves are moves of the root, the best first: all of them for a tree search, as many as
	// Options.Lines asks for for an alpha-beta search.
	Moves []Move

	// Proof is what is proved of the position.
	Proof Proof

	// Forced means that there was one move and no search. Expected is then an evaluation of the
	// position.
	Forced bool
}

// Move is a move of the root with what a search knows about it.
type Move struct {
	Line     []rules.Move // begins with the move
	Expected float64      // in [0,1] for the side to move; NaN if unknown
	WinIn    int          // as in Thought
	Visits   int64        // of a tree search, 0 of an alpha-beta search
	Proof    Proof
}

// Men returns an expected score in men: the logit. A man ahead is an expected score of 0.73.
func Men(expected float64) float64 {
	const least = 1e-9
	s := min(max(expected, least), 1-least)
	return math.Log(s / (1 - s))
}

// Cores returns how many cores a search may use on this machine.
func Cores() int { return min(runtime.GOMAXPROCS(0), alphabeta.MaxCores) }

// DefaultTime is what a move takes when nobody has limited it.
const DefaultTime = time.Second

// LevelText returns a level of an engine in words, with the Elo measured of it.
func LevelText(e Engine, level int) string {
	text := fmt.Sprintf("level %d", level)
	if elo, ok := Measured(e.Variant().Name, e.Rated(), level); ok {
		text += fmt.Sprintf(", Elo %.0f", elo.Rating)
	}
	return text
}

// text returns the limits as a description has them: "depth=6,time=1s".
func (l Limits) text(counts string) string {
	text := ""
	add := func(format string, x any) {
		if text != "" {
			text += ","
		}
		text += fmt.Sprintf(format, x)
	}
	if l.Depth > 0 {
		add("depth=%d", l.Depth)
	}
	if l.Nodes > 0 {
		add(counts+"=%d", l.Nodes)
	}
	if l.Time > 0 {
		add("time=%s", l.Time)
	}
	return text
}

// sortMoves sorts moves with the best first and the others by visits.
func sortMoves(moves []Move, best rules.Move) {
	slices.SortStableFunc(moves, func(a, b Move) int {
		switch {
		case (a.Line[0] == best) != (b.Line[0] == best):
			if a.Line[0] == best {
				return -1
			}
			return 1
		case a.Visits != b.Visits:
			return int(b.Visits - a.Visits)
		}
		return 0
	})
}
