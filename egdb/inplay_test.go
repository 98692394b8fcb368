package egdb

import (
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// counted solves a position with its counters, without tables: minimax over all moves to the end.
// It needs counters that only grow, as in endings without men, and remembers the positions that it
// has solved.
type counted struct {
	v     *rules.Variant
	known map[rules.Position]Result

	// If not nil, positions of up to three pieces have the result of InPlay, which TestInPlay
	// checks.
	few *Tables
}

func (c *counted) result(p rules.Position) Result {
	if r, ok := c.known[p]; ok {
		return r
	}
	if c.few != nil && p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() <= 3 {
		r, ok := c.few.InPlay(p, 0)
		if !ok {
			panic("InPlay gives up")
		}
		return r
	}
	moves := c.v.AppendMoves(nil, p)
	best := Loss
	switch {
	case len(moves) == 0:
		if o, _ := c.v.Stuck(p); o == rules.Win(p.Turn) {
			best = Win
		}
	case c.v.DrawByCount(p) != rules.NoReason:
		best = Draw
	default:
		for _, m := range moves {
			switch c.result(c.v.Play(p, m)) {
			case Loss:
				best = Win
			case Draw:
				if best == Loss {
					best = Draw
				}
			}
			if best == Win {
				break
			}
		}
	}
	c.known[p] = best
	return best
}

// TestInPlay compares wins and losses near the limit of the counts with a full search.
func TestInPlay(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		variant, options string
		endgame          int // the least count where a rule for few pieces applies
		quiet            int // the least count of king moves
	}{
		{"international", "", 7, 0},
		{"international", "draws=house-15-5", 7, 0},
		{"brazilian", "", 7, 0},
		{"russian", "", 6, 0},
		{"english", "", 0, 74},
		{"czech", "", 0, 26},
		{"frisian", "", 12, 0},
		{"killer", "", 0, 46},
		{"canadian", "", 7, 0},
	} {
		if c.variant == "canadian" && !long() ||
			testing.Short() && (c.options != "" || c.variant == "brazilian") {
			continue // the run without -short has them
		}
		v := lookup(t, c.variant, c.options)
		tables := kingsOnly(t, v, 3)
		cut := map[Result]int{}
		held := map[Result]int{}
		n := 25
		if long() {
			n = 1000
		}
		for range n {
			m := []Material{{0, 2, 0, 1}, {0, 1, 0, 2}, {0, 1, 0, 1}}[r.IntN(3)]
			x := tables.tables[m.id()].index
			p := x.Position(r.Uint64N(x.Size()))
			if r.IntN(4) > 0 { // a position that is won or lost soon, but not at once
				for range 300 {
					if theory, plies, _ := tables.Probe(p); theory != Draw && plies > 2 && plies < 9 {
						break
					}
					p = x.Position(r.Uint64N(x.Size()))
				}
			}
			if c.endgame > 0 {
				p.Endgame = uint8(c.endgame + r.IntN(4))
				p.Quiet = p.Endgame
			}
			if c.quiet > 0 {
				p.Quiet = uint8(c.quiet + r.IntN(7))
			}
			full := counted{v: v, known: map[rules.Position]Result{}}
			want := full.result(p)
			got, ok := tables.InPlay(p, 0)
			if !ok || got != want {
				t.Fatalf("%s: %s, counts %d and %d: %s, %v; want %s",
					v, v.FEN(p), p.Quiet, p.Endgame, got, ok, want)
			}
			if theory, _, _ := tables.Probe(p); theory != got {
				cut[theory]++
			} else {
				held[theory]++
			}
		}
		if cut[Draw] != 0 || held[Draw] == 0 || cut[Win]+cut[Loss] == 0 || held[Win] == 0 {
			t.Errorf("%s: forbidden by a count %v, not forbidden %v: nothing is tested", v, cut, held)
		}
	}
}

// TestInPlayThreeKings compares three kings against one, near the limit of the counts that are
// made for them, with a full search of the positions of four pieces.
func TestInPlayThreeKings(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, name := range []string{"russian", "english", "pool"} {
		if name == "pool" && testing.Short() {
			continue // the run without -short has it
		}
		v := lookup(t, name, "")
		limit := max(v.Draws.ManyKings, v.Draws.ThreePieces)
		tables := kingsOnly(t, v, 4)
		seen := map[[2]Result]int{} // by theoretical result and result in play
		for range 24 {
			m := []Material{{Kings: 3, TheirKings: 1}, {Kings: 1, TheirKings: 3}}[r.IntN(2)]
			x := tables.tables[m.id()].index
			p := x.Position(r.Uint64N(x.Size()))
			for range 300 { // a position that is decided soon, but not at once
				if theory, plies, _ := tables.Probe(p); theory != Draw && plies > 1 && plies < 7 {
					break
				}
				p = x.Position(r.Uint64N(x.Size()))
			}
			if limit > 0 {
				p.Endgame = uint8(limit - 1 - r.IntN(3))
				p.Quiet = p.Endgame
			} else {
				p.Quiet = uint8(v.Draws.KingPlies - 1 - r.IntN(3))
			}
			full := counted{v: v, known: map[rules.Position]Result{}, few: tables}
			want := full.result(p)
			got, ok := tables.InPlay(p, 0)
			if !ok || got != want {
				t.Fatalf("%s: %s, counts %d and %d: %s, %v; want %s", v, v.FEN(p), p.Quiet, p.Endgame, got, ok, want)
			}
			theory, _, _ := tables.Probe(p)
			seen[[2]Result{theory, got}]++
		}
		if seen[[2]Result{Win, Draw}] == 0 || seen[[2]Result{Loss, Draw}] == 0 || seen[[2]Result{Win, Win}] == 0 {
			t.Errorf("%s: %v: nothing is tested", v, seen)
		}
	}
}

// TestInPlayGivesUp asks with too few nodes, and for a position that is unknown.
func TestInPlayGivesUp(t *testing.T) {
	v := lookup(t, "english", "")
	tables := inMemory(t, v, 3)
	x := tables.tables[Material{0, 2, 0, 1}.id()].index
	for i := range x.Size() {
		p := x.Position(i)
		if r, n, _ := tables.Probe(p); r != Win || n < 20 {
			continue
		}
		if r, ok := tables.InPlay(p, 0); !ok || r != Win {
			t.Errorf("%s with counts at zero: %s, %v", v.FEN(p), r, ok)
		}
		p.Quiet = 62
		if _, ok := tables.InPlay(p, 3); ok {
			t.Errorf("%s: three positions are enough", v.FEN(p))
		}
		break
	}
	p, err := rules.ParseFEN(v, "W:WK1,K2:BK32,K31")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tables.InPlay(p, 0); ok {
		t.Error("four pieces are known")
	}
}
