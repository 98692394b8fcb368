package learner

import (
	"fmt"

	"damier/arena"
	"damier/internal/simd"
	"damier/mcts"
	"damier/net"
	"damier/net/train"
	"damier/player"
	"damier/rules"
	"damier/selfplay"
)

// lattice is a network of package net.
type lattice struct{ *net.Model }

// Lattice returns a network of package net as a [Network].
func Lattice(m *net.Model) Network { return lattice{m} }

func (n lattice) Shape() string { return shape(n.Config) }

func (n lattice) Generation() int { return n.Model.Generation }

func (n lattice) Trained() int { return int(n.Steps) }

func (n lattice) id() string { return fmt.Sprintf("%s/gen-%06d", n.Run, n.Model.Generation) }

func (n lattice) Evaluator() (mcts.Evaluator, error) { return net.NewEvaluator(n.Model, simd.Best()) }

func (n lattice) evaluators(c selfplay.Config, count int) ([]evaluator, error) {
	p, err := net.ParsePrecision(c.Precision)
	if err != nil {
		return nil, err
	}
	made, err := net.NewEvaluators(n.Model, simd.Best(), p, count)
	var all []evaluator
	for _, e := range made {
		all = append(all, latticeEvaluator{e})
	}
	return all, err
}

// players share a batcher and a cache. They search as players outside a run do: the measure must not depend on the recipe
// of self-play.
func (n lattice) players(v *rules.Variant, c Config) (arena.Factory, func(), error) {
	evaluators, err := player.Evaluators(n.Model, net.Float32, c.actors())
	if err != nil {
		return nil, nil, err
	}
	batcher := player.NewBatcher(evaluators, c.SelfPlay.Games)
	cache := c.SelfPlay.NewCache(c.actors())
	return func() (arena.Player, error) {
		return player.New(v, batcher, player.Config{
			Name:   fmt.Sprintf("gen-%06d", n.Model.Generation),
			Visits: c.Evaluation.Visits,
			Cache:  cache,
		})
	}, func() { batcher.Close() }, nil
}

type latticeEvaluator struct{ *net.Evaluator }

func (e latticeEvaluator) take(n Network) error { return e.SetModel(n.(lattice).Model) }

func (e latticeEvaluator) stats() net.EvaluatorStats { return e.Stats() }

type latticeTrainer struct{ *train.Trainer }

func newLatticeTrainer(v *rules.Variant, c Config, initial Network) (trainer, error) {
	n, ok := initial.(lattice)
	if !ok {
		m, err := net.NewModel(v, c.Net, c.Seed)
		if err != nil {
			return nil, err
		}
		n = lattice{m}
	}
	t, err := train.New(n.Model, v, c.Train)
	return latticeTrainer{t}, err
}

func (t latticeTrainer) average(run string, generation int) Network {
	m := t.EMA()
	m.Run, m.Generation, m.Steps = run, generation, int64(t.Steps())
	return lattice{m}
}
