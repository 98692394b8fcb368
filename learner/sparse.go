package learner

import (
	"fmt"

	"damier/arena"
	"damier/mcts"
	"damier/net"
	"damier/net/train"
	"damier/nnue"
	"damier/player"
	"damier/rules"
	"damier/selfplay"
)

// sparse is a network of package nnue: it plays by a tree search that looks one ply ahead at every leaf.
type sparse struct{ *nnue.Model }

func (n sparse) Size() int { return len(n.Hidden) + len(n.Output) + len(n.Bias) }

func (n sparse) Shape() string { return fmt.Sprintf("NNUE, %d units in each of two views", n.Width) }

func (n sparse) Generation() int { return n.Model.Generation }

func (n sparse) Trained() int { return 0 }

func (n sparse) id() string { return fmt.Sprintf("%s/gen-%06d", n.Run, n.Model.Generation) }

func (n sparse) Evaluator() (mcts.Evaluator, error) {
	return n.Model.Evaluator().OnePly(nnue.OnePlyConfig{}), nil
}

func (n sparse) evaluators(_ selfplay.Config, count int) ([]evaluator, error) {
	var all []evaluator
	e := n.Model.Evaluator()
	for range count {
		all = append(all, &sparseEvaluator{e.OnePly(nnue.OnePlyConfig{})})
	}
	return all, nil
}

func (n sparse) players(v *rules.Variant, c Config) (arena.Factory, func(), error) {
	e := n.Model.Evaluator()
	return func() (arena.Player, error) {
		return player.NewTree(v, e, 1, nnue.OnePlyConfig{}, player.Config{
			Name:   fmt.Sprintf("gen-%06d", n.Model.Generation),
			Visits: c.Evaluation.Visits,
			Search: player.TreeSearch(mcts.Config{}),
		})
	}, func() {}, nil
}

type sparseEvaluator struct{ *nnue.OnePly }

func (e *sparseEvaluator) take(n Network) error {
	e.OnePly = n.(sparse).Model.Evaluator().OnePly(nnue.OnePlyConfig{})
	return nil
}

func (e *sparseEvaluator) stats() net.EvaluatorStats { return net.EvaluatorStats{} }

// sparseTrainer teaches a network of package nnue the values of samples. Policies are not learnt: the search's priors come
// from its look at every move.
type sparseTrainer struct{ *train.Sparse }

func newSparseTrainer(v *rules.Variant, c Config, initial Network) (trainer, error) {
	n, ok := initial.(sparse)
	if !ok {
		n = sparse{nnue.New(v, c.Net.Width, c.Seed)}
	}
	t, err := train.NewSparse(n.Model, c.Train)
	return sparseTrainer{t}, err
}

func (t sparseTrainer) average(run string, generation int) Network {
	m := t.Weights()
	m.Run, m.Generation = run, generation
	return sparse{m}
}
