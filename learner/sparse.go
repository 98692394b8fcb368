package learner

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"damier/arena"
	"damier/data"
	"damier/engine"
	"damier/engine/open"
	"damier/mcts"
	"damier/net"
	"damier/net/train"
	"damier/nnue"
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
		return engine.NewTreePlayer(v, engine.TreeConfig{
			Name:       fmt.Sprintf("gen-%06d", n.Model.Generation),
			Evaluators: []mcts.Evaluator{e.OnePly(nnue.OnePlyConfig{})},
			Search:     open.TreeSearch(mcts.Config{}),
			Own:        engine.Limits{Nodes: int64(c.Evaluation.Visits)},
		}, 0)
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
type sparseTrainer struct {
	v      *rules.Variant
	model  *nnue.Model
	solver *nnue.Solver
	c      train.Config
	seed   uint64
	steps  int
	room   [nnue.Batch]nnue.Example
}

func newSparseTrainer(v *rules.Variant, c Config, initial Network) trainer {
	n, ok := initial.(sparse)
	if !ok {
		n = sparse{nnue.New(v, c.Net.Width, c.Seed)}
	}
	return &sparseTrainer{v: v, model: n.Model, solver: nnue.NewSolver(n.Model), c: c.Train, seed: c.Seed}
}

func (t *sparseTrainer) Steps() int { return t.steps }

func (t *sparseTrainer) Close() {}

// Step learns a batch, in steps of the solver of [nnue.Batch] examples; where left and right are alike, half of them
// mirrored.
func (t *sparseTrainer) Step(batch []data.Sample, rate float64) (train.Loss, error) {
	t.solver.Rate, t.solver.Decay = float32(t.c.LearningRate*rate), float32(t.c.WeightDecay)
	rng := rand.New(rand.NewPCG(t.seed, uint64(t.steps)))
	mirror := t.v.HasMirror()
	sum, entropy := 0.0, targetEntropy(batch)
	for from := 0; from < len(batch); from += nnue.Batch {
		part := batch[from:min(from+nnue.Batch, len(batch))]
		for i := range part {
			t.room[i] = nnue.Example{Position: part[i].Position, Target: part[i].Value.Score()}
			if mirror && rng.IntN(2) == 0 {
				t.room[i].Position = t.v.Mirror(part[i].Position)
			}
		}
		sum += t.solver.Learn(t.room[:len(part)])
	}
	t.steps++
	loss := train.Loss{Value: sum / float64(len(batch)), ValueEntropy: entropy}
	if math.IsNaN(loss.Value) || math.IsInf(loss.Value, 0) {
		return loss, fmt.Errorf("the loss is %g: %w", loss.Value, train.ErrNotFinite)
	}
	return loss, nil
}

func (t *sparseTrainer) Evaluate(batch []data.Sample) (train.Loss, error) {
	sum := 0.0
	for i := range batch {
		sum += t.solver.Loss(nnue.Example{Position: batch[i].Position, Target: batch[i].Value.Score()})
	}
	return train.Loss{Value: sum / float64(len(batch)), ValueEntropy: targetEntropy(batch)}, nil
}

// targetEntropy returns the cross-entropy of the best constant guess.
func targetEntropy(batch []data.Sample) float64 {
	mean := 0.0
	for i := range batch {
		mean += float64(batch[i].Value.Score()) / float64(len(batch))
	}
	if mean <= 0 || mean >= 1 {
		return 0
	}
	return -mean*math.Log(mean) - (1-mean)*math.Log(1-mean)
}

func (t *sparseTrainer) average(run string, generation int) Network {
	m := *t.model
	m.Hidden, m.Output, m.Bias = append([]float32(nil), m.Hidden...), append([]float32(nil), m.Output...), append([]float32(nil), m.Bias...)
	m.Run, m.Generation = run, generation
	return sparse{&m}
}

// sparseFormat names the format of a checkpoint.
const sparseFormat = "damier-nnue-training-1"

// tensors are the weights and the moments of the solver.
func (t *sparseTrainer) tensors() []net.Tensor {
	all := t.model.Tensors()
	for i, w := range t.model.Tensors() {
		for j, moment := range t.solver.Moments[i] {
			all = append(all, net.Tensor{Name: fmt.Sprintf("%s.moment%d", w.Name, j+1), Shape: w.Shape, Data: moment})
		}
	}
	return all
}

func (t *sparseTrainer) Save(w io.Writer) error {
	return net.WriteTensors(w, map[string]string{
		"format": sparseFormat, "variant": t.v.String(), "rules": strconv.Itoa(rules.Version), "width": strconv.Itoa(t.model.Width),
		"steps": strconv.Itoa(t.steps), "solver_steps": strconv.FormatInt(t.solver.Steps, 10),
	}, t.tensors())
}

func (t *sparseTrainer) Load(r io.Reader) error {
	metadata, tensors, err := net.ReadTensors(r)
	if err != nil {
		return err
	}
	for key, want := range map[string]string{
		"format": sparseFormat, "variant": t.v.String(), "rules": strconv.Itoa(rules.Version), "width": strconv.Itoa(t.model.Width),
	} {
		if got := metadata[key]; got != want {
			return fmt.Errorf("its %s is %q, and here it is %q: %w", key, got, want, net.ErrForeign)
		}
	}
	steps, err1 := strconv.Atoi(metadata["steps"])
	solver, err2 := strconv.ParseInt(metadata["solver_steps"], 10, 64)
	if err1 != nil || err2 != nil || steps < 0 || solver < 0 {
		return fmt.Errorf("its steps are %q and %q: %w", metadata["steps"], metadata["solver_steps"], net.ErrDamaged)
	}
	if err := net.CopyTensors(t.tensors(), tensors); err != nil {
		return err
	}
	t.steps, t.solver.Steps = steps, solver
	return nil
}
