package learner

import (
	"context"

	"damier/egdb"
	"damier/rules"
	"damier/selfplay"
)

// giveTables gives the actors the endgame tables of the setting, if any.
func giveTables(ctx context.Context, v *rules.Variant, setting string, actors ...*selfplay.Actor) error {
	var shelf egdb.Shelf
	t, err := shelf.Tables(ctx, setting, v)
	if err != nil || t == nil {
		return err
	}
	for _, a := range actors {
		a.SetTables(t)
	}
	return nil
}
