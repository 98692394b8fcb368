package nnue_test

import (
	"context"
	"testing"

	"damier/alphabeta"
	"damier/mcts"
	"damier/models"
	"damier/nnue"
	"damier/rules"
)

// middlegame returns a game of international draughts some moves from its start, played by an engine.
func middlegame(b testing.TB, v *rules.Variant, plies int) *rules.Game {
	e, err := alphabeta.New(v, alphabeta.Config{TableBits: 12})
	if err != nil {
		b.Fatal(err)
	}
	g := rules.NewGame(v)
	for g.Ply() < plies || len(g.Legal()) < 6 {
		r, err := e.Search(context.Background(), g, alphabeta.Limits{Depth: 2}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Play(r.PV[0]); err != nil {
			b.Fatal(err)
		}
	}
	return g
}

// An operation is a simulation of a tree search over the network that comes with the program, in a middle
// game, as part of a search of so many.
func BenchmarkTree(b *testing.B) {
	g := middlegame(b, rules.International, 24)
	m, err := models.NNUE(rules.International)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1000, 40_000, 400_000} {
		b.Run("simulations="+itoa(n), func(b *testing.B) {
			s := mcts.NewSearch(rules.International, mcts.Config{Root: mcts.PUCT, Share: true, Best: 0.5})
			o := m.Evaluator().OnePly(nnue.OnePlyConfig{})
			done := 0
			for b.Loop() {
				s.Start(g, mcts.Budget{Simulations: n}, nil)
				r, err := s.Run(context.Background(), o, 1)
				if err != nil {
					b.Fatal(err)
				}
				done += r.Simulations
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/simulation")
		})
	}
}

func itoa(n int) string {
	if n == 0 {
		return ""
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
