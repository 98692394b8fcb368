package learner

import (
	"context"
	"fmt"

	"damier/data"
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

// plyPrice is what a ply to the end of the game takes from the label of a win, and gives to that of
// a loss. So a network learns the way to a win too, and not only that there is one: a win in 40
// plies is worth 0.9. No win of a table is so long that its label comes near a draw's.
const plyPrice = 1.0 / 400

// tableLabels makes endgame tables of up to the given number of pieces in memory, and returns the
// labels of the positions that they know; nil without pieces.
func tableLabels(ctx context.Context, v *rules.Variant, pieces int) (data.LabelFunc, error) {
	if pieces == 0 {
		return nil, nil
	}
	t, err := egdb.Generate(ctx, v, pieces, egdb.DefaultMemory)
	if err != nil {
		return nil, fmt.Errorf("value.tables = %d: %w", pieces, err)
	}
	return func(p rules.Position) (float32, bool) {
		result, plies, known := t.Probe(p)
		switch result {
		case egdb.Win:
			return max(1-plyPrice*float32(plies), 0.75), known
		case egdb.Loss:
			return min(plyPrice*float32(plies), 0.25), known
		}
		return 0.5, known
	}, nil
}
