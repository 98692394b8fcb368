package mcts

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"damier/rules"
)

// leafOf returns a leaf of the game's position, as often as it has occurred.
func leafOf(g *rules.Game) Leaf {
	moves := slices.Clone(g.Legal())
	return Leaf{Position: g.Position(), Moves: moves, Occurrences: g.Occurrences(), Priors: make([]float32, len(moves))}
}

// TestCacheKey: every part of what an evaluator sees, and the network, tells keys apart.
func TestCacheKey(t *testing.T) {
	g := rules.NewGame(rules.International)
	l := leafOf(g)
	scatter(&l)
	c := NewCache(1024)
	const network = 5
	c.Put(network, &l)

	again := leafOf(g)
	if !c.Get(network, &again) || !reflect.DeepEqual(again, l) {
		t.Errorf("got %+v, want %+v", again, l)
	}
	others := map[string]func(*Leaf){
		"occurrences": func(l *Leaf) { l.Occurrences++ },
		"quiet":       func(l *Leaf) { l.Position.Quiet++ },
		"endgame":     func(l *Leaf) { l.Position.Endgame++ },
		"road":        func(l *Leaf) { l.Position.Road++ },
		"turn":        func(l *Leaf) { l.Position.Turn ^= 1 },
		"king moves":  func(l *Leaf) { l.Position = l.Position.WithKingMoves(rules.White, 1, 28) },
		"board": func(l *Leaf) {
			l.Position = rules.NewPosition(l.Position.Pieces(rules.White), l.Position.Pieces(rules.Black), l.Position.Pieces(rules.White), rules.White)
		},
	}
	for name, change := range others {
		other := leafOf(g)
		change(&other)
		if c.Get(network, &other) {
			t.Errorf("%s: the evaluation of another leaf", name)
		}
	}
	other := leafOf(g)
	if c.Get(network+1, &other) {
		t.Error("the evaluation of another network")
	}
	if s := c.Stats(); s.Hits != 1 || s.Misses != int64(len(others))+1 || s.HitRate() != 1/float64(len(others)+2) {
		t.Errorf("counted %+v, hit rate %g", s, s.HitRate())
	}
	c.Clear()
	if c.Get(network, &again) {
		t.Error("something is left after Clear")
	}
}

// TestCacheEviction: memory is bounded, and of a set the evaluation that nobody asks for gives way.
func TestCacheEviction(t *testing.T) {
	c := NewCache(1)
	g := rules.NewGame(rules.International)
	favourite := leafOf(g)
	scatter(&favourite)
	c.Put(0, &favourite)
	for i := range uint64(4000) { // as networks: they fill all sets
		l := leafOf(g)
		l.Value.Win = float32(i)
		c.Put(i+1, &l)
		if !c.Get(i+1, &l) {
			t.Fatal("what was put in last is not there")
		}
		if !c.Get(0, &favourite) {
			t.Fatalf("what is asked for most gave way after %d", i)
		}
	}
	held := 0
	for i := range uint64(4000) {
		l := leafOf(g)
		if c.Get(i+1, &l) {
			held++
			if l.Value.Win != float32(i) {
				t.Fatalf("evaluation %g, want %d", l.Value.Win, i)
			}
		}
	}
	if held < 150 || held >= cacheShards*cacheWays {
		t.Errorf("%d of %d entries are held", held, cacheShards*cacheWays)
	}
}

// TestCacheRoom: an evaluation with more moves than an entry holds is left alone.
func TestCacheRoom(t *testing.T) {
	c := NewCache(1)
	l := Leaf{Priors: make([]float32, cacheMoves+1), Occurrences: 1}
	c.Put(1, &l)
	if c.Get(1, &l) {
		t.Error("kept")
	}
	if n := reflect.TypeFor[cacheEntry]().Size(); n != 192 {
		t.Errorf("an entry takes %d bytes, the drawing says 192", n)
	}
}

// TestCached: a search finds the same with a cache, cold and warm, on one goroutine and on several that share it.
func TestCached(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	shared := NewCache(2000) // much smaller than what comes
	var goroutines sync.WaitGroup
	for range 3 {
		g := randomGame(rng, 40)
		for len(g.Legal()) == 1 {
			g.Undo()
		}
		for _, root := range roots {
			goroutines.Go(func() {
				for _, batch := range []int{1, 8, 1} {
					s := NewSearch(rules.International, Config{Root: root})
					s.Start(g, Budget{Simulations: 400}, nil)
					want, err := s.Run(context.Background(), evalFunc(scatter), batch)
					if err != nil {
						t.Error(err)
					}
					p := NewSearch(rules.International, Config{Root: root})
					p.Start(g, Budget{Simulations: 400}, nil)
					got, err := p.Run(context.Background(), &Cached{Evaluator: evalFunc(scatter), Cache: shared, Network: 1}, batch)
					if err != nil {
						t.Error(err)
					}
					if !reflect.DeepEqual(got.Visits, want.Visits) || !reflect.DeepEqual(got.Policy, want.Policy) || got.Root != want.Root {
						t.Errorf("%s, batch %d: visits %v, want %v", root, batch, got.Visits, want.Visits)
					}
				}
			})
		}
	}
	goroutines.Wait()
	if s := shared.Stats(); s.Hits == 0 || s.Misses == 0 {
		t.Errorf("%+v", s)
	}
}

// TestCachedFails: errors come through, and nothing undefined is kept.
func TestCachedFails(t *testing.T) {
	broken := errors.New("broken")
	ev := evaluator(func(context.Context, []Leaf) error { return broken })
	c := &Cached{Evaluator: ev, Cache: NewCache(1)}
	l := leafOf(rules.NewGame(rules.International))
	if err := c.Evaluate(context.Background(), []Leaf{l}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if c.Cache.Get(0, &l) {
		t.Error("kept")
	}
}

// TestCacheAllocations: asking and keeping allocate nothing.
func TestCacheAllocations(t *testing.T) {
	c, l := NewCache(1000), leafOf(rules.NewGame(rules.International))
	network := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		network++
		c.Put(network, &l)
		c.Get(network, &l)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// BenchmarkCache measures a hit, and a miss with what follows it, in a cache beyond the processor's.
func BenchmarkCache(b *testing.B) {
	c, l := NewCache(1<<18), leafOf(rules.NewGame(rules.International))
	for i := range uint64(1 << 18) {
		c.Put(i, &l)
	}
	b.Run("hit", func(b *testing.B) {
		i := uint64(0)
		for b.Loop() {
			c.Get(i*7919%(1<<18), &l)
			i++
		}
	})
	b.Run("miss", func(b *testing.B) {
		i := uint64(1 << 20)
		for b.Loop() {
			if !c.Get(i, &l) {
				c.Put(i, &l)
			}
			i++
		}
	})
}
