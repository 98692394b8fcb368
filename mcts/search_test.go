package mcts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"damier/rules"
)

var roots = []Root{Gumbel, PUCT}

// run searches g to the end of the budget and checks the tree.
func run(t *testing.T, s *Search, g *rules.Game, b Budget, rng *rand.Rand, eval func(*Leaf), batch int) Result {
	t.Helper()
	if len(s.nodes) == 0 {
		s.roots = true // to check the draws and the value of every node
	}
	s.Start(g, b, rng)
	r, err := s.Run(context.Background(), evalFunc(eval), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.only) == 0 {
		if err := s.check(g); err != nil {
			t.Fatalf("%s: %v", rules.International.FEN(g.Position()), err)
		}
	}
	checkResult(t, g, r)
	return r
}

// checkResult checks what holds for every result.
func checkResult(t *testing.T, g *rules.Game, r Result) {
	t.Helper()
	n := len(g.Legal())
	if !slices.Equal(r.Moves, g.Legal()) || len(r.Visits) != n || len(r.Priors) != n || len(r.Values) != n || len(r.Policy) != n {
		t.Fatalf("%d moves, %d visits, %d priors, %d values, %d of policy; want %d", len(r.Moves), len(r.Visits), len(r.Priors), len(r.Values), len(r.Policy), n)
	}
	priors, policy := 0.0, 0.0
	for i := range n {
		priors += float64(r.Priors[i])
		policy += float64(r.Policy[i])
		if r.Policy[i] < 0 || math.IsNaN(float64(r.Values[i])) != (r.Visits[i] == 0) || r.Values[i] < 0 || r.Values[i] > 1 {
			t.Fatalf("move %d: policy %g, value %g at %d visits", i, r.Policy[i], r.Values[i], r.Visits[i])
		}
	}
	if math.Abs(priors-1) > 1e-4 || math.Abs(policy-1) > 1e-4 {
		t.Fatalf("priors sum to %g, policy to %g", priors, policy)
	}
	if w := r.Root; n > 1 && math.Abs(float64(w.Win+w.Draw+w.Loss)-1) > 1e-4 {
		t.Fatalf("root %v", w)
	}
	if len(r.PV) == 0 || r.PV[0] != r.Moves[r.Best] {
		t.Fatalf("variation %v does not begin with %v", r.PV, r.Moves[r.Best])
	}
	line := rules.NewGameFrom(g.Variant(), g.Start())
	for _, m := range slices.Concat(g.Moves(), r.PV) {
		if err := line.Play(m); err != nil {
			t.Fatalf("variation %v: %v", r.PV, err)
		}
	}
}

// TestForced: single legal moves cost no evaluation, and values change sides as often as the plies
// say.
func TestForced(t *testing.T) {
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{})
	single := 0
	run(t, s, g, Budget{Simulations: 2000}, nil, func(l *Leaf) {
		if len(l.Moves) == 1 {
			single++
		}
		scatter(l)
	}, 1)
	odd, even := 0, 0
	for i := range s.nodes[1:] {
		if n := int(s.nodes[1+i].ply) - 1; n%2 == 1 {
			odd++
		} else if n > 0 {
			even++
		}
	}
	if single != 0 || odd == 0 || even == 0 {
		t.Errorf("%d evaluations of forced positions, %d odd and %d even forced lines", single, odd, even)
	}

	// At the root there is nothing to search: 28x17 is compulsory.
	g = gameFrom("W:W28,50:B22,1")
	r := run(t, s, g, Budget{Simulations: 100}, nil, uniform, 1)
	if r.Simulations != 0 || r.Best != 0 || r.Policy[0] != 1 || r.Root != (rules.WDL{}) {
		t.Errorf("forced root: %+v", r)
	}
}

// TestSimulations: budgets are kept to the simulation, by every rule and batch.
func TestSimulations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range 80 {
		g := randomGame(rng, 60)
		if i%2 == 1 {
			g = randomEnding(rng, 1+rng.IntN(4), 1+rng.IntN(4))
		}
		if len(g.Legal()) == 1 {
			continue
		}
		n := rng.IntN(100)
		s := NewSearch(rules.International, Config{Root: roots[i/2%2]})
		r := run(t, s, g, Budget{Simulations: n, Noise: float64(rng.IntN(2))}, rng, scatter, 1+rng.IntN(2)*rng.IntN(32))
		visits := int32(0)
		for _, v := range r.Visits {
			visits += v
		}
		if r.Simulations != int(visits) || r.Simulations > n || r.Simulations < n && r.Proof == NotProved {
			t.Errorf("%d simulations and %d visits, want %d", r.Simulations, visits, n)
		}
		if n > 0 && r.Depth < 1 || n == 0 && r.Depth != 0 {
			t.Errorf("depth %d after %d simulations", r.Depth, n)
		}
	}
}

