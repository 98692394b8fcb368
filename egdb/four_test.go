package egdb

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"testing"

	"damier/rules"
)

// TestTwinOfKings compares all positions of up to three kings of English draughts with the twin;
// with DAMIER_LONG of up to four.
func TestTwinOfKings(t *testing.T) {
	v := lookup(t, "english", "")
	kings := 3
	if long() {
		kings = 4
	}
	tables := kingsOnly(t, v, kings)
	w := twin{v: v}
	for _, m := range tables.Materials() {
		placeKings(&w, m)
	}
	w.solve(t)
	agree(t, tables, &w)
}

// placeKings adds all positions of kings alone, White to move, square by square.
func placeKings(w *twin, m Material) {
	b := w.v.Board
	var place func(s rules.Square, white, black rules.Set)
	place = func(s rules.Square, white, black rules.Set) {
		if white.Len() > m.Kings || black.Len() > m.TheirKings {
			return
		}
		if int(s) > b.Squares() {
			if white.Len() == m.Kings && black.Len() == m.TheirKings {
				w.add(rules.NewPosition(white, black, white.Or(black), rules.White))
			}
			return
		}
		place(s+1, white, black)
		place(s+1, white.Or(b.Set(s)), black)
		place(s+1, white, black.Or(b.Set(s)))
	}
	place(1, rules.Set{}, rules.Set{})
}

// agree compares all positions of a solved twin with tables.
func agree(t *testing.T, tables *Tables, w *twin) {
	t.Helper()
	for i, p := range w.all {
		want, plies := w.value[i].result()
		if got, n, ok := tables.Probe(p); !ok || got != want || n != plies {
			t.Fatalf("%s: %s in %d (%v), want %s in %d", w.v.FEN(p), got, n, ok, want, plies)
		}
	}
	t.Logf("%s: %d positions are right", w.v, len(w.all))
}

// TestTwinOfFourPieces compares every position of up to four pieces of two variants on 8x8 with
// the twin.
func TestTwinOfFourPieces(t *testing.T) {
	if !long() {
		t.Skip("DAMIER_LONG is not set")
	}
	for _, name := range []string{"english", "russian"} {
		v := lookup(t, name, "")
		compareWithTwin(t, inMemory(t, v, 4), twin{v: v}, 4)
	}
}

// TestRandomPositions plays the moves of random positions of four pieces, with -short of three, by
// the slow generator of the rules, and compares the value with those of the positions after them.
// With DAMIER_LONG it does so for all variants, with the tables in the folder DAMIER_EGDB; it makes
// the tables that are missing.
func TestRandomPositions(t *testing.T) {
	all, n, pieces := []*rules.Variant{lookup(t, "english", "")}, 3000, 4
	if long() {
		all, n = variants(t), 100_000
	} else if testing.Short() {
		pieces = 3
	}
	for _, v := range all {
		t.Run(v.String(), func(t *testing.T) {
			tables := withPieces(t, v, pieces)
			r := rand.New(rand.NewPCG(9, 10))
			of := Materials(pieces)
			for range n {
				x := tables.tables[of[r.IntN(len(of))].id()].index
				p := x.Position(r.Uint64N(x.Size()))
				if r.IntN(2) == 0 {
					p = v.Rotate(p)
				}
				want, wantPlies := reference(t, tables, p).result()
				if got, plies, ok := tables.Probe(p); !ok || got != want || plies != wantPlies {
					t.Fatalf("%s: %s in %d, %v; its moves say %s in %d", v.FEN(p), got, plies, ok, want, wantPlies)
				}
			}
			t.Logf("%d random positions of %d pieces agree with their moves", n, pieces)
		})
	}
}

// withPieces returns tables of so many pieces.
func withPieces(t *testing.T, v *rules.Variant, pieces int) *Tables {
	t.Helper()
	if dir := os.Getenv("DAMIER_EGDB"); long() && dir != "" {
		tables, err := Open(dir, v, 0)
		if err == nil && tables.Pieces() >= pieces {
			t.Cleanup(func() { tables.Close() })
			return tables
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return inMemory(t, v, pieces)
}

// reference returns the value of p from the values after its moves, which the slow generator
// makes.
func reference(t *testing.T, tables *Tables, p rules.Position) value {
	t.Helper()
	v := tables.board.v
	moves := v.ReferenceMoves(p)
	if len(moves) == 0 {
		return stuck(v, &p)
	}
	if v.DrawByCount(p) != rules.NoReason {
		return 0
	}
	best := lossIn(maxPlies)
	for _, m := range moves {
		r, n, ok := tables.Probe(v.Play(p, m))
		if !ok {
			t.Fatalf("%s: unknown", v.FEN(v.Play(p, m)))
		}
		u := value(0)
		switch r {
		case Win:
			u = lossIn(n + 1)
		case Loss:
			u = winIn(n + 1)
		}
		if best == lossIn(maxPlies) || u.better(best) {
			best = u
		}
	}
	return best
}
