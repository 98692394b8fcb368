package rules

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPlaythrough compares a seeded random game, written as boards, counters and legal moves, with
// testdata/playthrough.txt. It holds the canonical order, the counters and the end of a game.
func TestPlaythrough(t *testing.T) {
	path := filepath.Join("testdata", "playthrough.txt")
	got := playthrough(International, 2058)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		a, b := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
		for i := range min(len(a), len(b)) {
			if !bytes.Equal(a[i], b[i]) {
				t.Fatalf("%s:%d:\n got %s\nwant %s\nRun go test -run Playthrough -update and read the difference.", path, i+1, a[i], b[i])
			}
		}
		t.Fatalf("%s has %d lines, the game %d", path, len(b), len(a))
	}
}

func playthrough(v *Variant, seed uint64) []byte {
	var text bytes.Buffer
	rng := rand.New(rand.NewPCG(seed, 0))
	g := NewGame(v)
	fmt.Fprintf(&text, "A random game of %s, rules version %d, seed %d.\n", v, Version, seed)
	for {
		p := g.Position()
		fmt.Fprintf(&text, "\nply %d: %s to move, quiet %d, endgame %d, occurrence %d\n", g.Ply(), p.Turn, p.Quiet, p.Endgame, g.Occurrences())
		text.WriteString(diagram(v, p))
		fmt.Fprintf(&text, "FEN %s\nlegal %s\n", v.FEN(p), formatMoves(v, g.Legal()))
		if g.Over() {
			outcome, reason := g.Outcome()
			fmt.Fprintf(&text, "\n%s: %s\n", outcome, reason)
			return text.Bytes()
		}
		m := g.Legal()[rng.IntN(len(g.Legal()))]
		fmt.Fprintf(&text, "plays %s\n", v.FormatMove(m))
		if err := g.Play(m); err != nil {
			panic(err)
		}
	}
}

// diagram draws a board: w and b are men, W and B kings, a dot is an empty square.
func diagram(v *Variant, p Position) string {
	var text []byte
	for row := range v.Board.Rows {
		for column := range v.Board.Columns {
			s := v.Board.At(row, column)
			if s == NoSquare {
				text = append(text, ' ')
				continue
			}
			text = append(text, ".wWbB"[v.Piece(p, s)])
		}
		text = append(bytes.TrimRight(text, " "), '\n')
	}
	return string(text)
}
