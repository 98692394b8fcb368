package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLapses(t *testing.T) {
	house := with(t, "international", "draws=house-15-5")
	for _, c := range []struct {
		about, fen string
		v          *Variant
		from, to   Square
		want       string // fault, the pieces that may be huffed, and what the first of them leaves
	}{
		{"nothing to take", "W:W28:B1", German, 28, 24, ""},
		{"left out by another piece", "W:W28,48,15:B10,2", house, 48, 42, "no capture was made [15] B:W28,42:B2,10"},
		{"left out by the piece itself", "W:W15,28:B10,2", house, 15, 0, ""},
		{"cut short", "W:W38,50:B32,22,1", house, 38, 27, "the capture was cut short [27] B:W50:B1,22"},
		{"fewer", "W:W38,45:B32,22,40,1", house, 45, 34, "less was taken than must be [38] B:W34:B1,22,32"},
		{"fewer, not at the federation's table", "W:W38,45:B32,22,40,1", International, 45, 34, "less was taken than must be [] "},
		{"cut short, not at the federation's table", "W:W38,50:B32,22,1", International, 38, 27, "the capture was cut short [] "},
		{"any of two", "W:W28,32,45:B23,27,2", house, 45, 40, "no capture was made [28 32] B:W32,40:B2,23,27"},
		{"left out in Spanish", "W:W22,32:B18,3", Spanish, 32, 28, "no capture was made [22] B:W5:B15,30"},
		{"lesser pieces in Spanish are not huffed", "W:W22:B18,K19", Spanish, 22, 13, "less was taken than must be [] "},
		{"nor fewer", "W:W22,28:B18,10,23", Spanish, 28, 19, "less was taken than must be [] "},
		{"a king stops where it cannot go on", "W:WK29:B22,11", German, 29, 8, "the capture was cut short [8] B:W:B11"},
		{"a king moves away", "W:WK46,45:B14,1", house, 46, 37, "no capture was made [37] B:W45:B1,14"},
	} {
		p := dataless(t, c.v, c.fen)
		got := ""
		for _, m := range c.v.Lapses(p) {
			l, ok := c.v.Lapse(p, m)
			if m.From != c.from || m.To != c.to {
				continue
			}
			if !ok || l.Before != p || l.After != c.v.Play(p, m) || !slices.Equal(l.Missed, c.v.AppendMoves(nil, p)) {
				t.Errorf("%s: lapse %+v, %t", c.about, l, ok)
			}
			got = fmt.Sprintf("%s %d ", l.Fault, l.Guilty)
			if len(l.Guilty) > 0 {
				q, err := l.Huff(l.Guilty[0])
				if err != nil {
					t.Errorf("%s: %v", c.about, err)
				}
				got += c.v.FEN(q)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q; there are %s; legal %s", c.about, got, c.want, formatMoves(c.v, c.v.Lapses(p)), formatMoves(c.v, c.v.AppendMoves(nil, p)))
		}
	}
	if l, ok := house.Lapse(dataless(t, house, "W:W28,32,45:B23,27,2"), NewMove(45, 40, Set{})); !ok {
		t.Error("45-40 is no lapse")
	} else if _, err := l.Huff(40); err == nil || !strings.Contains(err.Error(), "it is 28 or 32") {
		t.Errorf("a piece without guilt: error %v", err)
	} else if r := l.Remedies(); !slices.Equal(r, []Remedy{Force, LetStand, Huff}) {
		t.Errorf("remedies %s", r)
	}
	if l, ok := International.Lapse(dataless(t, International, "W:W28,45:B23,2"), NewMove(45, 40, Set{})); !ok {
		t.Error("45-40 is no lapse")
	} else if _, err := l.Huff(28); err == nil || !strings.Contains(err.Error(), "nothing may be huffed") {
		t.Errorf("huffed where nobody huffs: error %v", err)
	} else if r := l.Remedies(); !slices.Equal(r, []Remedy{Force, LetStand}) {
		t.Errorf("remedies %s", r)
	}
}

// dataless reads a diagram whose squares are counted row by row from the top left in every
// variant.
func dataless(t testing.TB, v *Variant, fen string) Position {
	t.Helper()
	w := *v
	w.Mirrored = false
	p, err := ParseDiagram(&w, fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLapsesAreMoves: on random positions of every variant lapses are no legal moves, each leaves
// a position that can stand on the board, and huffing takes one piece of the side that has moved
// and nothing else.
func TestLapsesAreMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 50))
	huffed := map[string]int{}
	for _, v := range append(familyVariants(t), with(t, "international", "draws=house-15-5")) {
		for range 150 {
			p := randomPosition(v, rng, 5, 0.3)
			legal := v.AppendMoves(nil, p)
			lapses := v.Lapses(p)
			if !v.HasCaptures(p) && len(lapses) > 0 {
				t.Fatalf("%s: %s: nothing to take, and lapses %s", v, v.FEN(p), formatMoves(v, lapses))
			}
			for i, m := range lapses {
				if i > 0 && !lapses[i-1].Less(m) {
					t.Fatalf("%s: %s: out of order: %s", v, v.FEN(p), formatMoves(v, lapses))
				}
				l, ok := v.Lapse(p, m)
				if !ok || slices.Contains(legal, m) {
					t.Fatalf("%s: %s: %s is legal, or none", v, v.FEN(p), formatMoves(v, lapses[i:i+1]))
				}
				if err := Validate(v, l.After); err != nil {
					t.Fatalf("%s: %s after %s: %v", v, v.FEN(p), v.FormatMove(m), err)
				}
				if (v.Huffing == NoHuffing) && len(l.Guilty) > 0 || v.Huffing == HuffLesser && len(l.Guilty) == 0 {
					t.Fatalf("%s: %s after %s: guilty are %d", v, v.FEN(p), v.FormatMove(m), l.Guilty)
				}
				for _, s := range l.Guilty {
					q, err := l.Huff(s)
					if err != nil {
						t.Fatal(err)
					}
					huffed[v.Name]++
					own, gone := l.After.Pieces(p.Turn), v.Board.Set(s)
					if q.Pieces(p.Turn) != own.AndNot(gone) || own == own.AndNot(gone) ||
						q.Pieces(q.Turn) != l.After.Pieces(q.Turn) || q.Turn == p.Turn {
						t.Fatalf("%s: %s after %s and %d huffed: %s", v, v.FEN(p), v.FormatMove(m), s, v.FEN(q))
					}
				}
			}
			for _, m := range legal {
				if _, ok := v.Lapse(p, m); ok {
					t.Fatalf("%s: %s: the legal %s is a lapse", v, v.FEN(p), v.FormatMove(m))
				}
			}
		}
	}
	if len(huffed) != 4 {
		t.Errorf("huffed in %v; want german, spanish, portuguese and the house game", huffed)
	}
}
