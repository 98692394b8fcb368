package learner

import (
	"math/rand/v2"

	"damier/data"
)

// sampler draws batches from a source in advance: while the trainer learns one batch, it draws the
// next. The batches and their order are those of consecutive calls of [data.Draw]. From
// newSampler to close nothing else may change the source or use the generator.
type sampler struct {
	drawn chan []data.Sample // full batches, in order
	free  chan []data.Sample // memory for further batches
	batch []data.Sample      // the batch that next returned last
}

// newSampler starts to draw the given number of batches of size samples.
func newSampler(from data.Source, rng *rand.Rand, size, batches int) *sampler {
	const ahead = 2 // one batch being learnt and one being drawn
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
			data.Draw(from, rng, batch)
			s.drawn <- batch
		}
	}()
	return s
}

// next returns the next batch, which is valid until the next call. It must not be called more
// often than there are batches.
func (s *sampler) next() []data.Sample {
	if s.batch != nil {
		s.free <- s.batch
	}
	s.batch = <-s.drawn
	return s.batch
}

// close stops the drawing and waits for its end. Batches that were drawn but not returned are
// lost.
func (s *sampler) close() {
	close(s.free)
	for range s.drawn {
	}
}
