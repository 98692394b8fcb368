package arena

import (
	"context"
	"time"

	"damier/rules"
)

// Player chooses moves: a network with its search, alpha-beta, random, or an engine behind a
// protocol. A Player plays one game at a time, on one goroutine at a time.
type Player interface {
	// Name identifies the player in results and PDN.
	Name() string
	// NewGame says that the next Play is of another game, so the player must forget earlier
	// searches.
	NewGame()
	// Play returns a legal move of the position of g, which is not over. When the context is done
	// it returns early with the error of the context.
	Play(ctx context.Context, g *rules.Game) (rules.Move, error)
}

// Seeder is a Player with random choices. A match seeds it before every game, from its own seed
// and the number of the game, so that the games do not depend on the games that this Player has
// played before.
type Seeder interface {
	Seed(seed uint64)
}

// Timed is a Player with a limit of time per move. A match counts the moves that take longer.
type Timed interface {
	// MoveTime returns the time the player may take for a move, 0 for no limit.
	MoveTime() time.Duration
}

// Ending is an error of Play that loses the game but does not end the match. Any other error ends
// the match.
type Ending interface {
	error
	// Ending returns the reason of the loss: rules.Resignation, rules.TimeForfeit, or
	// rules.PlayerFailure for a player that died or broke its protocol.
	Ending() rules.Reason
}

// Finisher is a Player that needs to know how its games end, for example to tell a partner behind
// a protocol.
type Finisher interface {
	// GameOver is called when a game is over, before NewGame. It must not change the game.
	GameOver(g *rules.Game)
}

// Factory makes a Player. A match calls it for every game played at a time. At its end it closes
// the players that are io.Closers. Several goroutines may call it.
type Factory func() (Player, error)
