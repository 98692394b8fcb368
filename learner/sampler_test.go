package learner

import (
	"math/rand/v2"
	"testing"

	"damier/data"
	"damier/rules"
)

// sampledWindow is a window of games of random moves.
func sampledWindow(t *testing.T) *data.Window {
	v := rules.International
	rng := rand.New(rand.NewPCG(5, 6))
	w := data.NewWindow(v, data.WindowConfig{}, func(*data.Game, int) (float32, bool) { return 0.5, true })
	for range 5 {
		var g data.Game
		for p := v.Start(); len(g.Plies) < 40; {
			moves := v.AppendMoves(nil, p)
			if len(moves) == 0 {
				break
			}
			g.Plies = append(g.Plies, data.Ply{Position: p, Moves: moves})
			p = v.Play(p, moves[rng.IntN(len(moves))])
		}
		w.Add(g)
	}
	return w
}

// The batches are those of a window that is asked one after the other, also where the memory of an
// earlier batch is used again.
func TestSampler(t *testing.T) {
	const size, batches = 33, 12
	w := sampledWindow(t)
	s := newSampler(w, rand.New(rand.NewPCG(1, 2)), size, batches)
	defer s.close()
	var drawn []data.Sample
	for range batches {
		drawn = append(drawn, s.next()...)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	want := make([]data.Sample, size)
	for i := range batches {
		data.Draw(w, rng, want)
		for j := range want {
			if got := drawn[i*size+j]; got != want[j] {
				t.Fatalf("batch %d, sample %d: %v, want %v", i, j, got, want[j])
			}
		}
	}
}

// A sampler may be closed with batches drawn and not taken, and the window is free then.
func TestSamplerClosesEarly(t *testing.T) {
	w := sampledWindow(t)
	for taken := range 4 {
		s := newSampler(w, rand.New(rand.NewPCG(1, 2)), 16, 3)
		for range min(taken, 3) {
			s.next()
		}
		s.close()
		data.Draw(w, rand.New(rand.NewPCG(3, 4)), make([]data.Sample, 8))
	}
}
