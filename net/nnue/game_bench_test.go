package nnue_test

import (
	"context"
	"testing"

	"damier/alphabeta"
	"damier/mcts"
	"damier/models"
	"damier/net/nnue"
	"damier/rules"
)

// An operation is a game of at most forty moves by a tree search of 30,000 simulations a move,
// which keeps its tree, against alpha-beta of depth 5: positions as they come in games, with all
// their exchanges.
func BenchmarkTreeGame(b *testing.B) {
	m, err := models.NNUE(rules.International)
	if err != nil {
		b.Fatal(err)
	}
	o := m.Evaluator().OnePly(nnue.OnePlyConfig{})
	for b.Loop() {
		s := mcts.NewSearch(rules.International, mcts.Config{Root: mcts.PUCT, Share: true, Best: 0.7, MaxNodes: 1 << 22, Reuse: true, Scout: 4})
		e, err := alphabeta.New(rules.International, alphabeta.Config{TableBits: 16})
		if err != nil {
			b.Fatal(err)
		}
		g := rules.NewGame(rules.International)
		done := 0
		for i := 0; i < 40 && !g.Over(); i++ {
			s.Start(g, mcts.Budget{Simulations: 30000}, nil)
			r, err := s.Run(context.Background(), o, 1)
			if err != nil {
				b.Fatal(err)
			}
			done += r.Simulations
			play(b, g, r.Moves[r.Best])
			if g.Over() {
				break
			}
			x, err := e.Search(context.Background(), g, alphabeta.Limits{Depth: 5}, nil)
			if err != nil {
				b.Fatal(err)
			}
			play(b, g, x.PV[0])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/simulation")
	}
}

func play(b *testing.B, g *rules.Game, m rules.Move) {
	if err := g.Play(m); err != nil {
		b.Fatal(err)
	}
}
