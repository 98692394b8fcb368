package main

import (
	"errors"

	"damier/alphabeta"
	"damier/egdb"
	"damier/internal/cli"
	"damier/mcts"
	"damier/player"
	"damier/rules"
)

// shelf holds the endgame tables of all players.
var shelf egdb.Shelf

// tables opens the endgame tables of a player's setting; nil where it has none.
func (o *options) tables(v *rules.Variant, setting string) (mcts.Prober, error) {
	t, err := shelf.Tables(o.context(), setting, v)
	switch {
	case errors.Is(err, egdb.ErrDamaged), errors.Is(err, egdb.ErrForeign):
		return nil, cli.WithCode(cli.Damaged, err)
	case t == nil:
		return nil, err // and no interface that holds nil
	}
	return t, nil
}

// judgingTables opens the endgame tables that end games; nil for none.
func (o *options) judgingTables(v *rules.Variant, setting string) (alphabeta.Prober, error) {
	t, err := o.tables(v, setting)
	if t == nil {
		return nil, err
	}
	return t, nil
}

// alphaBetaTables gives config the tables of a player.
func (o *options) alphaBetaTables(v *rules.Variant, spec player.Spec, config *alphabeta.Config) error {
	t, err := o.tables(v, spec.Tables)
	if t != nil {
		config.Tables = t
	}
	return err
}
