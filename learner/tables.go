package learner

import (
	"context"

	"damier/egdb"
	"damier/rules"
	"damier/selfplay"
)

// giveTables gives the users the endgame tables of the setting, if any.
func giveTables[T interface{ SetTables(selfplay.Tables) }](ctx context.Context, v *rules.Variant, setting string, users ...T) error {
	var shelf egdb.Shelf
	t, err := shelf.Tables(ctx, setting, v)
	if err != nil || t == nil {
		return err
	}
	for _, u := range users {
		u.SetTables(t)
	}
	return nil
}
