package nnue

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"damier/mcts"
	"damier/rules"
)

var updateTrees = flag.Bool("update", false, "rewrite the golden file of tree searches")

// treeText searches positions of v by the tree search that plays, over a network with random
// weights, and describes what was found: for each position the move chosen, the depth, the number
// of nodes and the visits of all moves at the root. The second search of each game keeps the part
// of the first one's tree.
func treeText(t *testing.T, v *rules.Variant) string {
	const games, plies, simulations = 2, 12, 700
	model := New(v, 64, 5)
	for i := range model.Output {
		model.Output[i] *= 10 // scores that differ as those of a trained network do
	}
	look := model.Evaluator().OnePly(OnePlyConfig{})
	s := mcts.NewSearch(v, TreeSearch(mcts.Config{}))
	rng := rand.New(rand.NewPCG(23, 5))
	var w strings.Builder
	for range games {
		g := rules.NewGame(v)
		for !g.Over() && g.Ply() < plies {
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if g.Over() {
				break
			}
			s.Start(g, mcts.Budget{Simulations: simulations}, nil)
			r, err := s.Run(context.Background(), look, 1)
			if err != nil {
				t.Fatal(err)
			}
			nodes, _ := s.Size()
			fmt.Fprintf(&w, "%s ply %d: %s, depth %d, nodes %d, visits %v\n",
				v.Name, g.Ply(), v.FormatMove(r.Moves[r.Best]), r.Depth, nodes, r.Visits)
			for _, m := range r.PV[:min(2, len(r.PV))] {
				if err := g.Play(m); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return w.String()
}

// TestGoldenTrees compares tree searches in every variant with a file, so that a change that is to
// make the search faster is seen to change nothing. After a change that is to change the search
// write the file again: go test ./net/nnue -run GoldenTrees -update.
func TestGoldenTrees(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round differently")
	}
	path := filepath.Join("testdata", "trees.golden")
	var all strings.Builder
	file, err := os.ReadFile(path)
	if err != nil && !*updateTrees {
		t.Fatal(err)
	}
	want := strings.Split(string(file), "\n")
	variants(t, func(t *testing.T, v *rules.Variant) {
		text := treeText(t, v)
		all.WriteString(text)
		if *updateTrees {
			return
		}
		for line := range strings.Lines(text) {
			if !slices.Contains(want, strings.TrimSuffix(line, "\n")) {
				t.Errorf("not in %s: %s", path, line)
			}
		}
	})
	if *updateTrees {
		if testing.Short() {
			t.Fatal("-short leaves variants out")
		}
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
