package player

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"damier/mcts"
	"damier/rules"
)

// fake is an evaluator whose value depends on the position alone: uniform priors, and a win probability
// from the position's key.
type fake struct {
	mu    sync.Mutex
	most  int // leaves in one call
	err   error
	calls int
	slow  time.Duration // taken by every call
}

func (f *fake) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	time.Sleep(f.slow)
	f.mu.Lock()
	f.most = max(f.most, len(leaves))
	f.calls++
	f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
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

func TestBatcherPlaysAsItsEvaluator(t *testing.T) {
	const games, plies = 16, 6
	play := func(ev mcts.Evaluator, game int) []rules.Move {
		n, err := New(rules.International, ev, Config{Visits: 24 + game})
		if err != nil {
			t.Error(err)
			return nil
		}
		g := rules.NewGame(rules.International)
		for range plies {
			m, err := n.Play(t.Context(), g)
			if err == nil {
				err = g.Play(m)
			}
			if err != nil {
				t.Error(err)
				return nil
			}
		}
		return g.Moves()
	}
	inner := [2]*fake{{slow: 300 * time.Microsecond}, {slow: 300 * time.Microsecond}} // else a game is over before the next begins
	b := NewBatcher([]mcts.Evaluator{inner[0], inner[1]}, 8)
	defer b.Close()
	var together [games][]rules.Move
	var wg sync.WaitGroup
	for i := range games {
		wg.Go(func() { together[i] = play(b, i) })
	}
	wg.Wait()
	for i := range games {
		alone := play(&fake{}, i)
		for j, m := range alone {
			if together[i][j] != m {
				t.Fatalf("game %d, ply %d: %v with the batcher, %v alone", i, j, together[i][j], m)
			}
		}
	}
	if most := max(inner[0].most, inner[1].most); most > 8 {
		t.Errorf("a batch of %d leaves in blocks of 8", most)
	}
	if s := b.Stats(); s.Leaves < games*plies*24 || float64(s.Leaves)/float64(s.Batches) < 2 {
		t.Errorf("%d leaves in %d batches: nothing was gathered", s.Leaves, s.Batches)
	}
}

func TestBatcherSingleCallerIsNotKeptWaiting(t *testing.T) {
	b := NewBatcher([]mcts.Evaluator{&fake{}}, 32)
	defer b.Close()
	leaf := mcts.Leaf{Position: rules.International.Start(), Moves: make([]rules.Move, 9), Priors: make([]float32, 9)}
	if err := b.Evaluate(t.Context(), []mcts.Leaf{leaf}); err != nil { // without Begin
		t.Fatal(err)
	}
	b.Begin()
	b.Begin()
	done := make(chan error)
	go func() { done <- b.Evaluate(context.Background(), []mcts.Leaf{leaf}) }()
	select {
	case <-done:
		t.Fatal("evaluated a block of one while another search was thinking")
	case <-time.After(20 * time.Millisecond):
	}
	b.End()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	b.End()
}

func TestBatcherErrors(t *testing.T) {
	broken := errors.New("broken")
	b := NewBatcher([]mcts.Evaluator{&fake{err: broken}}, 4)
	leaves := []mcts.Leaf{{Priors: make([]float32, 1)}}
	if err := b.Evaluate(t.Context(), leaves); err != broken {
		t.Errorf("error %v, want that of the evaluator", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Evaluate(over, leaves); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v with a finished context", err)
	}
	// A caller that waits for others when Close comes is answered.
	b.Begin()
	b.Begin()
	done := make(chan error)
	go func() { done <- b.Evaluate(context.Background(), leaves) }()
	time.Sleep(5 * time.Millisecond)
	b.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
	if err := b.Evaluate(t.Context(), leaves); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v after Close, want ErrClosed", err)
	}
	b.Close()
}
