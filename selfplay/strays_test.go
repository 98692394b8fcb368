package selfplay

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"damier/mcts"
	"damier/rules"
)

// TestStrays: in every variant a stray position has a choice and no capture, and the value of a
// search of its own, without noise.
func TestStrays(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Visits: []string{"0:4", "100:24"}, MCTS: mcts.Config{Root: mcts.PUCT, Fraction: 0.25, Share: true}}
		s, err := NewStrays(v, cfg, 100, scatter)
		if err != nil {
			t.Fatal(err)
		}
		cfg.MCTS.Fraction = -1
		search := mcts.NewSearch(v, cfg.MCTS)
		found, far := 0, map[rules.Position]bool{}
		for seed := range uint64(60) {
			row, ok, err := s.Search(t.Context(), v.Start(), rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue
			}
			found++
			far[row.Position] = true
			if len(v.AppendMoves(nil, row.Position)) < 2 || v.HasCaptures(row.Position) {
				t.Errorf("%s: %s has no choice, or a capture", name, v.FEN(row.Position))
			}
			search.Start(rules.NewGameFrom(v, row.Position), mcts.Budget{Simulations: 24}, nil)
			r, err := search.Run(t.Context(), scatter, 1)
			if err != nil || r.Root.Score() != row.Score {
				t.Errorf("%s: value %g of %s, %v; a search finds %g", name, row.Score, v.FEN(row.Position), err, r.Root.Score())
			}
			search.Forget()
		}
		if found < 30 || len(far) < found*3/4 {
			t.Errorf("%s: %d stray positions, %d of them different", name, found, len(far))
		}
	}
	if _, err := NewStrays(v, Config{Depth: 99}, 0, scatter); err == nil {
		t.Error("a depth of 99 plies is accepted")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	s, err := NewStrays(v, Config{}, 0, scatter)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.Search(stopped, v.Start(), rand.New(rand.NewPCG(1, 1))); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is stopped: %v, %v", ok, err)
	}
}
