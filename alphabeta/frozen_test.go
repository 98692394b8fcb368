package alphabeta

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"damier/rules"
)

const frozenFile = "testdata/frozen.txt"

// TestFrozenSearches holds what alphabeta-1 does in international draughts, iteration by
// iteration: nodes, score and move at depths 1 to 8 of 20 positions. The file was written once,
// before the engine learnt other variants, and is never written again: if this test fails, the
// changed engine needs a new version name.
func TestFrozenSearches(t *testing.T) {
	f, err := os.Open(frozenFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	positions := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, want, ok := strings.Cut(lines.Text(), " | ")
		if !ok {
			continue // a comment
		}
		positions++
		if got := iterations(fen(t, text), 8); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	if positions != 20 {
		t.Errorf("%d positions, want 20", positions)
	}
}

// iterations describes the iterations of one search of p by alphabeta-1: nodes, score and move of
// each.
func iterations(p rules.Position, depth int) string {
	e, err := New(rules.International, Config{Version: "alphabeta-1", TableBits: 16})
	must(err)
	var all []string
	_, err = e.Search(context.Background(), rules.NewGameFrom(rules.International, p), Limits{Depth: depth}, func(i Info) {
		all = append(all, fmt.Sprintf("%d %d %s", i.Nodes, i.Score, rules.International.FormatMove(i.PV[0])))
	})
	must(err)
	return strings.Join(all, ", ")
}

// TestFrozenInTheFamily holds nodes, score and move of alphabeta-1 at depth 7 of the start of each
// variant: the ladders rest on them.
func TestFrozenInTheFamily(t *testing.T) {
	want := map[string]string{
		"antidraughts":  "8096 -6 33-29",
		"brazilian":     "4565 1 g3-f4",
		"breakthrough":  "18122 1 34-30",
		"canadian":      "11211 1 48-41",
		"czech":         "4382 -1 g3-f4",
		"english":       "5435 -2 9-14",
		"frisian":       "50210 -6 32-27",
		"frysk":         "3091 -10 48-42",
		"german":        "5878 -1 24-20",
		"international": "12206 0 35-30",
		"italian":       "6181 -1 21-18",
		"killer":        "12206 0 35-30",
		"pool":          "4572 1 9-14",
		"portuguese":    "5264 0 10-13",
		"russian":       "4213 1 g3-f4",
		"spanish":       "5264 0 10-13",
		"thai":          "3130 -1 8-11",
		"turkish":       "12668 2 b3-b4",
	}
	for _, v := range family(t) {
		e, err := New(v, Config{Version: "alphabeta-1", TableBits: 16})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Search(t.Context(), rules.NewGame(v), Limits{Depth: 7}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d %d %s", r.Nodes, r.Score, v.FormatMove(r.PV[0])); got != want[v.Name] {
			t.Errorf("%s: nodes, score and move %q, want %q", v.Name, got, want[v.Name])
		}
	}
}

var writeFrozen = flag.Bool("write-frozen", false, "write what does not exist of testdata/frozen-family.txt")

const frozenFamilyFile = "testdata/frozen-family.txt"

// TestFrozenGames holds nodes, score and move of the iterations 1 to 5 of the versions that are
// frozen, in positions of random games of every variant: kings, endings, draw counters and
// repetitions are among them. The file was written before there was a version beyond alphabeta-1,
// and is never written again.
func TestFrozenGames(t *testing.T) {
	var got strings.Builder
	for _, v := range family(t) {
		for _, version := range []string{"alphabeta-material", "alphabeta-1"} {
			for i, g := range randomGames(v, 16, 26) {
				fmt.Fprintf(&got, "%s %s %d: %s\n", v.Name, version, i, gameIterations(t, version, g, 5))
			}
		}
	}
	if *writeFrozen {
		f, err := os.OpenFile(frozenFamilyFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		must(err)
		_, err = f.WriteString(got.String())
		must(err)
		must(f.Close())
	}
	sameLines(t, frozenFamilyFile, got.String())
}

// sameLines requires the lines of a text to be those of a file.
func sameLines(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	is, was := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	if len(is) != len(was) {
		t.Fatalf("%d lines, want %d", len(is), len(was))
	}
	for i := range was {
		if is[i] != was[i] {
			t.Errorf("got  %s\nwant %s", is[i], was[i])
		}
	}
}

// gameIterations describes the iterations of one search of a game's position to a depth.
func gameIterations(t *testing.T, version string, g *rules.Game, depth int) string {
	e, err := New(g.Variant(), Config{Version: version, TableBits: 12})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if _, err = e.Search(t.Context(), g, Limits{Depth: depth}, func(i Info) {
		all = append(all, fmt.Sprintf("%d %d %s", i.Nodes, i.Score, g.Variant().FormatMove(i.PV[0])))
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, ", ")
}
