package alphabeta

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"damier/rules"
)

// TestHash keeps entries in a table that is far too small: what comes back is what was kept last
// of its key.
func TestHash(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tab := newHash(8)
	type entry struct {
		score       int16
		depth, move int
		bound       bound
	}
	kept := map[uint64]entry{}
	for range 2000 {
		key := rng.Uint64()
		e := entry{int16(rng.IntN(60001) - 30000), 1 + rng.IntN(126), rng.IntN(127), bound(1 + rng.IntN(3))}
		tab.keep(key, e.score, e.depth, e.bound, e.move)
		kept[key] = e
		if k := tab.find(key); (entry{k.score(), k.depth(), k.move(), k.bound()}) != e {
			t.Fatalf("%+v comes back as %d, depth %d, move %d, bound %d", e, k.score(), k.depth(), k.move(), k.bound())
		}
	}
	found := 0
	for key, e := range kept {
		if k := tab.find(key); k.bound() != none {
			if found++; (entry{k.score(), k.depth(), k.move(), k.bound()}) != e {
				t.Fatalf("%+v comes back as another", e)
			}
		}
	}
	if found < 200 || found > 256 {
		t.Errorf("%d of 256 entries are in use", found)
	}
	tab.clear()
	for key := range kept {
		if tab.find(key).bound() != none {
			t.Fatal("an entry survives clear")
		}
	}
	var off hash
	off.keep(1, 2, 3, exact, 4)
	off.prefetch(1)
	if off.find(1).bound() != none {
		t.Error("a table that is switched off keeps")
	}
}

// TestSelective searches random games of every variant by alphabeta-2: twice the same after
// NewGame, lines of legal moves, and every setting of the selectivity at once is still a search.
func TestSelective(t *testing.T) {
	all := Selectivity{
		Base: 50, Slope: 60, First: 1, Static: 2, StaticMargin: 40, Probe: 3, ProbeShare: 50, ProbeBase: 10, ProbeMargin: 10,
	}
	for _, v := range family(t) {
		for _, c := range []Config{{Version: "alphabeta-2", TableBits: 12}, {Version: "alphabeta-2", TableBits: 12, Selectivity: &all}} {
			e, err := New(v, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range randomGames(v, 4, 27) {
				var told [2]string
				for i := range told {
					e.NewGame()
					r, err := e.Search(t.Context(), g, Limits{Depth: 7, Nodes: 5000}, nil)
					if err != nil {
						t.Fatal(err)
					}
					told[i] = fmt.Sprint(r.Nodes, r.Score, r.PV)
					line := g.Clone()
					for _, m := range r.PV {
						if err := line.Play(m); err != nil {
							t.Fatalf("%s, %s: %v in the line", v.Name, v.FEN(g.Position()), err)
						}
					}
				}
				if told[0] != told[1] {
					t.Errorf("%s, %s: once %s, then %s", v.Name, v.FEN(g.Position()), told[0], told[1])
				}
			}
		}
	}
}

// TestDefaults: a search over an Evaluator has the selectivity that the variant asks for; that of
// alphabeta-2 never changes.
func TestDefaults(t *testing.T) {
	own := Selectivity{Base: 70, Slope: 10}
	for _, v := range family(t) {
		want := defaults
		if v.Name == "antidraughts" {
			want.Probe = 0
		}
		for _, x := range []struct {
			config Config
			want   Selectivity
		}{
			{Config{Version: "alphabeta-2"}, defaults},
			{Config{Evaluator: halved{}}, want},
			{Config{Evaluator: halved{}, Version: "alphabeta-2"}, want},
			{Config{Evaluator: halved{}, Selectivity: &own}, own},
		} {
			x.config.TableBits, x.config.Cores = 8, 2
			e, err := New(v, x.config)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range append(e.helpers, e) {
				if e.deep.Selectivity != x.want {
					t.Errorf("%s: %+v, want %+v", v.Name, e.deep.Selectivity, x.want)
				}
			}
		}
	}
}

// TestSelectiveSeesFarther: in as many nodes alphabeta-2 completes more plies than alphabeta-1.
func TestSelectiveSeesFarther(t *testing.T) {
	var depths [2]int
	for i, version := range []string{"alphabeta-1", "alphabeta-2"} {
		for _, s := range middlegames[:3] {
			depths[i] += searchTo(Config{Version: version, TableBits: 14}, fen(t, s), Limits{Nodes: 50_000}).Depth
		}
	}
	if depths[1] <= depths[0] {
		t.Errorf("alphabeta-1 completes %d plies in three positions, alphabeta-2 %d", depths[0], depths[1])
	}
}

func BenchmarkSelective(b *testing.B) {
	for _, version := range []string{"alphabeta-1", "alphabeta-2"} {
		b.Run(version, func(b *testing.B) {
			e, err := New(rules.International, Config{Version: version})
			if err != nil {
				b.Fatal(err)
			}
			nodes := uint64(0)
			g := rules.NewGameFrom(rules.International, fen(b, middlegames[1]))
			for b.Loop() {
				e.NewGame()
				r, err := e.Search(b.Context(), g, Limits{Nodes: 400_000}, nil)
				if err != nil {
					b.Fatal(err)
				}
				nodes += r.Nodes
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
		})
	}
}

var writeTree = flag.Bool("write-tree", false, "write testdata/selective.txt anew: the tree of alphabeta-2 was changed on purpose")

// TestSelectiveTree holds nodes, score and move of the iterations 1 to 7 of alphabeta-2 in
// positions of random games of every variant, so that a change meant for speed is seen to change
// nothing else.
func TestSelectiveTree(t *testing.T) {
	const path = "testdata/selective.txt"
	var got strings.Builder
	for _, v := range family(t) {
		for i, g := range randomGames(v, 6, 33) {
			fmt.Fprintf(&got, "%s %d: %s\n", v.Name, i, gameIterations(t, "alphabeta-2", g, 7))
		}
	}
	if *writeTree {
		must(os.WriteFile(path, []byte(got.String()), 0o644))
	}
	sameLines(t, path, got.String())
}
