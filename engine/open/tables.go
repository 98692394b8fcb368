package open

import (
	"context"
	"errors"

	"damier/egdb"
	"damier/internal/cli"
	"damier/mcts"
	"damier/rules"
)

// shelf holds the open endgame tables, which all players and engines of the process share.
var shelf egdb.Shelf

// Tables opens the endgame tables of v. setting is on, off, or the name of their folder; for off
// and "" it returns nil.
func Tables(ctx context.Context, v *rules.Variant, setting string) (*egdb.Tables, error) {
	t, err := shelf.Tables(ctx, setting, v)
	if errors.Is(err, egdb.ErrDamaged) || errors.Is(err, egdb.ErrForeign) {
		return nil, cli.WithCode(cli.Damaged, err)
	}
	return t, err
}

// prober is Tables as the interface that a search takes.
func prober(ctx context.Context, v *rules.Variant, setting string) (mcts.Prober, error) {
	t, err := Tables(ctx, v, setting)
	if t == nil {
		return nil, err // not an interface that holds a nil pointer
	}
	return t, nil
}
