package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// squares turns numbers read from JSON into squares: a []Square would be read as base64.
func squares(n []int) []Square {
	var s []Square
	for _, i := range n {
		s = append(s, Square(i))
	}
	return s
}

// TestMoves holds the generators against positions whose legal moves are known.
func TestMoves(t *testing.T) {
	var entries []struct {
		ID, FEN string
		Moves   []struct {
			From, To Square
			Captured []int
			Promotes bool
			Paths    []string
		}
	}
	readEntries(t, "moves.json", &entries)
	if len(entries) < 25 {
		t.Fatalf("testdata/moves.json has %d entries", len(entries))
	}
	v := International
	for _, e := range entries {
		p, err := ParseDiagram(v, e.FEN)
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		var want []Move
		for _, m := range e.Moves {
			want = append(want, NewMove(m.From, m.To, v.Board.Set(squares(m.Captured)...)))
		}
		slices.SortFunc(want, func(a, b Move) int {
			if a.Less(b) {
				return -1
			}
			return 1
		})
		if got := compareTwins(t, v, p); !slices.Equal(got, want) {
			t.Errorf("%s %s:\n got %s\nwant %s", e.ID, e.FEN, formatMoves(v, got), formatMoves(v, want))
			continue
		}
		for _, m := range e.Moves {
			move := NewMove(m.From, m.To, v.Board.Set(squares(m.Captured)...))
			if man := v.Board.Has(p.Men(p.Turn), m.From); man {
				if king := v.Board.Has(v.Play(p, move).Kings(p.Turn), m.To); king != m.Promotes {
					t.Errorf("%s: crowned after %s: %t", e.ID, v.FormatMove(move), king)
				}
			}
			var paths []string
			for _, path := range v.CapturePaths(p, move) {
				text := ""
				for i, s := range path {
					if i > 0 {
						text += "x"
					}
					text += s.String()
				}
				paths = append(paths, text)
			}
			for _, path := range m.Paths {
				if !slices.Contains(paths, path) {
					t.Errorf("%s: path %s not found among %s", e.ID, path, paths)
				}
			}
		}
	}
}

// TestCanonicalOrder: records name moves by their place in this order.
func TestCanonicalOrder(t *testing.T) {
	for _, c := range []struct{ fen, moves string }{
		{"W:W31-50:B1-20", "31-26 31-27 32-27 32-28 33-28 33-29 34-29 34-30 35-30 "},
		{"B:W31-50:B1-20", "16-21 17-21 17-22 18-22 18-23 19-23 19-24 20-24 20-25 "},
		{"W:W22,K28:BK5", "22-17 22-18 28-10 28-14 28-19 28-23 28-32 28-33 28-37 28-39 28-41 28-44 28-46 28-50 "},
		{"W:WK4:B13,20,32,37", "4x15[13,20,32] 4x15[13,20,37] "},
		{"W:WK47:B14,19,29,31,42", "47x36[14,29,31,42] 47x36[19,29,31,42] "},
	} {
		p, err := ParseFEN(International, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		moves := International.AppendMoves(nil, p)
		if got := formatMoves(International, moves); got != c.moves {
			t.Errorf("%s:\n got %s\nwant %s", c.fen, got, c.moves)
		}
	}
}

// TestAppendMovesKeepsPrefix: what stands before in dst is left alone, however the captures go.
func TestAppendMovesKeepsPrefix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	prefix := International.AppendMoves(nil, International.Start())
	for range 300 {
		p := randomPosition(International, rng, 15, 0.4)
		got := International.AppendMoves(slices.Clip(slices.Clone(prefix)), p)
		if !slices.Equal(got[:len(prefix)], prefix) || !slices.Equal(got[len(prefix):], International.ReferenceMoves(p)) {
			t.Fatalf("%s: got %s", International.FEN(p), formatMoves(International, got))
		}
	}
}

func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	v := International
	positions := []Position{v.Start()}
	for range 50 {
		positions = append(positions, randomGamePosition(v, rng), randomPosition(v, rng, 10, 0.5))
	}
	var room [128]Move
	for name, f := range map[string]func(){
		"AppendMoves": func() {
			for _, p := range positions {
				v.AppendMoves(room[:0], p)
			}
		},
		"Play": func() {
			for _, p := range positions {
				for _, m := range v.AppendMoves(room[:0], p) {
					p = v.Play(p, m)
				}
			}
		},
		"CountMoves": func() {
			for _, p := range positions {
				v.CountMoves(p)
				v.HasCaptures(p)
			}
		},
		"Perft": func() { v.Perft(positions[0], 4); v.Perft(positions[1], 3) },
		"Game.Reset": func() {
			g := reused
			for range 2 {
				g.Reset(v.Start())
				for !g.Over() && g.Ply() < 60 {
					if err := g.Play(g.Legal()[g.Ply()%len(g.Legal())]); err != nil {
						panic(err)
					}
				}
			}
		},
	} {
		f()
		if n := testing.AllocsPerRun(5, f); n != 0 {
			t.Errorf("%s allocates %.0f times", name, n)
		}
	}
}

var reused = NewGame(International)

func ExampleVariant_AppendMoves() {
	v := International
	p, err := ParseFEN(v, "W:WK47:B14,19,29,31,42")
	if err != nil {
		panic(err)
	}
	for _, m := range v.AppendMoves(nil, p) {
		fmt.Println(v.FormatMove(m), "takes", v.Board.AppendSquares(nil, m.Captured()), "by", len(v.CapturePaths(p, m)), "ways")
	}
	// Output:
	// 47x36 takes [14 29 31 42] by 2 ways
	// 47x36 takes [19 29 31 42] by 2 ways
}
