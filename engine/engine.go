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

// Engine thinks about positions of one variant. Only one goroutine may use it.
type Engine interface {
	// Name returns the name of the engine in results and protocols, without its limits.
	Name() string

	// Variant returns the rules that the engine plays by.
	Variant() *rules.Variant

	// Counts names the unit of Limits.Nodes and Thought.Nodes: "visits", "nodes", or "" for none.
	Counts() string

	// Rated returns the name under which [Measured] has the levels of the engine, "" if none was
	// measured.
	Rated() string

	// NewGame forgets what the engine learnt in the last game.
	NewGame()

	// Seed seeds the random choices of the engine.
	Seed(seed uint64)

	// Configure changes settings for later searches.
	Configure(Options) error

	// Own returns the engine's own limits, used when Think gets none.
	Own() Limits

	// SetOwn changes the engine's own limits, and ends a level. It returns an error if the engine
	// cannot keep such limits.
	SetOwn(Limits) error

	// SetLevel makes the engine play at a level, 1 to [Levels], until SetOwn. It returns an error
	// if the engine has no levels.
	SetLevel(n int) error

	// Think searches a game that is not over. When ctx is done it returns at once with the best
	// move so far, without an error. From time to time it calls report, if not nil, on its own
	// goroutine.
	Think(ctx context.Context, g *rules.Game, l Limits, report func(Thought)) (Thought, error)
}

// Limits bound a search, which ends at the first limit it reaches. Zero fields are no limits. If
// all are zero and Infinite is false, the engine's own limits apply.
type Limits struct {
	Depth int   // plies
	Nodes int64 // positions of an alpha-beta search, visits of a tree search
	Time  time.Duration

	// Whole means that time not used now is lost, so the search should use all of Time.
	Whole bool

	// Infinite means: search until the context is done.
	Infinite bool

	// Analyze asks for the best move, even if the engine has a level.
	Analyze bool
}

// Unset reports whether no limit is given.
func (l Limits) Unset() bool {
	return l.Depth == 0 && l.Nodes == 0 && l.Time == 0 && !l.Infinite
}

// Options are settings for later searches. A zero field leaves its setting unchanged.
type Options struct {
	Lines int // number of moves to report with their lines, the best first
	// Goroutines of a search limited by time, at most the number the engine was made with.
	Cores     int
	TableBits int // of an alpha-beta search: the table has 2^TableBits entries of 16 bytes
	Leaves    int // of a tree search limited by visits: number of leaves evaluated together
}

// Proof is the proved result of a position, for the side to move.
type Proof = mcts.Proof

// The proofs.
const (
	NotProved  = mcts.NotProved
	ProvedWin  = mcts.ProvedWin
	ProvedLoss = mcts.ProvedLoss
	ProvedDraw = mcts.ProvedDraw
)

// Thought is the result of a search. Scores are expected scores in [0,1] for the side to move.
type Thought struct {
	Move     rules.Move   // the move to play
	Line     []rules.Move // the expected line; it begins with Move
	Expected float64      // expected score of the position
	WinIn    int          // plies to a forced win, negative for a forced loss; 0 if neither is known
	Depth    int          // plies
	Nodes    int64        // visits or nodes, see [Engine.Counts]
	Elapsed  time.Duration

	// Moves are moves of the root, the best first: all moves from a tree search, Options.Lines
	// moves from an alpha-beta search.
	Moves []Move

	// Proof is the proved result of the position.
	Proof Proof

	// Forced means that there was one legal move and no search. Expected is then an evaluation of
	// the position.
	Forced bool

	// Book means that the move came from a book, without a search. Line and Moves are the book's.
	Book bool
}

// Move is a move of the root with the search's results for it.
type Move struct {
	Line     []rules.Move // begins with the move
	Expected float64      // in [0,1] for the side to move; NaN if unknown
	WinIn    int          // as in Thought
	Visits   int64        // of a tree search; 0 in an alpha-beta search
	Proof    Proof
}

// Men converts an expected score to men: its logit. A man ahead is an expected score of 0.73.
func Men(expected float64) float64 {
	const least = 1e-9
	s := min(max(expected, least), 1-least)
	return math.Log(s / (1 - s))
}

// Cores returns the number of cores that a search may use on this machine.
func Cores() int { return min(runtime.GOMAXPROCS(0), alphabeta.MaxCores) }

// DefaultTime is the time of a move if no limit was given.
const DefaultTime = time.Second

// LevelText describes a level of an engine, with its measured Elo.
func LevelText(e Engine, level int) string {
	text := fmt.Sprintf("level %d", level)
	if elo, ok := Measured(e.Variant().Name, e.Rated(), level); ok {
		text += fmt.Sprintf(", Elo %.0f", elo.Rating)
	}
	return text
}

// text writes the limits in the form of a description: "depth=6,time=1s".
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

// sortMoves sorts moves: best first, the others by visits.
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