// TestBatch: leaves of a batch are different, the tree holds while they are in flight and after,
// and the batches are not much smaller than asked for.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, root := range roots {
		for _, batch := range []int{2, 7, 32} {
			g := randomGame(rng, 30)
			for len(g.Legal()) == 1 {
				g.Undo()
			}
			s := NewSearch(rules.International, Config{Root: root})
			s.Start(g, Budget{Simulations: 800, Noise: 0}, nil)
			var leaves []Leaf
			gathers, total := 0, 0
			for !s.Done() {
				leaves = s.Gather(leaves[:0], batch)
				if len(leaves) > batch {
					t.Fatalf("%d leaves, asked for %d", len(leaves), batch)
				}
				if err := s.check(g); err != nil {
					t.Fatalf("%s, batch %d, in flight: %v", root, batch, err)
				}
				if h := &s.root.halving; root == Gumbel && s.own.counted && s.started-len(leaves) < h.start {
					t.Fatalf("batch %d: candidates were halved at %d with leaves in flight", batch, h.start)
				}
				for i := range leaves {
					for j := range leaves[:i] {
						if s.own.flight[i] == s.own.flight[j] || &leaves[i].Priors[0] == &leaves[j].Priors[0] {
							t.Fatalf("leaves %d and %d are the same", j, i)
						}
					}
				}
				// Written in the other order, as an evaluator may.
				for i := len(leaves) - 1; i >= 0; i-- {
					if !slices.Equal(leaves[i].Moves, rules.International.AppendMoves(nil, leaves[i].Position)) {
						t.Fatalf("leaf %d has the moves of another", i)
					}
					scatter(&leaves[i])
				}
				s.Backup(leaves)
				gathers++
				total += len(leaves)
			}
			if err := s.check(g); err != nil {
				t.Fatalf("%s, batch %d: %v", root, batch, err)
			}
			t.Logf("%s: batches of %d hold %.1f leaves", root, batch, float64(total)/float64(gathers))
			if mean := float64(total) / float64(gathers); mean < 0.4*float64(batch) {
				t.Errorf("%s: batches of %d hold %.1f leaves", root, batch, mean)
			}
		}
	}
}

// TestDeterminism: one seed, one tree; another seed, another choice now and then.
func TestDeterminism(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(11, 1)), 16)
	for _, root := range roots {
		visits := map[string]bool{}
		for i := range 20 {
			s := NewSearch(rules.International, Config{Root: root})
			seed := uint64(i / 2)
			r := run(t, s, g, Budget{Simulations: 64, Noise: 1}, rand.New(rand.NewPCG(seed, 1)), scatter, 1)
			visits[fmt.Sprint(r.Visits, r.Best, r.Values, r.Policy)] = true
			if i%2 == 1 && len(visits) > i/2+1 {
				t.Fatalf("%s: seed %d gave two trees", root, seed)
			}
		}
		if len(visits) < 5 {
			t.Errorf("%s: ten seeds gave %d trees", root, len(visits))
		}
	}
}

// TestStop: a stopped search is done and keeps what it has; one that never began has a legal move
// too.
func TestStop(t *testing.T) {
	g := rules.NewGame(rules.International)
	for _, root := range roots {
		for _, after := range []int{0, 1, 5, 100} {
			s := NewSearch(rules.International, Config{Root: root})
			s.Start(g, Budget{Simulations: 1 << 30}, nil)
			n := 0
			if after == 0 {
				s.Stop()
			}
			r, err := s.Run(context.Background(), evalFunc(func(l *Leaf) {
				scatter(l)
				if n++; n == after {
					done := make(chan bool)
					go func() { s.Stop(); close(done) }()
					<-done
				}
			}), 1)
			if err != nil || n != after || r.Simulations != max(after-1, 0) {
				t.Errorf("%s: %d evaluations and %d simulations before the stop at %d, error %v", root, n, r.Simulations, after, err)
			}
			if err := s.check(g); err != nil {
				t.Error(err)
			}
			for i, p := range r.Policy {
				if math.IsNaN(float64(p)) || r.Moves[i] != g.Legal()[i] {
					t.Errorf("%s: stopped after %d: policy %v", root, after, r.Policy)
				}
			}
		}
	}
}

