package egdb_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"damier/alphabeta"
	"damier/egdb"
	"damier/mcts"
	"damier/rules"
)

var (
	_ mcts.Prober      = (*egdb.Tables)(nil)
	_ alphabeta.Prober = (*egdb.Tables)(nil)
)

// even is an evaluator with uniform priors and the value of an even position.
type even struct{}

func (even) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		l := &leaves[i]
		for j := range l.Priors {
			l.Priors[j] = 1 / float32(len(l.Priors))
		}
		l.Value = rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
	}
	return nil
}

// thinker plays with tables and returns the result it has proved, or Ongoing.
type thinker struct {
	name  string
	think func(g *rules.Game) (rules.Move, rules.Outcome)
}

// thinkers returns the searches that use tables, with small and larger limits.
func thinkers(t *testing.T, v *rules.Variant, tables *egdb.Tables, visits, depth int) []thinker {
	t.Helper()
	var all []thinker
	for _, root := range []mcts.Root{mcts.Gumbel, mcts.PUCT} {
		s := mcts.NewSearch(v, mcts.Config{Root: root, Share: true, Reuse: true})
		s.SetTables(tables)
		all = append(all, thinker{"tree search, " + string(root), func(g *rules.Game) (rules.Move, rules.Outcome) {
			s.Start(g, mcts.Budget{Simulations: visits}, nil)
			r, err := s.Run(context.Background(), even{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			proved := rules.Ongoing
			switch r.Proof {
			case mcts.ProvedWin:
				proved = rules.Win(g.Position().Turn)
			case mcts.ProvedLoss:
				proved = rules.Win(g.Position().Turn.Opponent())
			case mcts.ProvedDraw:
				proved = rules.Draw
			}
			return r.Moves[r.Best], proved
		}})
	}
	for _, version := range []string{"alphabeta-1", "alphabeta-2"} {
		all = append(all, alphaBeta(t, v, version, tables, depth))
	}
	return all
}

// alphaBeta returns a thinker by a version of the alpha-beta search.
func alphaBeta(t *testing.T, v *rules.Variant, version string, tables alphabeta.Prober, depth int) thinker {
	t.Helper()
	e, err := alphabeta.New(v, alphabeta.Config{Version: version, TableBits: 12, Tables: tables})
	if err != nil {
		t.Fatal(err)
	}
	return thinker{version, func(g *rules.Game) (rules.Move, rules.Outcome) {
		info, err := e.Search(context.Background(), g, alphabeta.Limits{Depth: depth}, nil)
		if err != nil {
			t.Fatal(err)
		}
		proved := rules.Ongoing
		switch {
		case info.Score >= alphabeta.MateBound:
			proved = rules.Win(g.Position().Turn)
		case info.Score <= -alphabeta.MateBound:
			proved = rules.Win(g.Position().Turn.Opponent())
		}
		return info.PV[0], proved
	}}
}

func variant(t *testing.T, name string) *rules.Variant {
	t.Helper()
	v, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ending returns a random position of `pieces` pieces.
func ending(t *testing.T, v *rules.Variant, rng *rand.Rand, pieces int) rules.Position {
	t.Helper()
	all := egdb.Materials(pieces)
	x, err := egdb.NewIndex(v, all[rng.IntN(len(all))])
	if err != nil {
		t.Fatal(err)
	}
	return x.Position(rng.Uint64N(x.Size()))
}

// TestWonEndingsAreWon plays endings that are won in play, with a search of very few visits
// against the longest defence. Each is won in as many plies as the table says.
func TestWonEndingsAreWon(t *testing.T) {
	for _, name := range []string{"english", "russian", "international", "killer", "antidraughts", "breakthrough"} {
		v := variant(t, name)
		pieces := egdb.ThreePieces(v)
		tables := egdb.InMemory(t, v, pieces)
		rng := rand.New(rand.NewPCG(1, 2))
		for _, w := range thinkers(t, v, tables, 2, 1) {
			for played := 0; played < 15; {
				p := ending(t, v, rng, pieces)
				outcome, plies, exact, ok := tables.Solve(p)
				if g := rules.NewGameFrom(v, p); !ok || !exact || outcome == rules.Draw || plies < 6 || g.Over() {
					continue
				}
				played++
				g := rules.NewGameFrom(v, p)
				for !g.Over() {
					m, known := tables.Best(g.Position())
					if outcome == rules.Win(g.Position().Turn) {
						m, _ = w.think(g)
					} else if !known {
						t.Fatalf("%s: %s has no best move", name, v.FEN(g.Position()))
					}
					if err := g.Play(m); err != nil {
						t.Fatal(err)
					}
				}
				if got, reason := g.Outcome(); got != outcome || g.Ply() != plies {
					t.Errorf("%s by %s: %s ends %v by %s after %d plies; want %v after %d",
						name, w.name, v.FEN(p), got, reason, g.Ply(), outcome, plies)
				}
			}
		}
	}
}

// TestProofsByTables searches positions of four pieces with tables of three, with -short of three
// with tables of two: the proved results are those of the larger tables, counters included.
func TestProofsByTables(t *testing.T) {
	proofs := map[string]int{}
	names, pieces := []string{"english"}, 4
	if testing.Short() {
		pieces = 3
	}
	if os.Getenv("DAMIER_LONG") != "" {
		names = append(names, "russian", "killer")
	}
	for _, name := range names {
		v := variant(t, name)
		few, more := egdb.InMemory(t, v, pieces-1), egdb.InMemory(t, v, pieces)
		rng := rand.New(rand.NewPCG(3, 4))
		for _, w := range thinkers(t, v, few, 200, 6) {
			for range 60 {
				p := ending(t, v, rng, pieces)
				if g := rules.NewGameFrom(v, p); g.Over() {
					continue
				}
				if v.Draws.KingPlies > 0 && rng.IntN(2) == 0 {
					p.Quiet = uint8(v.Draws.KingPlies - 1 - rng.IntN(12))
				}
				_, proved := w.think(rules.NewGameFrom(v, p))
				if proved == rules.Ongoing {
					continue
				}
				outcome, _, exact, ok := more.Solve(p)
				if !ok || !exact {
					continue
				}
				proofs[fmt.Sprintf("%s by %s", name, w.name)]++
				if outcome != proved {
					t.Errorf("%s by %s: %s, count %d: proved %v; it is %v", name, w.name, v.FEN(p), p.Quiet, proved, outcome)
				}
			}
		}
	}
	for _, who := range []string{"english by tree search, gumbel", "english by tree search, puct", "english by alphabeta-1", "english by alphabeta-2"} {
		if proofs[who] < 5 {
			t.Errorf("only %d proofs of %s in %v", proofs[who], who, proofs)
		}
	}
}

// TestBestMoves searches endings of which the tables know all moves, many of them with counters near
// their limits: the searches play the tables' move, even if another seems to win sooner to them.
func TestBestMoves(t *testing.T) {
	for _, name := range []string{"english", "russian", "international", "killer", "spanish"} {
		v := variant(t, name)
		pieces := egdb.ThreePieces(v)
		tables := egdb.InMemory(t, v, pieces)
		rng := rand.New(rand.NewPCG(7, 8))
		all := thinkers(t, v, tables, 50, 4)
		for played := 0; played < 300; {
			p := ending(t, v, rng, pieces)
			if limit := v.Draws.KingPlies; limit > 0 && rng.IntN(2) == 0 {
				p.Quiet = uint8(limit - 1 - rng.IntN(12))
			}
			if limit := v.Draws.ThreePieces; limit > 0 && rng.IntN(2) == 0 {
				p.Endgame = uint8(max(limit-1-rng.IntN(12), 0))
			}
			g := rules.NewGameFrom(v, p)
			want, known := tables.Best(p)
			if g.Over() || !known {
				continue
			}
			played++
			for _, w := range all {
				if got, _ := w.think(g); got != want {
					t.Errorf("%s by %s: %s, counts %d and %d: plays %s; the tables play %s",
						name, w.name, v.FEN(p), p.Quiet, p.Endgame, v.FormatMove(got), v.FormatMove(want))
				}
			}
		}
	}
}

// TestBestMovesThatRepeat walks about at random in won endings, until the tables' move would repeat
// a position for the last time: the searches play another move that wins, and a side that loses
// repeats.
func TestBestMovesThatRepeat(t *testing.T) {
	v := variant(t, "english")
	tables := egdb.InMemory(t, v, 3)
	all := thinkers(t, v, tables, 50, 4)
	rng := rand.New(rand.NewPCG(9, 10))
	won, saved := 0, 0
	for won < 20 || saved < 20 {
		p := ending(t, v, rng, 3)
		if _, kings, _ := p.Sets(); kings.Lo == 0 {
			continue
		}
		for g := rules.NewGameFrom(v, p); !g.Over() && g.Ply() < 40; {
			best, known := tables.Best(g.Position())
			if !known {
				break
			}
			// The results of the moves, without those that end the game by repetition.
			side := g.Position().Turn
			wins, repeats, bestRepeats := false, false, false
			outcome, _, exact, _ := tables.Solve(g.Position())
			for _, m := range g.Legal() {
				q := v.Play(g.Position(), m)
				third := g.OccurrencesOf(q) >= v.Draws.Repetition-1
				repeats = repeats || third
				bestRepeats = bestRepeats || third && m == best
				o, _, sure, _ := tables.Solve(q)
				wins = wins || !third && sure && o == rules.Win(side)
			}
			if exact && repeats && (bestRepeats && wins || outcome == rules.Win(side.Opponent())) {
				for _, w := range all {
					m, _ := w.think(g)
					third := g.OccurrencesOf(v.Play(g.Position(), m)) >= v.Draws.Repetition-1
					if third == wins {
						t.Errorf("%s: %s after %d plies: plays %s, the tables play %s", w.name, v.FEN(g.Position()), g.Ply(), v.FormatMove(m), v.FormatMove(best))
					}
				}
				if wins {
					won++
				} else {
					saved++
				}
				break
			}
			legal := g.Legal()
			if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// listener is tables that keep the wins that they leave open to a search.
type listener struct {
	*egdb.Tables
	open map[rules.Position]bool
}

func (l listener) Glance(p rules.Position) (rules.Outcome, int, bool, bool) {
	outcome, plies, exact, ok := l.Tables.Glance(p)
	if ok && !exact {
		l.open[p] = true
	}
	return outcome, plies, exact, ok
}

// TestOpenWins collects the wins that Glance leaves open to searches from random endings, and
// settles them with InPlay: hardly any is a draw, for the draw counters of a leaf have just begun.
func TestOpenWins(t *testing.T) {
	if os.Getenv("DAMIER_LONG") == "" {
		t.Skip("set DAMIER_LONG=1: it takes a minute")
	}
	all, settled, drawn := 0, 0, 0
	for _, name := range []string{"english", "russian", "brazilian", "international", "spanish", "killer", "frisian"} {
		v := variant(t, name)
		pieces := 4
		if v.Board.Squares() > 32 {
			pieces = 3 // those of four take minutes
		}
		l := listener{egdb.InMemory(t, v, pieces), map[rules.Position]bool{}}
		rng := rand.New(rand.NewPCG(5, 6))
		search := alphaBeta(t, v, "alphabeta-2", l, 6)
		for played := 0; played < 20; {
			if g := rules.NewGameFrom(v, ending(t, v, rng, l.Pieces()+2)); !g.Over() {
				search.think(g)
				played++
			}
		}
		before := drawn
		for p := range l.open {
			if r, ok := l.InPlay(p, 5000); ok {
				settled++
				if r == egdb.Draw {
					drawn++
				}
			}
		}
		all += len(l.open)
		t.Logf("%s: %d open, %d drawn", name, len(l.open), drawn-before)
	}
	t.Logf("%d open, %d settled, %d drawn", all, settled, drawn)
	if settled < 200 || drawn*50 > settled {
		t.Errorf("of %d open wins %d are settled, and %d of these are drawn", all, settled, drawn)
	}
}

// BenchmarkSearch searches positions with all their pieces, which no table knows, with tables and
// without: the test at each node costs less than 3 % (docs/egdb.md).
func BenchmarkSearch(b *testing.B) {
	v := rules.International
	tables := egdb.InMemory(b, v, 3)
	g := rules.NewGame(v)
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("alphabeta/tables=%v", with), func(b *testing.B) {
			c := alphabeta.Config{Version: "alphabeta-2", TableBits: 16}
			if with {
				c.Tables = tables
			}
			e, err := alphabeta.New(v, c)
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				e.NewGame()
				if _, err := e.Search(context.Background(), g, alphabeta.Limits{Nodes: 100_000}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("mcts/tables=%v", with), func(b *testing.B) {
			s := mcts.NewSearch(v, mcts.Config{Root: mcts.PUCT})
			if with {
				s.SetTables(tables)
			}
			for range b.N {
				s.Forget()
				s.Start(g, mcts.Budget{Simulations: 20_000}, nil)
				if _, err := s.Run(context.Background(), even{}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEndings searches endings of six pieces with tables of four and without, with a number of
// nodes: what the probes of a search cost where many of its nodes are known.
func BenchmarkEndings(b *testing.B) {
	for _, name := range []string{"english", "russian", "international"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			b.Fatal(err)
		}
		pieces := 4
		if name == "international" {
			pieces = 3 // those of four take minutes
		}
		tables := egdb.InMemory(b, v, pieces)
		all := egdb.Materials(pieces + 2)
		rng := rand.New(rand.NewPCG(5, 6))
		var games []*rules.Game
		for len(games) < 20 {
			x, err := egdb.NewIndex(v, all[rng.IntN(len(all))])
			if err != nil {
				b.Fatal(err)
			}
			if g := rules.NewGameFrom(v, x.Position(rng.Uint64N(x.Size()))); !g.Over() {
				games = append(games, g)
			}
		}
		for _, with := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/tables=%v", name, with), func(b *testing.B) {
				c := alphabeta.Config{Version: "alphabeta-2", TableBits: 16}
				if with {
					c.Tables = tables
				}
				e, err := alphabeta.New(v, c)
				if err != nil {
					b.Fatal(err)
				}
				nodes := uint64(0)
				for range b.N {
					for _, g := range games {
						e.NewGame()
						info, err := e.Search(context.Background(), g, alphabeta.Limits{Nodes: 20_000}, nil)
						if err != nil {
							b.Fatal(err)
						}
						nodes += info.Nodes
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
			})
		}
	}
}
