package mcts

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"damier/rules"
)

// evaluators returns n evaluators that are the same function.
func evaluators(n int, f func(*Leaf)) []Evaluator {
	evs := make([]Evaluator, n)
	for i := range evs {
		evs[i] = evalFunc(f)
	}
	return evs
}

// TestParallel: whatever goroutines do to a tree, it holds at every moment, spends its budget and
// no more, and no two evaluate the same leaf.
func TestParallel(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for _, root := range roots {
		for _, goroutines := range []int{2, 3, 8} {
			for _, batch := range []int{1, 4} {
				g := randomGame(rng, 30)
				for len(g.Legal()) == 1 {
					g.Undo()
				}
				var mu sync.Mutex
				seen := map[*float32]bool{} // leaves under evaluation, by their memory
				eval := func(l *Leaf) {
					mu.Lock()
					if seen[&l.Priors[0]] {
						t.Error("one leaf is evaluated twice at once")
					}
					seen[&l.Priors[0]] = true
					mu.Unlock()
					scatter(l)
					mu.Lock()
					delete(seen, &l.Priors[0])
					mu.Unlock()
				}
				s := NewSearch(rules.International, Config{Root: root, Reuse: true, Scout: 2})
				for _, n := range []int{1, 50, 400} { // the second and third go on with the tree
					s.Start(g, Budget{Simulations: n}, nil)
					before := int32(0)
					for _, visits := range s.Result().Visits {
						before += visits
					}
					backups := 0
					watch := func() bool {
						if backups++; backups%16 == 0 {
							if err := s.check(g); err != nil {
								t.Fatalf("%s, %d goroutines, in flight: %v", root, goroutines, err)
							}
						}
						return false
					}
					r, err := s.RunParallel(context.Background(), evaluators(goroutines, eval), batch, watch)
					if err != nil {
						t.Fatal(err)
					}
					if err := s.check(g); err != nil {
						t.Fatalf("%s, %d goroutines: %v", root, goroutines, err)
					}
					visits := -before
					for _, v := range r.Visits {
						visits += v
					}
					if r.Simulations != n || int(visits) != n || s.flying != 0 {
						t.Errorf("%s, %d goroutines: %d simulations and %d visits, want %d", root, goroutines, r.Simulations, visits, n)
					}
				}
			}
		}
	}
}

// TestParallelScouts: a parallel search looks for combinations without holding the tree, and tells
// the tree of each.
func TestParallelScouts(t *testing.T) {
	v := rules.International
	rng := rand.New(rand.NewPCG(33, 1))
	c := newCombinations(v)
	favoured := 0
	for range 20 {
		g := randomGame(rng, 30)
		s := NewSearch(v, Config{Root: PUCT, Scout: 2})
		s.Start(g, Budget{Simulations: 1000}, nil)
		if _, err := s.RunParallel(context.Background(), evaluators(3, scatter), 4, nil); err != nil {
			t.Fatal(err)
		}
		for id := range s.nodes {
			n := &s.nodes[id]
			if n.flags&scouted == 0 {
				if s.due(n) && n.state == expanded && n.proof == NotProved && int(n.visits) > s.cfg.Scout+mostFlying {
					t.Errorf("node %d with %d visits was not searched for combinations", id, n.visits)
				}
				continue
			}
			offers := fewOffers
			if n.flags&scoutedDeep != 0 {
				offers = mostOffers
			}
			i, ok := c.find(s.position(int32(id)), offers)
			if !ok {
				continue
			}
			if e := s.edgeOf(int32(id), i); e == noEdge || s.edge(step{int32(id), e}).move&offerBit == 0 {
				t.Errorf("node %d does not know the combination that begins with move %d", id, i)
			}
			favoured++
		}
	}
	if favoured == 0 {
		t.Error("no combination in any tree: this tests nothing")
	}
}

// TestParallelOfOne: with one evaluator RunParallel is Run.
func TestParallelOfOne(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(32, 1)), 20)
	for _, root := range roots {
		for _, batch := range []int{1, 8} {
			s := NewSearch(rules.International, Config{Root: root})
			want := run(t, s, g, Budget{Simulations: 300}, nil, scatter, batch)
			p := NewSearch(rules.International, Config{Root: root})
			p.Start(g, Budget{Simulations: 300}, nil)
			got, err := p.RunParallel(context.Background(), evaluators(1, scatter), batch, nil)
			if err != nil || !reflect.DeepEqual(got.Visits, want.Visits) || !reflect.DeepEqual(got.Policy, want.Policy) {
				t.Errorf("%s, batch %d: visits %v (%v), want %v", root, batch, got.Visits, err, want.Visits)
			}
		}
	}
}

