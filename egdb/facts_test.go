package egdb

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"damier/rules"
)

// kingsOnly returns the tables of v without men, of up to `pieces` pieces. Tests share them and may
// not change them.
func kingsOnly(t *testing.T, v *rules.Variant, pieces int) *Tables {
	t.Helper()
	return sharedTables(t, fmt.Sprint("kings ", v, pieces), func() (*Tables, error) {
		tables, err := newTables(v)
		if err != nil {
			return nil, err
		}
		for n := 2; n <= pieces; n++ {
			for _, m := range Materials(n) {
				if m.Men+m.TheirMen > 0 || tables.tables[m.id()] != nil {
					continue
				}
				made, err := tables.generate(context.Background(), m, nil)
				if err != nil {
					return nil, err
				}
				for _, x := range made {
					tables.add(x)
				}
			}
		}
		return tables, nil
	})
}

// wdl counts positions: wins, draws, losses.
type wdl struct{ wins, draws, losses int }

// count counts the results of the positions of a material that a filter accepts.
func count(tables *Tables, m Material, counts func(rules.Position) bool) (c wdl, longest int) {
	x := tables.tables[m.id()]
	for i, v := range x.raw {
		if counts != nil && !counts(x.index.Position(uint64(i))) {
			continue
		}
		r, n := v.result()
		longest = max(longest, n)
		switch r {
		case Win:
			c.wins++
		case Draw:
			c.draws++
		default:
			c.losses++
		}
	}
	return c, longest
}

// TestEnglishKingAgainstKing compares with Ed Trice's tables (damforum.nl, viewtopic t=2603):
// wins, draws and losses of the side to move, and the longest win in plies.
func TestEnglishKingAgainstKing(t *testing.T) {
	got, longest := count(kingsOnly(t, lookup(t, "english", ""), 2), Material{Kings: 1, TheirKings: 1}, nil)
	if want := (wdl{230, 654, 108}); got != want || longest != 11 {
		t.Errorf("%+v, longest %d; want %+v, 11", got, longest, want)
	}
}

// TestKnownEndings holds what players know of kings against a lone king, which is to move after a
// quiet move: it cannot capture.
func TestKnownEndings(t *testing.T) {
	made := map[string]*Tables{}
	for _, c := range []struct {
		variant string
		kings   int
		road    bool // the lone king is on the main road, else it is not
		// of those positions, the share in which the lone king loses, in percent
		least, most float64
		why         string
	}{
		{"international", 2, false, 0, 1, "two kings do not win, but for a shot"},
		{"international", 2, true, 0, 2, "two kings do not win, but for a shot"},
		{"international", 3, true, 0, 5, "three kings do not win against the main road"},
		{"international", 3, false, 0, 5, "nor elsewhere, but for a shot"},
		{"russian", 2, false, 0, 1, "two kings do not win"},
		{"russian", 3, false, 70, 100, "three kings win off the main road (Petrov's triangle)"},
		{"russian", 3, true, 0, 30, "the main road is a draw, but where the king is caught at once"},
		{"english", 2, false, 99, 100, "two kings win"},
		{"turkish", 2, false, 99, 100, "two kings win"},
		{"killer", 2, false, 100, 100, "two kings win: what the variant is made for (mindsports.nl)"},
	} {
		if c.variant == "international" && c.kings == 3 && !long() {
			continue
		}
		v := lookup(t, c.variant, "")
		tables := made[c.variant]
		if tables == nil || tables.Pieces() <= c.kings {
			tables = kingsOnly(t, v, c.kings+1)
			made[c.variant] = tables
		}
		m := Material{Kings: 1, TheirKings: c.kings}
		got, _ := count(tables, m, func(p rules.Position) bool {
			lone := p.Kings(rules.White)
			return v.Board.MainRoad(v.Board.Pop(&lone)) == c.road && !v.HasCaptures(p)
		})
		share := 100 * float64(got.losses) / float64(got.wins+got.draws+got.losses)
		if share < c.least || share > c.most || got.wins > 0 {
			t.Errorf("%s, %s, main road %v: %+v, %.1f %% lost; %s", v, m, c.road, got, share, c.why)
		}
	}
	// Russian: if three kings to move do not win, and there is no capture, the lone king is nearly
	// always on the main road.
	drawn := map[bool]int{}
	b := rules.Russian.Board
	x := made["russian"].tables[Material{Kings: 3, TheirKings: 1}.id()]
	for i, u := range x.raw {
		if u == 0 {
			lone := x.index.Position(uint64(i)).Kings(rules.Black)
			drawn[b.MainRoad(b.Pop(&lone))]++
		}
	}
	if drawn[true] < 10*drawn[false] {
		t.Errorf("drawn on the main road %d, elsewhere %d", drawn[true], drawn[false])
	}
}