// TestRunErrors: Run gatherers on the evaluator's error and the context's, and the search can go
// on after.
func TestRunErrors(t *testing.T) {
	g := rules.NewGame(rules.International)
	broken := errors.New("broken")
	for _, root := range roots {
		for _, at := range []int{1, 2, 9} {
			for _, batch := range []int{1, 8} {
				s := NewSearch(rules.International, Config{Root: root})
				s.Start(g, Budget{Simulations: 100}, nil)
				calls := 0
				ev := evaluator(func(_ context.Context, leaves []Leaf) error {
					if calls++; calls == at {
						return broken
					}
					return evalFunc(scatter).Evaluate(context.Background(), leaves)
				})
				if _, err := s.Run(context.Background(), ev, batch); !errors.Is(err, broken) {
					t.Fatalf("error %v", err)
				}
				if err := s.check(g); err != nil {
					t.Fatalf("after the error: %v", err)
				}
				r, err := s.Run(context.Background(), ev, batch)
				if err != nil || r.Simulations != 100 {
					t.Fatalf("going on: %d simulations, error %v", r.Simulations, err)
				}
				if err := s.check(g); err != nil {
					t.Fatal(err)
				}

				ctx, cancel := context.WithCancel(context.Background())
				s.Start(g, Budget{Simulations: 1 << 30}, nil)
				calls = 0
				r, err = s.Run(ctx, evaluator(func(_ context.Context, leaves []Leaf) error {
					if calls++; calls == at {
						cancel()
					}
					return evalFunc(scatter).Evaluate(context.Background(), leaves)
				}), batch)
				cancel()
				if !errors.Is(err, context.Canceled) || calls != at {
					t.Fatalf("%d evaluations, error %v", calls, err)
				}
				checkResult(t, g, r)
			}
		}
	}
}

// evaluator is an Evaluator of whole batches.
type evaluator func(context.Context, []Leaf) error

func (f evaluator) Evaluate(ctx context.Context, leaves []Leaf) error { return f(ctx, leaves) }

// A search finds the same whether every node could become the root, or not: the draws and the
// value of the root are the same, and of other nodes nothing is read.
func TestRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for i := range 20 {
		g := randomGame(rng, 10+rng.IntN(50))
		if g.Over() || len(g.Legal()) == 1 {
			continue
		}
		cfg := Config{Root: []Root{Gumbel, PUCT}[i%2], Share: i%3 == 0, Best: 0.5}
		var found [2]Result
		for k := range found {
			s := NewSearch(rules.International, cfg)
			s.roots = k == 1
			s.Start(g, Budget{Simulations: 300}, nil)
			r, err := s.Run(context.Background(), evalFunc(scatter), 1+i%4)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(s.draws); s.roots != (n == len(s.nodes)) || !s.roots && n != 1 {
				t.Errorf("draws of %d of %d nodes are kept", n, len(s.nodes))
			}
			for j, v := range r.Values {
				if v != v { // NaN, which is not equal to itself
					r.Values[j] = -1
				}
			}
			found[k] = r
		}
		if !reflect.DeepEqual(found[0], found[1]) {
			t.Errorf("%s: %+v\nand %+v", rules.International.FEN(g.Position()), found[0], found[1])
		}
	}
}

// TestMostFlying gathers as many leaves as may be in flight. What an edge counts of them must not
// overflow; run and check look at all edges.
func TestMostFlying(t *testing.T) {
	if most := mostFlying + mostFlying/2 + 1; most > mostVirtual {
		t.Errorf("%d simulations may be in flight through an edge, which counts %d", most, mostVirtual)
	}
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{Root: PUCT})
	run(t, s, g, Budget{Simulations: 3000}, nil, scatter, 1000)
	s.Start(g, Budget{Simulations: 3000}, nil)
	leaves := s.Gather(nil, 1)
	for i := range leaves {
		scatter(&leaves[i])
	}
	s.Backup(leaves)
	for len(leaves) <= mostFlying/2 {
		leaves = s.Gather(leaves[:0], 1000)
		if err := s.check(g); err != nil {
			t.Fatal(err)
		}
		if len(leaves) > mostFlying {
			t.Fatalf("%d leaves are in flight", len(leaves))
		}
		if len(leaves) > mostFlying/2 {
			break
		}
		for i := range leaves {
			scatter(&leaves[i])
		}
		s.Backup(leaves)
	}
}

// TestMisuse: promises broken by the caller are refused, not worked with.
func TestMisuse(t *testing.T) {
	panics := func(name string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{})
	panics("Result before Start", func() { s.Result() })
	s.Start(g, Budget{Simulations: 10}, nil)
	panics("no evaluator", func() { s.RunParallel(context.Background(), nil, 1, nil) })
	leaves := s.Gather(nil, 1)
	leaves[0].Value = rules.WDL{Draw: 1}
	panics("priors not written", func() { s.Backup(leaves) })
	uniform(&leaves[0])
	leaves[0].Value.Win = float32(math.NaN())
	panics("NaN", func() { s.Backup(leaves) })
	panics("a game that is over", func() { s.Start(gameFrom("W:WK1:BK50,49"), Budget{}, nil) })
	g.End(rules.Draw, rules.Agreement)
	panics("a game that was ended", func() { s.Start(g, Budget{}, nil) })
	panics("bad config", func() { NewSearch(rules.International, Config{Root: "minimax"}) })
}
