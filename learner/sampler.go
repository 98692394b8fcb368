package learner

import (
	"math/rand/v2"

	"damier/data"
)

// sampler draws batches from a window ahead of the training that wants them: while one is learnt the next is drawn.
// They are the batches, in the order, that Window.Sample would give one after the other. From newSampler to close
// the window and the generator belong to the sampler.
type sampler struct {
	drawn chan []data.Sample // full batches, in order
	free  chan []data.Sample // what may be drawn into
	batch []data.Sample      // the one that next has given out
}

// newSampler begins to draw so many batches of size samples.
func newSampler(w *data.Window, rng *rand.Rand, size, batches int) *sampler {
	const ahead = 2 // one that is learnt and one that is drawn
	s := &sampler{drawn: make(chan []data.Sample, ahead), free: make(chan []data.Sample, ahead)}
	for range ahead {
		s.free <- make([]data.Sample, size)
	}
	go func() {
		defer close(s.drawn)
		for range batches {
			batch, ok := <-s.free
			if !ok {
				return
			}
			w.Sample(rng, batch)
			s.drawn <- batch
		}
	}()
	return s
}

// next returns the next batch, which is valid until next is called again. It is called at most as often as there
// are batches.
func (s *sampler) next() []data.Sample {
	if s.batch != nil {
		s.free <- s.batch
	}
	s.batch = <-s.drawn
	return s.batch
}

// close ends the drawing and returns when it has ended. What was drawn and not given out is lost.
func (s *sampler) close() {
	close(s.free)
	for range s.drawn {
	}
}
