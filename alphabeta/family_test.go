package alphabeta

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"damier/rules"
)

// family returns all variants with their default options.
func family(t testing.TB) []*rules.Variant {
	t.Helper()
	var all []*rules.Variant
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// randomWeights returns weights all of which count.
func randomWeights(rng *rand.Rand) weights {
	w := weights{few: 2, fewRoad: 5, fewLead: 7, turn: 3}
	number := func(p *int) { *p = rng.IntN(60) - 20 }
	for i := range 2 {
		for _, p := range []*int{&w.man[i], &w.king[i], &w.supported[i], &w.mobility[i], &w.balance[i]} {
			number(p)
		}
		for j := range w.row[i] {
			number(&w.row[i][j])
		}
		for j := range w.column[i] {
			number(&w.column[i][j])
		}
	}
	for i := range w.guard {
		number(&w.guard[i])
		number(&w.through[i])
	}
	w.diagonal, w.centre, w.reach = 7, 11, 13
	return w
}

// TestScorersAgree compares the fast scorer with the one that serves every board.
func TestScorersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	fast := 0
	for _, v := range family(t) {
		for _, w := range []weights{weightsOf(v), randomWeights(rng), randomWeights(rng)} {
			slow := newEvaluator(v, w)
			d := newDiagonal(slow)
			if d == nil {
				continue
			}
			fast++
			for _, g := range randomGames(v, 60, 3) {
				p := g.Position()
				for range 2 {
					if a, b := d.score(p), slow.score(p); a != b {
						t.Fatalf("%s, %s: %d by bitboards, %d square by square", v.Name, v.FEN(p), a, b)
					}
					p.Turn = p.Turn.Opponent()
				}
			}
		}
	}
	if fast != 3*16 {
		t.Errorf("%d fast scorers, want one for each variant but two", fast/3)
	}
}

// TestEvaluationIsFairInTheFamily: turned round with colours swapped, a position is worth the
// same.
func TestEvaluationIsFairInTheFamily(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, v := range family(t) {
		for _, w := range []weights{weightsOf(v), randomWeights(rng)} {
			e := newScorer(v, w)
			for _, g := range randomGames(v, 40, 8) {
				p := g.Position()
				if a, b := e.score(p), e.score(v.Rotate(p)); a != b {
					t.Fatalf("%s, %s: %d, from the other side %d", v.Name, v.FEN(p), a, b)
				}
			}
		}
	}
}

// TestExactlyMinimaxInTheFamily compares positions of every variant with the twins: 12 of each at
// depths 1 to 3, and with DAMIER_LONG=1 100 of each at depths 1 to 4.
func TestExactlyMinimaxInTheFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("-short is for the race detector, and this test has one goroutine")
	}
	n, depth := 12, 3
	if os.Getenv("DAMIER_LONG") == "1" {
		n, depth = 100, 4
	}
	for _, v := range family(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			for _, g := range randomGames(v, n, 21) {
				d := depth
				if len(g.Legal()) > 25 {
					d--
				}
				checkExact(t, g, d, d)
			}
		})
	}
}

