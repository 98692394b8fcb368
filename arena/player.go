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

// Ending is an error of Play by which a player ends its game, and not the match: it has lost. Any other error
// ends the match.
type Ending interface {
	error
	// Ending returns the reason of the loss: rules.Resignation, rules.TimeForfeit, or rules.PlayerFailure for
	// a player that died or broke its protocol.
	Ending() rules.Reason
}

// Finisher is a Player that hears how each of its games ended, as one behind a protocol has to tell its partner.
type Finisher interface {
	// GameOver tells that the game is over, before the NewGame of the next. The game must not be changed.
	GameOver(g *rules.Game)
}

// Factory makes a Player. A match calls it for every game it plays at a time, and closes the players that
// are io.Closers at its end. Calls may come from several goroutines.
type Factory func() (Player, error)
