package alphabeta

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"damier/rules"
)

const frozenFile = "testdata/frozen.txt"

// TestFrozenSearches holds what alphabeta-1 does in international draughts, iteration by iteration: nodes,
// score and move at depths 1 to 8 of 20 positions. The file was written once, before the engine learnt other
// variants, and is never written again: if this test fails, the changed engine needs a new version name.
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

// iterations describes the iterations of one search of p by alphabeta-1: nodes, score and move of each.
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
