package selfplay

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"damier/egdb"
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
		cfg := Config{MCTS: mcts.Config{Root: mcts.PUCT, Fraction: 0.25, Share: true}}
		s, err := NewStrays(v, cfg, scatter)
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
			search.Start(rules.NewGameFrom(v, row.Position), mcts.Budget{Simulations: strayVisits}, nil)
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
	if _, err := NewStrays(v, Config{Depth: 99}, scatter); err == nil {
		t.Error("a depth of 99 plies is accepted")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	s, err := NewStrays(v, Config{}, scatter)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.Search(stopped, v.Start(), rand.New(rand.NewPCG(1, 1))); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is stopped: %v, %v", ok, err)
	}
}

// The searches of stray positions ask the tables: where they say that the side to move loses, its
// expected score is small whatever the network thinks.
func TestStraysInTheTables(t *testing.T) {
	v := rules.English
	tables, err := egdb.Generate(t.Context(), v, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	start, err := rules.ParseFEN(v, "W:WK1,K2:BK31")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[bool]float32{}
	losses := 0
	for _, with := range []bool{false, true} {
		s, err := NewStrays(v, Config{}, scatter)
		if err != nil {
			t.Fatal(err)
		}
		if with {
			s.SetTables(tables)
		}
		for seed := range uint64(200) {
			row, ok, err := s.Search(t.Context(), start, rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if outcome, _, exact, known := tables.Solve(row.Position); ok && exact && known && outcome == rules.Win(row.Position.Turn.Opponent()) {
				sums[with] += row.Score
				if with {
					losses++
				}
			}
		}
	}
	if losses < 20 || sums[true]/float32(losses) > 0.1 || sums[false] < 2*sums[true] {
		t.Errorf("%d lost positions: their scores add up to %g, without tables to %g", losses, sums[true], sums[false])
	}
}
