package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
)

// keyed is an evaluator whose value depends on the position alone: uniform priors, and a win
// probability from the position's key.
type keyed struct{ calls atomic.Int64 }

func (k *keyed) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	k.calls.Add(1)
	for i := range leaves {
		l := &leaves[i]
		for j := range l.Priors {
			l.Priors[j] = 1 / float32(len(l.Priors))
		}
		w := float32(l.Position.Key()%1000) / 1000
		l.Value = rules.WDL{Win: w, Loss: 1 - w}
	}
	return nil
}

// A player at a level has the visits and the name of the level and draws its moves at random:
// games differ, but the same seed repeats them.
func TestTreeLevel(t *testing.T) {
	game := func(level int, seed uint64) []rules.Move {
		p, err := NewTreePlayer(rules.International, TreeConfig{Name: "x", Evaluators: []mcts.Evaluator{&keyed{}}}, level)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("x:level=%d", level); p.Name() != want {
			t.Errorf("name %q, want %q", p.Name(), want)
		}
		p.Seed(seed)
		g := rules.NewGame(rules.International)
		for range 6 {
			m, err := p.Play(t.Context(), g)
			if err == nil {
				err = g.Play(m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Last().Nodes; got > int64(LevelOf(level).Visits) {
			t.Errorf("level %d searched %d visits", level, got)
		}
		return g.Moves()
	}
	differ := false
	for seed := range uint64(5) {
		a := game(2, seed)
		if !slices.Equal(a, game(2, seed)) {
			t.Error("the same seed plays two games")
		}
		differ = differ || !slices.Equal(a, game(2, seed+10))
	}
	if !differ {
		t.Error("level 2 always plays the same game")
	}
	if !slices.Equal(game(8, 1), game(8, 2)) {
		t.Error("level 8 draws its moves")
	}
	if _, err := NewTreePlayer(rules.International, TreeConfig{Evaluators: []mcts.Evaluator{&keyed{}}}, 11); err == nil {
		t.Error("level 11 is taken")
	}
}

// Under a clock a level has its visits all the same, and draws its move as without one. Full
// strength uses the time.
func TestTreeLevelUnderClock(t *testing.T) {
	tree, err := NewTree(rules.International, TreeConfig{Evaluators: []mcts.Evaluator{&keyed{}}, Own: Limits{Nodes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	think := func(level int, l Limits) Thought {
		t.Helper()
		if err := tree.SetLevel(level); err != nil {
			t.Fatal(err)
		}
		tree.NewGame()
		tree.Seed(5)
		found, err := tree.Think(t.Context(), g, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for level := 1; level < Levels(); level++ {
		free, clocked := think(level, Limits{}), think(level, Limits{Time: time.Hour})
		if free.Move != think(level, Limits{Infinite: true}).Move && level < 7 { // while the opponent thinks
			t.Errorf("level %d plays another move when it ponders", level)
		}
		if clocked.Nodes > int64(LevelOf(level).Visits) || level < 7 && clocked.Move != free.Move {
			t.Errorf("level %d under a clock: %d visits and %v, without %d and %v", level, clocked.Nodes, clocked.Move, free.Nodes, free.Move)
		}
	}
	began := time.Now()
	think(Levels(), Limits{Time: 30 * time.Millisecond, Whole: true})
	if took := time.Since(began); took < 25*time.Millisecond {
		t.Errorf("full strength takes %s of 30 ms", took)
	}
}

// A search that is stopped before it begins still returns a move and a score, for each kind of
// engine. A player of a match whose context has ended returns an error.
func TestStopped(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	tree, err := NewTree(rules.International, TreeConfig{Evaluators: []mcts.Evaluator{&keyed{}}, Own: Limits{Time: time.Hour}, Search: mcts.Config{Root: mcts.PUCT}})
	if err != nil {
		t.Fatal(err)
	}
	ab, err := NewAlphaBeta(rules.International, AlphaBetaConfig{Search: alphabeta.Config{TableBits: 8}, Own: Limits{Time: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	for _, e := range []Engine{tree, ab, NewRandom(rules.International, 1)} {
		found, err := e.Think(over, g, Limits{Infinite: true}, nil)
		if err != nil || !slices.Contains(g.Legal(), found.Move) || !(found.Expected >= 0 && found.Expected <= 1) {
			t.Errorf("%T: %+v, %v", e, found, err)
		}
		if _, err := NewPlayer(e).Play(over, g); err == nil {
			t.Errorf("%T plays a move in a match that is over", e)
		}
	}
}

// A search limited by visits uses one evaluator and, if it is repeatable, gives the same result
// whatever was searched before. A search limited by time takes about that time.
func TestTreeLimits(t *testing.T) {
	evs := []*keyed{{}, {}}
	tree, err := NewTree(rules.International, TreeConfig{
		Evaluators: []mcts.Evaluator{evs[0], evs[1]}, Search: mcts.Config{Root: mcts.PUCT, Reuse: true}, Repeatable: true,
		Own: Limits{Nodes: 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	think := func(l Limits) Thought {
		t.Helper()
		found, err := tree.Think(t.Context(), g, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	first := think(Limits{})
	if evs[1].calls.Load() != 0 || first.Nodes != 100 || len(first.Moves) != len(g.Legal()) || first.Moves[0].Line[0] != first.Move {
		t.Errorf("100 visits: %d calls of the second evaluator, %+v", evs[1].calls.Load(), first)
	}
	began := time.Now()
	// Otherwise it could end when its choice is settled.
	think(Limits{Time: 30 * time.Millisecond, Whole: true})
	if took := time.Since(began); took < 25*time.Millisecond {
		t.Errorf("30 ms took %s", took)
	}
	if again := think(Limits{}); again.Move != first.Move || again.Expected != first.Expected {
		t.Errorf("again it finds %+v, first %+v", again, first)
	}
	if err := tree.SetOwn(Limits{}); err == nil {
		t.Error("no limit is taken for one")
	}
}
