package mcts

import (
	"context"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// TestReuse: along a game the kept tree is the old one's part, and every node of it is what a new
// tree at the same position would have: check judges each by the game that is being played now.
func TestReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	kept, forced := 0, 0
	for i := range 24 {
		g := randomGame(rng, 30)
		if i%2 == 1 {
			g = randomEnding(rng, 2+rng.IntN(3), 1+rng.IntN(3))
		}
		s := NewSearch(rules.International, Config{Root: roots[i/2%2], Reuse: true, RepetitionDraw: 2 + rng.IntN(2)})
		for range 40 {
			if len(g.Legal()) == 1 {
				s.Start(g, Budget{Simulations: 100}, nil)
				if !s.Done() || s.Result().Moves[0] != g.Legal()[0] {
					t.Fatal("a forced move is searched")
				}
				forced++
				play(t, g, [2]rules.Square{g.Legal()[0].From, g.Legal()[0].To})
			} else {
				want := int32(0)
				if len(s.nodes) > 0 && s.ply <= g.Ply() {
					if id := s.find(g.Moves()[s.ply:]); id != noNode && s.nodes[id].state == expanded {
						want = s.nodes[id].visits
					}
				}
				s.Start(g, Budget{Simulations: 100}, nil)
				if got := s.nodes[rootID].visits; got != want {
					t.Fatalf("kept %d visits, want %d", got, want)
				}
				if err := s.check(g); err != nil {
					t.Fatalf("kept tree: %v", err)
				}
				if want > 0 {
					kept++
				}
				r, err := s.Run(context.Background(), evalFunc(scatter), 1)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.check(g); err != nil {
					t.Fatal(err)
				}
				checkResult(t, g, r)
				if r.Simulations != 100 && r.Proof == NotProved || s.nodes[rootID].visits != max(want, 1)+int32(r.Simulations) {
					t.Fatalf("%d simulations, %d visits after %d kept", r.Simulations, s.nodes[rootID].visits, want)
				}
				if err := g.Play(r.Moves[r.Best]); err != nil {
					t.Fatal(err)
				}
			}
			if g.Over() {
				break
			}
		}
	}
	if kept < 100 || forced < 10 {
		t.Errorf("only %d trees were kept, over %d forced positions", kept, forced)
	}
}

// TestReuseRefused: another history makes another tree, even with the same board.
func TestReuseRefused(t *testing.T) {
	start := func() (*Search, *rules.Game) {
		g := shuffle(t, 1)
		s := NewSearch(rules.International, Config{Reuse: true, RepetitionDraw: 3, Candidates: 64})
		run(t, s, g, Budget{Simulations: 400}, nil, uniform, 1)
		return s, g
	}
	kept := func(s *Search, g *rules.Game) bool {
		s.Start(g, Budget{Simulations: 1}, nil)
		return s.nodes[rootID].visits > 0
	}
	s, g := start()
	if !kept(s, g) {
		t.Error("the same position again: dropped")
	}
	s, g = start()
	play(t, g, [2]rules.Square{6, 1})
	if !kept(s, g) {
		t.Error("one ply on: dropped")
	}
	s, g = start()
	g.Undo()
	if kept(s, g) {
		t.Error("a move taken back: kept")
	}
	s, g = start()
	if kept(s, rules.NewGameFrom(rules.International, g.Position())) {
		t.Error("the same position without its history: kept")
	}
	s, _ = start()
	other := shuffle(t, 2)
	if kept(s, other) {
		t.Error("a longer history with other counters: kept")
	}
	s, _ = start()
	other = gameFrom("W:WK46,K47,35:BK1,15,25") // by another way to the same board, ply and counters
	play(t, other, [][2]rules.Square{{46, 37}, {1, 6}, {37, 46}}...)
	if kept(s, other) {
		t.Error("another history of the same length: kept")
	}
	s, g = start()
	s.cfg.Reuse = false
	if kept(s, g) {
		t.Error("kept without Config.Reuse")
	}

	// What the search took for a draw goes on on the board: nothing below can be kept.
	g = shuffle(t, 1)
	s = NewSearch(rules.International, Config{Reuse: true, Candidates: 64})
	run(t, s, g, Budget{Simulations: 100}, nil, whiteWins, 1)
	play(t, g, [2]rules.Square{6, 1})
	if kept(s, g) {
		t.Error("a repeated position: kept")
	}
	run(t, s, g, Budget{Simulations: 100}, nil, whiteWins, 1)
}
