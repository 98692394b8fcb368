package arena

import (
	"context"
	"time"

	"damier/rules"
)

// Player chooses moves: a network with its search, the alpha-beta, random, an engine behind a protocol.
// A Player plays one game at a time and belongs to one goroutine.
type Player interface {
	// Name identifies the player in results and PDN.
	Name() string
	// NewGame tells that the next Play belongs to another game: forget what was searched.
	NewGame()
	// Play returns a legal move of the game's position, which is not over. It returns early with the
	// context's error when that is done.
	Play(ctx context.Context, g *rules.Game) (rules.Move, error)
}

// Seeder is a Player with randomness. A match seeds it before every game, from its own seed and the number
// of the game, so that the games do not depend on which of them were played by the same Player before.
type Seeder interface {
	Seed(seed uint64)
}

// Timed is a Player with a limit of time per move. A match counts the moves that take longer.
type Timed interface {
	// MoveTime returns the time the player may take for a move, 0 for no limit.
	MoveTime() time.Duration
}

// Factory makes a Player. A match calls it for every game it plays at a time, and closes the players that
// are io.Closers at its end. Calls may come from several goroutines.
type Factory func() (Player, error)