// TestEnglishThreeKingsAgainstTwo holds that three kings win against two, nearly always: a pair in
// the double corners holds out longest. Positions with a capture are left out.
func TestEnglishThreeKingsAgainstTwo(t *testing.T) {
	if !long() {
		t.Skip("it makes tables of five kings")
	}
	v := lookup(t, "english", "")
	tables := kingsOnly(t, v, 5)
	quiet := func(p rules.Position) bool {
		q := p
		q.Turn = rules.Black
		return !v.HasCaptures(p) && !v.HasCaptures(q)
	}
	for _, c := range []struct {
		m     Material
		wins  bool // of the side to move
		least float64
	}{
		{Material{Kings: 3, TheirKings: 2}, true, 99},
		{Material{Kings: 2, TheirKings: 3}, false, 98},
	} {
		got, longest := count(tables, c.m, quiet)
		decided := got.losses
		if c.wins {
			decided = got.wins
		}
		share := 100 * float64(decided) / float64(got.wins+got.draws+got.losses)
		t.Logf("%s: %+v, longest %d, %.2f %%", c.m, got, longest, share)
		if share < c.least {
			t.Errorf("%s: %+v, %.2f %% decided", c.m, got, share)
		}
	}
}

// TestDrawsAtOnceAreValues checks that an immediate draw is part of the value, and a draw by a
// counter is not.
func TestDrawsAtOnceAreValues(t *testing.T) {
	m := Material{Kings: 2, TheirKings: 1}
	free, _ := count(kingsOnly(t, lookup(t, "international", ""), 3), m, nil)
	immediate, _ := count(kingsOnly(t, lookup(t, "international", "draws=immediate"), 3), m, nil)
	if immediate.wins != 0 || free.wins == 0 {
		t.Errorf("wins: %d if two kings against one are drawn at once, %d if not", immediate.wins, free.wins)
	}
}

// TestCoresDoNotMatter makes tables with one goroutine and with many.
func TestCoresDoNotMatter(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for _, name := range []string{"pool", "frysk"} {
		v := lookup(t, name, "")
		pieces := 3
		if name == "frysk" && !long() {
			pieces = 2
		}
		runtime.GOMAXPROCS(1)
		one := generated(t, v, pieces)
		runtime.GOMAXPROCS(7)
		many := generated(t, v, pieces)
		for _, m := range one.Materials() {
			a, b := one.tables[m.id()].raw, many.tables[m.id()].raw
			for i := range a {
				if a[i] != b[i] {
					t.Fatalf("%s, %s, number %d: %d and %d", name, m, i, a[i], b[i])
				}
			}
		}
	}
}

// TestMoves checks the order of the judged moves, and that the best one has the result of the
// position.
func TestMoves(t *testing.T) {
	for _, name := range []string{"english", "antidraughts", "breakthrough"} {
		v := lookup(t, name, "")
		tables := inMemory(t, v, threePieces(v))
		for _, p := range randomPositions(tables, 500) {
			want, plies, _ := tables.Probe(p)
			moves := tables.Moves(p)
			for i, j := range moves {
				if !j.Known || i > 0 && j.value().better(moves[i-1].value()) {
					t.Fatalf("%s: move %d is %+v", tables.board.v.FEN(p), i, j)
				}
			}
			if len(moves) > 0 && (moves[0].Result != want || moves[0].Plies != plies) {
				t.Fatalf("%s: %s in %d, its best move %+v", tables.board.v.FEN(p), want, plies, moves[0])
			}
		}
	}
}
