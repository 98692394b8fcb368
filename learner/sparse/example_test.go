package sparse_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"damier/engine"
	"damier/engine/open"
	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
	"damier/rules"
)

// Ten generations of self-play and training from random weights, in English draughts; then the
// network chooses a move. These settings are for a few seconds: the network stays weak. Without
// Set the preset decides; "quick" is ten minutes, "hour" an hour.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := trainAndPlay(context.Background(), filepath.Join(dir, "run")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// generation 10
	// at least 640 positions played: true
	// measured against random: 10 games of generation 10
	// it plays a legal move: true
}

func trainAndPlay(ctx context.Context, dir string) error {
	run, err := learner.Open(dir, sparse.Method{}, settings.Sources{
		Preset: "tiny",
		Set: map[string]string{
			"variant": "english", "generations": "10", "evaluation.rungs": "random", "evaluation.games": "10",
		},
	})
	if err != nil {
		return err
	}
	defer run.Close()
	l, err := learner.New(ctx, run, &learner.Console{Out: io.Discard}) // os.Stderr shows progress
	if err != nil {
		return err
	}
	// Where ctx ends, a checkpoint is written; Open and New go on from it.
	if err := l.Run(ctx); err != nil {
		return err
	}
	m := &run.Manifest
	fmt.Println("generation", m.Generation)
	fmt.Println("at least 640 positions played:", m.Games.Totals().Rows >= 640)
	for _, e := range m.Evaluations {
		for _, r := range e.Rungs {
			fmt.Printf("measured against %s: %d games of generation %d\n", r.Rung, r.Wins+r.Draws+r.Losses, e.Generation)
		}
	}

	best, err := learner.BestNetwork(dir)
	if err != nil {
		return err
	}
	e, err := open.Engine(run.Variant, open.Spec{Kind: open.NNUE, File: best}, open.Settings{})
	if err != nil {
		return err
	}
	g := rules.NewGame(run.Variant)
	found, err := e.Think(ctx, g, engine.Limits{Nodes: 1000}, nil)
	if err != nil {
		return err
	}
	fmt.Println("it plays a legal move:", slices.Contains(g.Legal(), found.Move))
	return nil
}
