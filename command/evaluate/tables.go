package evaluate

import (
	"context"

	"damier/arena"
	"damier/engine/open"
	"damier/rules"
)

// judgingTables opens the endgame tables that end games early, nil for none.
func judgingTables(ctx context.Context, v *rules.Variant, setting string) (arena.Tables, error) {
	t, err := open.Tables(ctx, v, setting)
	if t == nil {
		return nil, err // a plain nil, not an interface that holds a nil pointer
	}
	return t, nil
}
