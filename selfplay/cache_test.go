package selfplay

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/data"
	"damier/mcts"
)

// TestCache: games are the same with a cache, even one too small for them, shared by actors that run at once.
func TestCache(t *testing.T) {
	cfg := small
	cfg.FullVisits, cfg.CheapVisits = 24, 8
	want := play(t, newActor(t, cfg, nil), 0, 12)
	for _, evaluations := range []int{1, 1 << 14} {
		cache := mcts.NewCache(evaluations)
		var (
			actors sync.WaitGroup
			mu     sync.Mutex
			stats  Stats
		)
		got := map[string]data.Game{}
		for i := range uint64(3) {
			a := newActor(t, cfg, nil)
			a.SetCache(cache)
			a.Renumber(4*i, 4*i+4)
			actors.Go(func() {
				games := finish(t, a)
				mu.Lock()
				defer mu.Unlock()
				for id, g := range games {
					got[id] = g
				}
				stats.Add(a.TakeStats())
			})
		}
		actors.Wait()
		if d := cmp.Diff(want, got, nan, cmp.Exporter(exporter)); d != "" {
			t.Errorf("with %d evaluations: %s", evaluations, d)
		}
		if s := cache.Stats(); s.Hits != stats.Cached || s.Misses != stats.Evaluations {
			t.Errorf("the cache counts %+v, the actors %d and %d", s, stats.Cached, stats.Evaluations)
		}
		if stats.Cached+stats.Evaluations < stats.Simulations/2 || stats.HitRate() <= 0.02 {
			t.Errorf("%d of %d leaves cached in %d simulations", stats.Cached, stats.Cached+stats.Evaluations, stats.Simulations)
		}
		t.Logf("%d evaluations: %.0f %% hits", evaluations, 100*stats.HitRate())
	}
}

func TestNewCache(t *testing.T) {
	if (Config{Cache: -1}).NewCache(2) != nil {
		t.Error("a cache where none is wanted")
	}
	if (Config{}).NewCache(2) == nil {
		t.Error("no cache by default")
	}
}

// TestCacheOfNetworks: after SetModel nothing of the old network is used, even if another actor put it back.
func TestCacheOfNetworks(t *testing.T) {
	want := play(t, newActor(t, small, nil), 0, 6)
	cache := mcts.NewCache(1 << 14)
	old := newActor(t, small, nil)
	old.SetCache(cache)
	late := newActor(t, small, nil)
	late.SetCache(cache)
	old.SetModel("old", 2)
	late.SetModel("m", 3)
	old.Renumber(0, 6)
	err := old.Run(context.Background(), free, func() bool { return false }, func(data.Game) {})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, play(t, late, 0, 6), nan, cmp.Exporter(exporter)); d != "" {
		t.Error(d)
	}
	before := cache.Stats()
	late.SetModel("m", 3)
	late.Renumber(0, 1)
	asked := 0
	stop := func() bool { asked++; return asked > 1 }
	if err := late.Run(context.Background(), scatter, stop, func(data.Game) {}); err != nil {
		t.Fatal(err)
	}
	if after := cache.Stats(); after.Hits != before.Hits {
		t.Error("something is left after SetModel")
	}
}

// TestCacheKnowsEverything: with a cache that answers all, an actor still asks whether to stop, and ends.
func TestCacheKnowsEverything(t *testing.T) {
	a := newActor(t, small, nil)
	a.SetCache(mcts.NewCache(1 << 16))
	want := play(t, a, 0, 30)
	a.TakeStats()
	got := play(t, a, 0, 30)
	if d := cmp.Diff(want, got, nan, cmp.Exporter(exporter)); d != "" {
		t.Error(d)
	}
	if s := a.TakeStats(); s.HitRate() < 0.95 {
		t.Errorf("%.0f %% hits in the same games again", 100*s.HitRate())
	}
}
