package alphabeta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"damier/rules"
)

func fen(t testing.TB, s string) rules.Position {
	t.Helper()
	p, err := rules.ParseFEN(rules.International, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// middlegames are positions of every phase for the tests below.
var middlegames = []string{
	"W:W31-50:B1-20",
	"W:W26,27,28,31,32,33,34,36,37,38,40,43,45,48:B3,6,8,9,11,12,13,14,16,17,18,19,23,24",
	"B:W25,28,30,35,38,40,42:B2,8,13,14,19,24,26",
	"W:WK5,32,41:BK46,9,14,20",
}

// TestVersion1IsFrozen holds the nodes, score and move of alphabeta-1: ratings of others rest on
// it. If this test fails, give the changed engine a new version name.
func TestVersion1IsFrozen(t *testing.T) {
	want := []string{
		"40161 2 31-27",
		"56235 -3 34-29",
		"20881 4 13-18",
		"5379 185 5x28",
	}
	for i, s := range middlegames {
		r := searchTo(Config{Version: "alphabeta-1", TableBits: 16}, fen(t, s), Limits{Depth: 9})
		got := fmt.Sprintf("%d %d %s", r.Nodes, r.Score, rules.International.FormatMove(r.PV[0]))
		if got != want[i] {
			t.Errorf("%s: nodes, score and move %q, want %q", s, got, want[i])
		}
	}
}

func TestLimits(t *testing.T) {
	p := rules.International.Start()
	var depths []int
	e, err := New(rules.International, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGameFrom(rules.International, p)
	last := uint64(0)
	r, err := e.Search(t.Context(), g, Limits{Depth: 5}, func(i Info) {
		depths = append(depths, i.Depth)
		if i.Nodes <= last || len(i.PV) == 0 {
			t.Errorf("report %+v after %d nodes", i, last)
		}
		last = i.Nodes
		line := rules.NewGameFrom(rules.International, p)
		for _, m := range i.PV {
			if err := line.Play(m); err != nil {
				t.Fatalf("depth %d: %v in the principal variation", i.Depth, err)
			}
		}
	})
	if err != nil || r.Depth != 5 || fmt.Sprint(depths) != "[1 2 3 4 5]" {
		t.Errorf("%+v, reports of depths %v", r, depths)
	}
	if r := searchTo(Config{}, p, Limits{Nodes: 3000}); r.Nodes > 3000 || r.Nodes < 2500 {
		t.Errorf("%d nodes, the limit is 3000", r.Nodes)
	}
	if r = searchTo(Config{}, p, Limits{Time: 40 * time.Millisecond, Whole: true}); r.Elapsed < 40*time.Millisecond {
		t.Errorf("of the whole 40 ms %v were used", r.Elapsed)
	}
	// On a busy machine a time may be too short for the second iteration: then it is doubled.
	limit := 40 * time.Millisecond
	for r = searchTo(Config{}, p, Limits{Time: limit}); r.Depth < 2 && limit < 5*time.Second; limit *= 2 {
		r = searchTo(Config{}, p, Limits{Time: 2 * limit})
	}
	if r.Depth < 2 || r.Elapsed > limit+20*time.Second {
		t.Errorf("depth %d in %s, the limit is %s", r.Depth, r.Elapsed, limit)
	}
	// With no time at all there is a move all the same.
	if r = searchTo(Config{}, p, Limits{Time: 1}); r.Depth < 1 || len(r.PV) == 0 {
		t.Errorf("%+v", r)
	}
	// A single legal move is not thought about.
	forced := fen(t, "W:W28,45:B23,6,7")
	if r = searchTo(Config{}, forced, Limits{Time: time.Hour}); r.Depth != 1 {
		t.Errorf("%+v", r)
	}
}

// A move that turned out better than expected is played, though the search be stopped before it
// knows how much better.
func TestStoppedWithABetterMove(t *testing.T) {
	for _, x := range []struct {
		fen   string
		nodes uint64 // with which the search stops there
	}{
		{"B:W25,28,30,31,32,33,35,39,40,41,42,44:B7,8,10,12,13,14,18,19,21,23,24", 23150},
		{"W:W26,29,30,35,36,37,40,43,45,46,47,48,49,50:B3,4,5,6,7,8,9,11,13,15,18,19,20,27", 34824},
		{"W:W26,34,35,37,41,42,44,49:B1,2,5,9,16,24,28", 56475},
	} {
		p := fen(t, x.fen)
		e, err := New(rules.International, Config{Version: "alphabeta-1", TableBits: 14})
		if err != nil {
			t.Fatal(err)
		}
		var before Info
		r, err := e.Search(t.Context(), rules.NewGameFrom(rules.International, p), Limits{Nodes: x.nodes}, func(i Info) { before = i })
		if err != nil {
			t.Fatal(err)
		}
		if !e.stopped || !e.raised || e.searched > 0 {
			t.Fatalf("%s: %d nodes do not end where a better move is known; stopped %v, raised %v, %d moves searched", x.fen, x.nodes, e.stopped, e.raised, e.searched)
		}
		if r.PV[0] != e.root[0].move || r.Score <= before.Score || r.Depth != before.Depth {
			t.Errorf("%s: it plays %v of %d points, and knows that %v is worth %d", x.fen, r.PV[0], r.Score, e.root[0].move, e.root[0].score)
		}
		if whole := searchTo(Config{Version: "alphabeta-1", TableBits: 14}, p, Limits{Depth: before.Depth + 1}); whole.PV[0] != r.PV[0] {
			t.Errorf("%s: it plays %v, the whole iteration %v; before %v", x.fen, r.PV[0], whole.PV[0], before.PV[0])
		}
	}
}

func TestSearchStopsWithItsContext(t *testing.T) {
	e, err := New(rules.International, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	g := rules.NewGame(rules.International)
	r, err := e.Search(ctx, g, Limits{}, func(i Info) {
		if i.Depth == 4 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r.Depth != 4 || len(r.PV) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = e.Search(ctx, g, Limits{}, nil)
	if !errors.Is(err, context.Canceled) || len(r.PV) == 0 {
		t.Errorf("with a finished context: %+v, %v", r, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for want, c := range map[string]Config{
		`unknown version "alphabeta-0"; known are: alphabeta-material, alphabeta-1`: {Version: "alphabeta-0"},
		"TableBits":  {TableBits: 40},
		"RandomTies": {RandomTies: -1},
		"Oversight":  {Oversight: 1.5},
	} {
		if _, err := New(rules.International, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestRandomTies(t *testing.T) {
	moves := map[rules.Move]bool{}
	for seed := range uint64(20) {
		c := Config{TableBits: 12, RandomTies: 4, Seed: seed}
		first := searchTo(c, rules.International.Start(), Limits{Depth: 3})
		moves[first.PV[0]] = true
		if again := searchTo(c, rules.International.Start(), Limits{Depth: 3}); again.PV[0] != first.PV[0] {
			t.Errorf("seed %d plays two moves", seed)
		}
	}
	if len(moves) < 2 {
		t.Error("20 seeds, one move")
	}
	// Where one move is best by far it is played.
	for seed := range uint64(10) {
		r := searchTo(Config{TableBits: 12, RandomTies: 10, Seed: seed}, fen(t, "W:W28,34,45:B19,9,14"), Limits{Depth: 7})
		plain := searchTo(Config{TableBits: 12}, fen(t, "W:W28,34,45:B19,9,14"), Limits{Depth: 7})
		if r.Score < plain.Score-10 {
			t.Errorf("score %d, without ties %d", r.Score, plain.Score)
		}
	}
}

// As often as asked the move is any of the legal ones, also the worst; the score is that of the
// best.
func TestOversight(t *testing.T) {
	p := fen(t, "W:W28,34,45:B19,9,14") // every move but one loses a man or more
	best := searchTo(Config{TableBits: 12}, p, Limits{Depth: 7})
	const (
		searches = 400
		advice   = -1 // stands for a search that is asked for the best
	)
	for _, share := range []float64{0, 0.25, 1, advice} {
		limits, c := Limits{Depth: 7}, Config{TableBits: 12, Oversight: share, Seed: 7}
		if share == advice {
			limits.Best, c.Oversight, c.RandomTies, share = true, 1, 500, 0
		}
		e, err := New(rules.International, c)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGameFrom(rules.International, p)
		counts := map[rules.Move]int{}
		for range searches {
			e.NewGame()
			r, err := e.Search(context.Background(), g, limits, nil)
			if err != nil || r.Score != best.Score || r.Depth != best.Depth {
				t.Fatalf("score %d at depth %d, %v; without oversights %d at depth %d", r.Score, r.Depth, err, best.Score, best.Depth)
			}
			counts[r.PV[0]]++
		}
		for _, m := range g.Legal() {
			want := share / float64(len(g.Legal()))
			if m == best.PV[0] {
				want += 1 - share
			}
			margin := 4 * math.Sqrt(want*(1-want)/searches) // one time in 16,000 by chance; the seed is fixed
			if got := float64(counts[m]) / searches; math.Abs(got-want) > margin {
				t.Errorf("oversight %g: a share of %.3f for %v, want %.3f", share, got, m, want)
			}
		}
	}
}

func TestMateScores(t *testing.T) {
	// 42-37 blocks the last man behind 31.
	r := searchTo(Config{}, fen(t, "W:W31,42:B26"), Limits{Depth: 6})
	if r.Score != Mate-1 || r.PV[0] != rules.NewMove(42, 37, rules.Set{}) {
		t.Errorf("%+v: want 42-37, which wins at once", r)
	}
	for _, s := range []Score{0, 5, -250, Mate - 7, -Mate + 7} {
		for _, ply := range []int{0, 3, 40} {
			if s > MateBound && ply > 7 || s < -MateBound && ply > 7 {
				continue
			}
			if got := fromTable(toTable(s, ply), ply); got != s {
				t.Errorf("%d at ply %d comes back as %d", s, ply, got)
			}
		}
	}
}

func TestRepetitionIsADraw(t *testing.T) {
	// Black, with one king against three, can make the position occur for the third time.
	g := rules.NewGameFrom(rules.International, fen(t, "W:WK6,K50,K45:BK46"))
	for _, m := range [][2]rules.Square{{45, 40}, {46, 37}, {40, 45}, {37, 46}, {45, 40}, {46, 37}, {40, 45}} {
		if err := g.Play(rules.NewMove(m[0], m[1], rules.Set{})); err != nil {
			t.Fatal(err)
		}
	}
	e, err := New(rules.International, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Search(t.Context(), g, Limits{Depth: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Score != 0 || r.PV[0] != rules.NewMove(37, 46, rules.Set{}) {
		t.Errorf("%+v: want 37-46, a draw by repetition", r)
	}
}

// mirror returns p after a half turn with colours swapped.
func mirror(p rules.Position) rules.Position {
	b := rules.International.Board
	turn := func(s rules.Set) rules.Set {
		var t rules.Set
		for !s.Empty() {
			t = t.Or(b.Set(b.Rotate(b.Pop(&s))))
		}
		return t
	}
	kings := p.Kings(rules.White).Or(p.Kings(rules.Black))
	return rules.NewPosition(turn(p.Pieces(rules.Black)), turn(p.Pieces(rules.White)), turn(kings), p.Turn.Opponent())
}

func TestEvaluationIsFair(t *testing.T) {
	e := newScorer(rules.International, weights1)
	for _, g := range randomGames(rules.International, 500, 2) {
		p := g.Position()
		p.Quiet, p.Endgame = 0, 0
		if a, b := e.score(p), e.score(mirror(p)); a != b {
			t.Fatalf("%s: %d, from the other side %d", rules.International.FEN(p), a, b)
		}
		q := p
		q.Turn = q.Turn.Opponent()
		if a, b := e.score(p), e.score(q); a+b != Score(2*weights1.turn) {
			t.Fatalf("%s: %d, with the other side to move %d", rules.International.FEN(p), a, b)
		}
	}
}

func TestEvaluationKnows(t *testing.T) {
	e := newScorer(rules.International, weights1)
	score := func(s string) Score { return e.score(fen(t, s)) }
	for _, c := range []struct{ better, worse, why string }{
		{"W:W31-50:B1-19", "W:W31-50:B1-20", "a man more"},
		{"W:WK50,41:B2,3", "W:W50,41:B2,3", "a king instead of a man"},
		{"W:W12,45:B36,40", "W:W22,45:B36,40", "a man nearer to its crowning"},
		{"W:W28,33,39:B1,2,3", "W:W26,36,46:B1,2,3", "the centre"},
		{"W:WK50,K49,K48,K45:BK47", "W:WK50,K49,K48,K45:BK46", "the lone king off the long diagonal"},
		{"W:WK50,K49,K48,K45:BK47", "W:WK50,K49,K48:BK47", "a fourth king"},
	} {
		if a, b := score(c.better), score(c.worse); a <= b {
			t.Errorf("%s: %d is not above %d", c.why, a, b)
		}
	}
}

func TestTable(t *testing.T) {
	tab := newTable(8)
	rng := rand.New(rand.NewPCG(1, 1))
	kept := map[uint64]entry{}
	for range 5000 {
		e := entry{key: rng.Uint64(), score: int16(rng.IntN(100)), depth: int8(rng.IntN(20)), bound: exact, from: 3, to: 9}
		tab.keep(e)
		kept[e.key] = e
		if got := tab.find(e.key); got != e {
			t.Fatalf("%+v comes back as %+v", e, got)
		}
		if got := tab.find(rng.Uint64()); got.bound != none {
			t.Fatalf("found what was not kept: %+v", got)
		}
	}
	found := 0
	for key, e := range kept {
		if got := tab.find(key); got.bound != none {
			if found++; got != e {
				t.Fatalf("%+v comes back as %+v", e, got)
			}
		}
	}
	if found < 200 || found > 256 {
		t.Errorf("%d of 256 entries in use", found)
	}
	tab.clear()
	for key := range kept {
		if tab.find(key).bound != none {
			t.Fatal("an entry survives clear")
		}
	}
	var off table
	off.keep(entry{key: 1, bound: exact})
	if off.find(1).bound != none {
		t.Error("a table that is switched off keeps")
	}
}

// TestSearchDoesNotAllocate: nothing in the search of a tree allocates; only what is per iteration
// and search does.
func TestSearchDoesNotAllocate(t *testing.T) {
	e, err := New(rules.International, Config{TableBits: 14})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	shallow := testing.AllocsPerRun(3, func() { e.Search(context.Background(), g, Limits{Depth: 8}, nil) })
	e.NewGame()
	r, _ := e.Search(context.Background(), g, Limits{Depth: 8}, nil)
	if shallow > 200 || r.Nodes < 5000 {
		t.Errorf("%.0f allocations in a search of %d nodes", shallow, r.Nodes)
	}
}

func ExampleEngine_Search() {
	e, err := New(rules.International, Config{Version: "alphabeta-1"})
	if err != nil {
		panic(err)
	}
	p, err := rules.ParseFEN(rules.International, "W:W31,42:B26")
	if err != nil {
		panic(err)
	}
	g := rules.NewGameFrom(rules.International, p)
	r, err := e.Search(context.Background(), g, Limits{Depth: 5}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(rules.International.FormatMove(r.PV[0]))
	// Output: 42-37
}

func BenchmarkSearch(b *testing.B) {
	e, err := New(rules.International, Config{TableBits: 18})
	if err != nil {
		b.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	b.ReportAllocs()
	nodes := uint64(0)
	for b.Loop() {
		e.NewGame()
		r, err := e.Search(context.Background(), g, Limits{Depth: 9}, nil)
		if err != nil {
			b.Fatal(err)
		}
		nodes += r.Nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

func BenchmarkEvaluate(b *testing.B) {
	e := newScorer(rules.International, weights1)
	p := fen(b, middlegames[1])
	b.ReportAllocs()
	for b.Loop() {
		e.score(p)
	}
}

// Several lines are the best move, then the best of the others, and so on: what a full search of
// each move says.
func TestLines(t *testing.T) {
	for _, v := range []*rules.Variant{rules.International, rules.Russian, rules.Turkish, rules.Frysk} {
		e, err := New(v, Config{TableBits: 12, NoReductions: true, NoTable: true})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 5))
		for range 4 {
			g := rules.NewGame(v)
			for range 6 {
				g.Play(g.Legal()[rng.IntN(len(g.Legal()))])
			}
			legal := g.Legal()
			if g.Over() || len(legal) < 2 {
				continue
			}
			const depth = 3
			scores := map[rules.Move]Score{}
			var order []Score
			for _, m := range legal {
				next := g.Clone()
				next.Play(m)
				e.SetLines(1)
				s := -Mate + 1
				if !next.Over() {
					info, err := e.Search(t.Context(), next, Limits{Depth: depth - 1}, nil)
					if err != nil {
						t.Fatal(err)
					}
					s = info.Score
				}
				scores[m] = -s
				order = append(order, -s)
			}
			slices.Sort(order)
			slices.Reverse(order)
			for _, lines := range []int{1, 3, 100} {
				e.SetLines(lines)
				reports := 0
				info, err := e.Search(t.Context(), g, Limits{Depth: depth}, func(i Info) {
					if reports++; len(i.Others) != min(lines, len(legal))-1 {
						t.Errorf("%s: %d other lines, %d asked for, %d moves", v, len(i.Others), lines, len(legal))
					}
				})
				if err != nil || reports != depth {
					t.Fatalf("%s: %d reports, %v", v, reports, err)
				}
				seen := map[rules.Move]bool{}
				for k, l := range append([]Line{{info.Score, info.PV}}, info.Others...) {
					m := l.PV[0]
					if seen[m] || l.Score != order[k] || l.Score != scores[m] {
						t.Errorf("%s: line %d is %s with %d; want a move with %d, that has %d", v, k+1, v.FormatMove(m), l.Score, order[k], scores[m])
					}
					seen[m] = true
					next := g.Clone()
					for _, m := range l.PV {
						if err := next.Play(m); err != nil {
							t.Errorf("%s: line %d: %v", v, k+1, err)
						}
					}
				}
			}
		}
	}
}

// Stopped at any moment, a search tells no move twice.
func TestLinesStopped(t *testing.T) {
	v := rules.International
	e, err := New(v, Config{TableBits: 12})
	if err != nil {
		t.Fatal(err)
	}
	e.SetLines(4)
	for nodes := uint64(1); nodes < 20_000; nodes += nodes/3 + 1 {
		info, err := e.Search(t.Context(), rules.NewGame(v), Limits{Nodes: nodes}, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[rules.Move]bool{info.PV[0]: true}
		for _, l := range info.Others {
			if seen[l.PV[0]] {
				t.Errorf("%d nodes: %s is told twice", nodes, v.FormatMove(l.PV[0]))
			}
			seen[l.PV[0]] = true
		}
		if len(seen) < 3 {
			t.Errorf("%d nodes: %d lines", nodes, len(seen))
		}
	}
}

// TestFirstIterationEnds searches a position in which the captures of the first iteration go on for
// minutes: every limit ends it soon, with a legal move. Where it is short it is finished.
func TestFirstIterationEnds(t *testing.T) {
	v, err := rules.Lookup("canadian", nil)
	if err != nil {
		t.Fatal(err)
	}
	kings, err := rules.ParseFEN(v, "W:WK1,K2,K3,K6,K7,K14,K21,K22,K30,K31,K33,K38,K44,K46,K49,K63,K64,K66,K72:"+
		"BK4,K13,K16,K17,K19,K20,K23,K24,K26,K34,K37,K40,K43,K45,K50,K51,K52,K57,K58,K61,K67,K68,K70")
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, version := range []string{"alphabeta-1", "alphabeta-2"} {
		e, err := New(v, Config{Version: version, TableBits: 10})
		if err != nil {
			t.Fatal(err)
		}
		for name, l := range map[string]struct {
			ctx    context.Context
			limits Limits
		}{
			"context": {over, Limits{}},
			"nodes":   {t.Context(), Limits{Nodes: 100}},
			"time":    {t.Context(), Limits{Time: 1}},
		} {
			g := rules.NewGameFrom(v, kings)
			info, err := e.Search(l.ctx, g, l.limits, nil)
			if err != nil && len(info.PV) == 0 {
				t.Fatal(err)
			}
			if info.Nodes > firstNodes+1024 || !slices.Contains(g.Legal(), info.PV[0]) || max(info.Score, -info.Score) >= MateBound {
				t.Errorf("%s, %s: %d nodes, %v, score %d", version, name, info.Nodes, info.PV, info.Score)
			}
			info, _ = e.Search(l.ctx, rules.NewGame(v), l.limits, nil)
			if info.Depth < 1 || len(info.PV) == 0 {
				t.Errorf("%s, %s: from the start depth %d, %v", version, name, info.Depth, info.PV)
			}
		}
	}
}
