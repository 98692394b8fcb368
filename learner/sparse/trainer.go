package sparse

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"damier/data"
	"damier/learner"
	"damier/net"
	"damier/nnue"
	"damier/rules"
)

// trainer teaches a network of package nnue the values of samples. Policies are not learnt: the search's priors come
// from its look at every move.
type trainer struct {
	v      *rules.Variant
	model  *nnue.Model
	solver *nnue.Solver
	c      learner.Train
	seed   uint64
	steps  int
	room   [nnue.Batch]nnue.Example
}

func newTrainer(v *rules.Variant, c learner.Config, m *nnue.Model) *trainer {
	return &trainer{v: v, model: m, solver: nnue.NewSolver(m), c: c.Train, seed: c.Seed}
}

func (t *trainer) Steps() int { return t.steps }

// Step learns a batch, in steps of the solver of [nnue.Batch] examples; where left and right are alike, half of them
// mirrored.
func (t *trainer) Step(batch []data.Sample, rate float64) (learner.Loss, error) {
	t.solver.Rate, t.solver.Decay = float32(t.c.LearningRate*rate), float32(t.c.WeightDecay)
	rng := rand.New(rand.NewPCG(t.seed, uint64(t.steps)))
	mirror := t.c.Mirror && t.v.HasMirror()
	sum := 0.0
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
	loss := learner.Loss{Value: sum / float64(len(batch))}
	if math.IsNaN(loss.Value) || math.IsInf(loss.Value, 0) {
		return loss, fmt.Errorf("the loss is %g: %w", loss.Value, learner.ErrNotFinite)
	}
	return loss, nil
}

func (t *trainer) Evaluate(batch []data.Sample) (learner.Loss, error) {
	sum := 0.0
	for i := range batch {
		sum += t.solver.Loss(nnue.Example{Position: batch[i].Position, Target: batch[i].Value.Score()})
	}
	return learner.Loss{Value: sum / float64(len(batch))}, nil
}

// Network returns a copy of the model: learning goes on beside it.
func (t *trainer) Network(o learner.Origin) learner.Network {
	m := *t.model
	m.Hidden, m.Output, m.Bias = slices.Clone(m.Hidden), slices.Clone(m.Output), slices.Clone(m.Bias)
	m.Run, m.Generation, m.Games = o.Run, o.Generation, int64(o.Games)
	return network{&m}
}

// checkpointFormat names the format of a checkpoint.
const checkpointFormat = "damier-nnue-training-1"

// tensors are the weights and the moments of the solver.
func (t *trainer) tensors() []net.Tensor {
	all := t.model.Tensors()
	for i, w := range t.model.Tensors() {
		for j, moment := range t.solver.Moments[i] {
			all = append(all, net.Tensor{Name: fmt.Sprintf("%s.moment%d", w.Name, j+1), Shape: w.Shape, Data: moment})
		}
	}
	return all
}

func (t *trainer) Save(w io.Writer) error {
	return net.WriteTensors(w, map[string]string{
		"format": checkpointFormat, "variant": t.v.String(), "rules": strconv.Itoa(rules.Version), "width": strconv.Itoa(t.model.Width),
		"steps": strconv.Itoa(t.steps), "solver_steps": strconv.FormatInt(t.solver.Steps, 10),
	}, t.tensors())
}

func (t *trainer) Load(r io.Reader) error {
	metadata, tensors, err := net.ReadTensors(r)
	if err != nil {
		return err
	}
	for key, want := range map[string]string{
		"format": checkpointFormat, "variant": t.v.String(), "rules": strconv.Itoa(rules.Version), "width": strconv.Itoa(t.model.Width),
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
