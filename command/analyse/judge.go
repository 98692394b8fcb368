package analyse

import (
	"context"
	"errors"
	"fmt"

	"damier/engine"
	"damier/engine/open"
	"damier/internal/cli"
	"damier/models"
	"damier/net"
	"damier/review"
	"damier/rules"
)

func cores() int { return engine.Cores() }

// tableBits is the size of the table of a search, 4 MB: there is one for each core and variant.
const tableBits = 18

// judge makes analysts.
type judge struct {
	spec    open.Spec
	file    *rules.Variant // of the file of spec; nil without one
	nodes   int64
	egdb    string
	tactics bool
}

// specFor returns the description of the engine for a variant: that of the flags, or where its
// network is of another variant or there is none, the one that comes with the program.
func (j *judge) specFor(v *rules.Variant) (open.Spec, error) {
	s := j.spec
	if s.Kind == open.AlphaBeta || j.file != nil && j.file.String() == v.String() {
		return s, nil
	}
	s.File = ""
	_, err := models.NNUE(v)
	switch {
	case errors.Is(err, models.ErrNone) || errors.Is(err, net.ErrForeign):
		return open.Spec{Kind: open.AlphaBeta, Tables: s.Tables}, nil
	case err != nil:
		return s, err
	}
	return s, nil
}

// analyst returns an analyst for games of v.
func (j *judge) analyst(ctx context.Context, v *rules.Variant) (*review.Analyst, error) {
	s, err := j.specFor(v)
	if err != nil {
		return nil, err
	}
	nodes := j.nodes
	e, err := open.Engine(v, s, open.Settings{
		Cores: 1, TableBits: tableBits, Tables: j.egdb, Limits: engine.Limits{Nodes: nodes},
	})
	if err != nil {
		return nil, err
	}
	// It limits no analysis by itself.
	if err := e.SetOwn(engine.Limits{Nodes: nodes}); err != nil {
		return nil, cli.WithCode(cli.Usage, err)
	}
	c := review.Config{Nodes: nodes, NoCombinations: !j.tactics}
	t, err := open.Tables(ctx, v, j.egdb)
	if err != nil {
		return nil, err
	}
	if t != nil {
		c.Tables = t
	}
	return review.New(e, c)
}

// String says who judges, for the tag Annotator.
func (j *judge) String() string {
	name, unit := "nnue", "nodes"
	switch j.spec.Kind {
	case open.Tree:
		name, unit = "tree", "visits"
	case open.AlphaBeta:
		name = "alphabeta"
	}
	if j.spec.File != "" {
		name += ":" + open.Label(j.spec.File)
	}
	return fmt.Sprintf("Damier, %s, %d %s a position", name, j.nodes, unit)
}
