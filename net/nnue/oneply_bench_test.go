package nnue_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/internal/usage"
	"damier/mcts"
	"damier/models"
	"damier/net/nnue"
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

// An operation is a tree search of so many simulations over the network that comes with the
// program, of a position of a game at plies 6 to 62 by turns. On a machine with other work
// cpu-ns/simulation is the figure to read.
func BenchmarkTree(b *testing.B) {
	games := positions(b, rules.International, 6, 14, 22, 30, 38, 46, 54, 62)
	m, err := models.NNUE(rules.International)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{200, 5000, 40_000, 400_000} {
		b.Run(fmt.Sprint("simulations=", n), func(b *testing.B) {
			s := mcts.NewSearch(rules.International, mcts.Config{Root: mcts.PUCT, Share: true, Best: 0.7, MaxNodes: 1 << 22, Scout: 4})
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
			begun := usage.CPU()
			for b.Loop() {
				done += search(games[i%len(games)])
				i++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/simulation")
			b.ReportMetric((usage.CPU()-begun)*1e9/float64(done), "cpu-ns/simulation")
			nodes, bytes := s.Size()
			b.ReportMetric(float64(bytes)/float64(nodes), "B/node")
		})
	}
}

// An operation is a tree search on so many cores for half a second, of a position of a game at
// plies 14 to 62 by turns.
func BenchmarkTreeCores(b *testing.B) {
	games := positions(b, rules.International, 14, 30, 46, 62)
	for n := 1; n <= runtime.GOMAXPROCS(0); n *= 2 {
		b.Run(fmt.Sprint("cores=", n), func(b *testing.B) {
			s, evs := parallel(b, n)
			done, i := 0, 0
			for b.Loop() {
				s.Start(games[i%len(games)], mcts.Budget{Simulations: 1 << 30}, nil)
				deadline, calls := time.Now().Add(500*time.Millisecond), 0
				r, err := s.RunParallel(context.Background(), evs, 1, func() bool {
					calls++
					return calls%16 == 0 && time.Now().After(deadline)
				})
				if err != nil {
					b.Fatal(err)
				}
				done += r.Simulations
				i++
			}
			b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "simulations/s")
		})
	}
}

// An operation is a tree search on all cores that is cancelled after 30 ms; what is told is the
// longest time that one took to answer.
func BenchmarkTreeCancel(b *testing.B) {
	games := positions(b, rules.International, 14, 30, 46, 62)
	s, evs := parallel(b, runtime.GOMAXPROCS(0))
	longest, i := time.Duration(0), 0
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		var cancelled time.Time
		timer := time.AfterFunc(30*time.Millisecond, func() {
			cancelled = time.Now()
			cancel()
		})
		s.Start(games[i%len(games)], mcts.Budget{Simulations: 1 << 30}, nil)
		if _, err := s.RunParallel(ctx, evs, 1, nil); err == nil {
			b.Fatal("not cancelled")
		}
		longest = max(longest, time.Since(cancelled))
		timer.Stop()
		i++
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
}

// parallel returns a search for play and n evaluators of the network that comes with the program.
func parallel(b *testing.B, n int) (*mcts.Search, []mcts.Evaluator) {
	m, err := models.NNUE(rules.International)
	if err != nil {
		b.Fatal(err)
	}
	e := m.Evaluator()
	var evs []mcts.Evaluator
	for range n {
		evs = append(evs, e.OnePly(nnue.OnePlyConfig{}))
	}
	return mcts.NewSearch(rules.International, mcts.Config{Root: mcts.PUCT, Share: true, Best: 0.7, Scout: 4, MaxNodes: 1 << 22}), evs
}

// An operation is an alpha-beta search of 400,000 nodes over the network that BenchmarkTree
// searches with, of the same positions. What is told is the time of a node, beside that of a
// simulation.
func BenchmarkAlphaBeta(b *testing.B) {
	games := positions(b, rules.International, 6, 14, 22, 30, 38, 46, 54, 62)
	m, err := models.NNUE(rules.International)
	if err != nil {
		b.Fatal(err)
	}
	e, err := alphabeta.New(rules.International, alphabeta.Config{Evaluator: m.Evaluator()})
	if err != nil {
		b.Fatal(err)
	}
	nodes, i := uint64(0), 0
	for b.Loop() {
		e.NewGame()
		r, err := e.Search(context.Background(), games[i%len(games)], alphabeta.Limits{Nodes: 400_000}, nil)
		if err != nil {
			b.Fatal(err)
		}
		nodes += r.Nodes
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
}
