package sparse

import (
	"errors"
	"fmt"

	"damier/data"
	"damier/learner"
	"damier/learner/settings"
	"damier/net/nnue"
	"damier/net/train"
)

// trainer trains a network of package nnue on the values of samples, with the graph of net/train.
type trainer struct{ *train.Sparse }

func newTrainer(c settings.Train, m *nnue.Model) (trainer, error) {
	t, err := train.NewSparse(m, train.Config{LearningRate: c.LearningRate, WeightDecay: decay(c.WeightDecay)})
	if err != nil {
		return trainer{}, err
	}
	t.Mirror = c.Mirror
	return trainer{t}, nil
}

// decay converts a weight decay to that of net/train, where 0 means the default and a negative
// number none.
func decay(d float64) float64 {
	if d == 0 {
		return -1
	}
	return d
}

func (t trainer) Step(batch []data.Sample, rate float64) (learner.Loss, error) {
	loss, err := t.Sparse.Step(batch, rate)
	return lossOf(loss), notFinite(err)
}

func (t trainer) Evaluate(batch []data.Sample) (learner.Loss, error) {
	loss, err := t.Sparse.Evaluate(batch)
	return lossOf(loss), notFinite(err)
}

func lossOf(l train.Loss) learner.Loss { return learner.Loss{Value: l.Value, GradNorm: l.GradNorm} }

// notFinite converts net/train's error for a loss that is not finite to that of the learner.
func notFinite(err error) error {
	if errors.Is(err, train.ErrNotFinite) {
		return fmt.Errorf("%w: %w", learner.ErrNotFinite, err)
	}
	return err
}

// Network returns a copy of the network, because training changes the original.
func (t trainer) Network(o learner.Origin) learner.Network {
	m := t.Weights()
	m.Run = o.Run
	m.Generation = o.Generation
	m.Games = int64(o.Games)
	return network{m}
}
