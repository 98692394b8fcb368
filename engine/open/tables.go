package open

import (
	"context"
	"errors"

	"damier/egdb"
	"damier/internal/cli"
	"damier/mcts"
	"damier/rules"
)

// shelf holds the endgame tables of all players and engines of the process.
var shelf egdb.Shelf

// Tables opens the endgame tables of v by a setting: on, off, or the name of their folder; nil for off and "".
func Tables(ctx context.Context, v *rules.Variant, setting string) (*egdb.Tables, error) {
	t, err := shelf.Tables(ctx, setting, v)
	if errors.Is(err, egdb.ErrDamaged) || errors.Is(err, egdb.ErrForeign) {
		return nil, cli.WithCode(cli.Damaged, err)
	}
	return t, err
}

// prober is Tables for a search.
func prober(ctx context.Context, v *rules.Variant, setting string) (mcts.Prober, error) {
	t, err := Tables(ctx, v, setting)
	if t == nil {
		return nil, err // and no interface that holds nil
	}
	return t, nil
}