// searchIn searches a position of a variant.
func searchIn(t *testing.T, v *rules.Variant, text string, l Limits) (rules.Position, Info) {
	t.Helper()
	p, err := rules.ParseFEN(v, text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(v, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Search(context.Background(), rules.NewGameFrom(v, p), l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// TestWinsByTheRulesOfTheVariant: what wins, and in how many plies, is the variant's.
func TestWinsByTheRulesOfTheVariant(t *testing.T) {
	for _, c := range []struct {
		v         *rules.Variant
		fen, move string
		score     Score
		why       string
	}{
		{rules.Breakthrough, "W:W7,40:B20,45", "7-1", Mate - 1, "the first king wins"},
		{rules.Breakthrough, "W:W12,46:B5,33", "", Mate - 3, "White is crowned first"},
		{rules.Breakthrough, "B:W12,46:B5,33", "", -Mate + 4, "and here too"},
		{rules.Antidraughts, "W:W28:B22", "28x17", -Mate + 1, "taking the last piece loses"},
		{rules.Antidraughts, "W:W33:B17,22", "33-28", Mate - 2, "giving the last piece wins"},
		{rules.International, "W:W33:B17,22", "", 0, "which it does not elsewhere"},
		{rules.English, "W:W6:B12", "", 0, "crowned, but nothing won yet"},
		{rules.Turkish, "W:W41:B33", "", Mate - 1, "taken forward"},
	} {
		p, r := searchIn(t, c.v, c.fen, Limits{Depth: 6})
		if c.score != 0 && r.Score != c.score || c.score == 0 && max(r.Score, -r.Score) > MateBound && r.Score > 0 {
			t.Errorf("%s, %s: score %d, want %d: %s", c.v.Name, c.fen, r.Score, c.score, c.why)
		}
		if m := c.v.FormatMove(r.PV[0]); c.move != "" && m != c.move {
			t.Errorf("%s, %s: plays %s, want %s: %s", c.v.Name, c.v.FEN(p), m, c.move, c.why)
		}
	}
}

// TestTableKeepsCountersApart: positions that differ only in what the rules count are not the same
// for the search.
func TestTableKeepsCountersApart(t *testing.T) {
	// The king on 50 has made its three moves: White must move the man.
	v := rules.Frisian
	p, barred := searchIn(t, v, "W:WK50,26:B1,7:+0+350", Limits{Depth: 5})
	if n, _ := p.KingMoves(rules.White); n != 3 {
		t.Fatalf("%d king moves are read", n)
	}
	if m := barred.PV[0]; m.From != 26 {
		t.Errorf("plays %s with a king that may not move", v.FormatMove(m))
	}
	e, err := New(v, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	q := p.WithKingMoves(rules.White, 0, rules.NoSquare)
	e.keys = make([]uint64, 8)
	if e.tableKey(&p, p.Key(), 0) == e.tableKey(&q, q.Key(), 0) {
		t.Error("the moves of the king are not in the table's key")
	}

	ru, err := New(rules.Russian, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	p, err = rules.ParseFEN(rules.Russian, "W:WKa1,Kc1,Ke1:BKh8")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*rules.Position){
		"Road": func(p *rules.Position) { p.Road = 4 }, "Endgame": func(p *rules.Position) { p.Endgame = 4 },
		"Quiet": func(p *rules.Position) { p.Quiet = 28 },
	} {
		q := p
		change(&q)
		if ru.tableKey(&p, p.Key(), 0) == ru.tableKey(&q, q.Key(), 0) {
			t.Errorf("%s is not in the table's key", name)
		}
	}
}

// TestFourOccurrences: where a position draws on its fourth occurrence only, a third in the game
// is none.
func TestFourOccurrences(t *testing.T) {
	v := rules.Italian
	if v.Draws.Repetition != 4 {
		t.Fatal("Italian draughts draws by four occurrences")
	}
	e, err := New(v, Config{TableBits: 10})
	if err != nil {
		t.Fatal(err)
	}
	p, err := rules.ParseFEN(v, "W:WK32,K31:BK1")
	if err != nil {
		t.Fatal(err)
	}
	p.Quiet = 20
	for earlier, want := range []bool{false, false, false, true} {
		e.base = 4 * earlier
		e.keys = make([]uint64, 4*earlier+1)
		for i := range e.keys {
			e.keys[i] = uint64(i)
			if i%4 == 0 {
				e.keys[i] = p.Key()
			}
		}
		if got := e.repeats(&p, 0); got != want {
			t.Errorf("after %d occurrences: a draw %v, want %v", earlier, got, want)
		}
	}
}

// TestMaterialKnowsNothingElse: the yardstick tells pieces apart, but no squares.
func TestMaterialKnowsNothingElse(t *testing.T) {
	for _, v := range family(t) {
		w, full := material(v), weightsOf(v)
		if w.man != full.man || w.king != full.king {
			t.Errorf("%s: its pieces are worth %v and %v, not %v and %v", v.Name, w.man, w.king, full.man, full.king)
		}
		w.man, w.king = [2]int{}, [2]int{}
		if w != (weights{}) {
			t.Errorf("%s: %+v is left without the pieces", v.Name, w)
		}
		if full == material(v) {
			t.Errorf("%s has no evaluation", v.Name)
		}
	}
}

func TestEveryVersionInEveryVariant(t *testing.T) {
	for _, v := range family(t) {
		for _, name := range Versions() {
			e, err := New(v, Config{Version: name, TableBits: 10})
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			g := rules.NewGame(v)
			for !g.Over() && g.Ply() < 30 {
				r, err := e.Search(t.Context(), g, Limits{Depth: 2}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := g.Play(r.PV[0]); err != nil {
					t.Fatalf("%s, %s: %v", v.Name, name, err)
				}
			}
			if !strings.HasPrefix(e.Name(), "alphabeta-") {
				t.Errorf("the name %q", e.Name())
			}
		}
	}
}
