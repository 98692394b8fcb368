package nnue_test

import (
	"context"
	"fmt"
	"testing"

	"damier/alphabeta"
	"damier/mcts"
	"damier/models"
	"damier/nnue"
	"damier/rules"
)

// positions returns games of v at so many plies, played by an engine, with a choice to make.
func positions(b testing.TB, v *rules.Variant, plies ...int) []*rules.Game {
	e, err := alphabeta.New(v, alphabeta.Config{TableBits: 12, RandomTies: 20})
	if err != nil {
		b.Fatal(err)
	}
	var games []*rules.Game
	for i, n := range plies {
		e.Seed(uint64(i))
		g := rules.NewGame(v)
		for !g.Over() && (g.Ply() < n || len(g.Legal()) < 2) {
			r, err := e.Search(context.Background(), g, alphabeta.Limits{Depth: 3}, nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := g.Play(r.PV[0]); err != nil {
				b.Fatal(err)
			}
		}
		if !g.Over() {
			games = append(games, g)
		}
	}
	return games
}

// An operation is a tree search of so many simulations over the network that comes with the program, of a
// position of a game at plies 6 to 62 by turns.
func BenchmarkTree(b *testing.B) {
	games := positions(b, rules.International, 6, 14, 22, 30, 38, 46, 54, 62)
	m, err := models.NNUE(rules.International)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{200, 5000, 40_000, 400_000} {
		b.Run(fmt.Sprint("simulations=", n), func(b *testing.B) {
			s := mcts.NewSearch(rules.International, mcts.Config{Root: mcts.PUCT, Share: true, Best: 0.7, MaxNodes: 1 << 22})
			o := m.Evaluator().OnePly(nnue.OnePlyConfig{})
			search := func(g *rules.Game) int {
				s.Start(g, mcts.Budget{Simulations: n}, nil)
				r, err := s.Run(context.Background(), o, 1)
				if err != nil {
					b.Fatal(err)
				}
				return r.Simulations
			}
			search(games[0]) // takes the memory
			done, i := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				done += search(games[i%len(games)])
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/simulation")
		})
	}
}