// TestParallelOverlaps: evaluations run at the same time.
func TestParallelOverlaps(t *testing.T) {
	s := NewSearch(rules.International, Config{Root: PUCT})
	s.Start(rules.NewGame(rules.International), Budget{Simulations: 60}, nil)
	var running, most atomic.Int32
	eval := func(l *Leaf) {
		now := running.Add(1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		time.Sleep(time.Millisecond)
		uniform(l)
		running.Add(-1)
	}
	if _, err := s.RunParallel(context.Background(), evaluators(3, eval), 1, nil); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 3 {
		t.Errorf("at most %d of 3 evaluators ran at once", most.Load())
	}
}

// TestParallelEnds: an error, the context, Stop and watch end a parallel search and leave a tree
// that holds.
func TestParallelEnds(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(33, 1)), 12)
	for len(g.Legal()) == 1 {
		g.Undo()
	}
	broken := errors.New("broken")
	for _, root := range roots {
		for name, end := range map[string]func(s *Search, cancel func()) (err error, enough bool){
			"error":   func(*Search, func()) (error, bool) { return broken, false },
			"context": func(_ *Search, cancel func()) (error, bool) { cancel(); return nil, false },
			"stop":    func(s *Search, _ func()) (error, bool) { s.Stop(); return nil, false },
			"watch":   func(*Search, func()) (error, bool) { return nil, true },
		} {
			ctx, cancel := context.WithCancel(context.Background())
			s := NewSearch(rules.International, Config{Root: root})
			s.Start(g, Budget{Simulations: 100_000}, nil)
			var calls atomic.Int32
			var enough atomic.Bool
			ev := evaluator(func(_ context.Context, leaves []Leaf) error {
				for i := range leaves {
					scatter(&leaves[i])
				}
				if calls.Add(1) < 50 {
					return nil
				}
				err, last := end(s, cancel)
				enough.Store(last)
				return err
			})
			r, err := s.RunParallel(ctx, []Evaluator{ev, ev, ev}, 2, enough.Load)
			want := map[string]error{"error": broken, "context": context.Canceled}[name]
			if !errors.Is(err, want) {
				t.Errorf("%s, %s: error %v, want %v", root, name, err, want)
			}
			// Each evaluator may be at one evaluation when the end comes, and begin one more
			// before it hears of it.
			if n := calls.Load(); n > 50+2*3 {
				t.Errorf("%s, %s: %d evaluations after the end", root, name, n-50)
			}
			if r.Simulations < 10 || r.Simulations > 1000 {
				t.Errorf("%s, %s: %d simulations", root, name, r.Simulations)
			}
			if err := s.check(g); err != nil {
				t.Errorf("%s, %s: %v", root, name, err)
			}
			cancel()
		}
	}
}

// TestGivenUpBeforeOthers: a simulation that was given up leaves a move without visits among its
// node's moves, and those that were tried after it count in the node's value all the same.
func TestGivenUpBeforeOthers(t *testing.T) {
	g := rules.NewGame(rules.International)
	found := 0
	for n := 20; n < 400; n++ {
		s := NewSearch(rules.International, Config{Root: PUCT})
		s.Start(g, Budget{Simulations: 1000}, nil)
		for s.started < n {
			leaves := s.Gather(nil, 1)
			for i := range leaves {
				scatter(&leaves[i])
			}
			s.Backup(leaves)
		}
		first, second := &batch{}, &batch{}
		s.gather(first, 1, 0, 1)
		s.gather(second, 1, 0, 1)
		if len(first.flight) != 1 || len(second.flight) != 1 {
			continue
		}
		a, b := first.pathOf(first.flight[0]), second.pathOf(second.flight[0])
		if x, y := a[len(a)-1], b[len(b)-1]; x.node != y.node || x.node == rootID || x.edge > y.edge {
			continue
		}
		found++
		s.abandon(first)
		s.desk.evaluator = evalFunc(scatter)
		s.desk.evaluate(context.Background(), second)
		s.backup(second)
		if err := s.check(g); err != nil {
			t.Fatalf("after %d simulations: %v", n, err)
		}
	}
	if found == 0 {
		t.Error("two simulations were never in one node")
	}
	t.Logf("%d times", found)
}
