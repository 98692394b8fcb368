package arena

import (
	"context"

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
