package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"damier/data"
	"damier/internal/simd"
	"damier/net"
	"damier/rules"
)

// Trainer is one network in training: its weights, their moving average, and what the solver remembers. It
// belongs to one goroutine at a time; it works with several of its own, until Close.
//
// The same model, config and samples give the same weights bit for bit, whatever Config.Threads is.
type Trainer struct {
	cfg     Config // resolved
	model   *net.Model
	average *net.Model

	graph   *graph
	train   *program // over model
	held    *program // over average, without gradients
	solver  *solver
	workers *workers

	mirrored []data.Sample // of the step under way, see mirror
	moves    []rules.Move  // those of the mirrored ones
}

// New returns a trainer of a copy of m, which must be a network for v. The moments begin at zero and the
// warm-up at its beginning, whatever m has been through.
func New(m *net.Model, v *rules.Variant, cfg Config) (*Trainer, error) {
	if m.Variant.String() != v.String() {
		return nil, fmt.Errorf("train: a model for %s cannot be trained for %s: %w", m.Variant, v, net.ErrForeign)
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.Resolve()
	level, err := simd.ParseLevel(cfg.Level)
	if err != nil {
		return nil, fmt.Errorf("train: Level: %w", err)
	}
	t := &Trainer{cfg: cfg, model: m.Clone(), average: m.Clone(), workers: newWorkers(cfg.Threads)}
	blocks := cfg.Batch / simd.Lanes
	squares := m.Architecture().Stem.Lattice.Squares
	t.graph = newGraph(t.model, newBatch(t.workers, level, blocks, squares), cfg)
	t.solver = &solver{cfg: cfg, level: level, workers: t.workers}
	for i := range t.model.Params {
		p := &t.model.Params[i]
		t.solver.decays = append(t.solver.decays, strings.HasSuffix(p.Name, ".weight"))
		t.solver.moment1 = append(t.solver.moment1, make([]float32, len(p.Data)))
		t.solver.moment2 = append(t.solver.moment2, make([]float32, len(p.Data)))
		t.solver.average = append(t.solver.average, t.average.Params[i].Data)
	}
	if t.train, err = t.graph.compile(t.model, true); err == nil {
		t.held, err = t.graph.compile(t.average, false)
	}
	if err == nil {
		err = t.solver.bind(t.train.params)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close ends the trainer's goroutines. Weights, EMA, Steps and Save go on working; Step and Evaluate do not.
func (t *Trainer) Close() { t.workers.close() }

// Step trains the network on exactly Config.Batch samples. lrScale multiplies the learning rate; a schedule
// sets it, 1 is none. The samples are read only and not kept. Where the board has a mirror, every other sample is
// trained with left and right exchanged: in odd steps those at odd places, in even steps the rest. Step does not
// allocate.
//
// It returns the loss before the step. The error says which sample is malformed, or wraps ErrNotFinite; the
// trainer is then as it was.
func (t *Trainer) Step(samples []data.Sample, lrScale float64) (Loss, error) {
	if len(samples) != t.cfg.Batch {
		panic("train: a step takes exactly a batch of samples")
	}
	if !(lrScale >= 0) || math.IsInf(lrScale, 0) {
		panic("train: learning rate factor is negative or not finite")
	}
	if err := check(samples); err != nil {
		return Loss{}, err
	}
	t.train.run(t.mirror(samples))
	loss := t.graph.heads.totals.loss()
	if !loss.finite() {
		return loss, fmt.Errorf("train: loss of step %d (policy %g, value %g): %w", t.solver.steps+1, loss.Policy, loss.Value, ErrNotFinite)
	}
	t.solver.factor = lrScale
	err := t.solver.step()
	loss.GradNorm = t.solver.norm
	if err != nil {
		return loss, err
	}
	t.model.Steps++
	t.average.Steps++
	return loss, nil
}

// mirror returns the samples with every other one mirrored, in memory of the trainer's own; the samples
// themselves where there is no mirror.
func (t *Trainer) mirror(samples []data.Sample) []data.Sample {
	v := t.model.Variant
	if !v.HasMirror() {
		return samples
	}
	t.mirrored, t.moves = append(t.mirrored[:0], samples...), t.moves[:0]
	for i := int(t.model.Steps+1) % 2; i < len(t.mirrored); i += 2 {
		s, first := &t.mirrored[i], len(t.moves)
		for _, m := range s.Moves {
			t.moves = append(t.moves, v.MirrorMove(m))
		}
		s.Position, s.Moves = v.Mirror(s.Position), t.moves[first:]
	}
	return t.mirrored
}

// Evaluate returns the loss of the averaged weights on any number of samples, and changes nothing. Errors are
// those of Step.
func (t *Trainer) Evaluate(samples []data.Sample) (Loss, error) { return t.evaluate(t.held, samples) }

func (t *Trainer) evaluate(p *program, samples []data.Sample) (Loss, error) {
	if err := check(samples); err != nil {
		return Loss{}, err
	}
	var all totals
	for batch := range slices.Chunk(samples, t.cfg.Batch) {
		p.run(batch)
		all.add(&t.graph.heads.totals)
	}
	loss := all.loss()
	if !loss.finite() {
		return loss, fmt.Errorf("train: held-out loss (policy %g, value %g): %w", loss.Policy, loss.Value, ErrNotFinite)
	}
	return loss, nil
}

// check returns an error that names the first sample whose parts do not fit together. Numbers that are not
// finite pass: they show in the loss.
func check(samples []data.Sample) error {
	for i := range samples {
		s := &samples[i]
		switch {
		case s.Policy == nil:
		case len(s.Moves) == 0:
			return fmt.Errorf("train: sample %d: %w", i, errNoMoves)
		case len(s.Policy) != len(s.Moves):
			return fmt.Errorf("train: sample %d: %d probabilities for %d moves", i, len(s.Policy), len(s.Moves))
		}
		if s.Weight < 0 {
			return fmt.Errorf("train: sample %d: weight %g is negative", i, s.Weight)
		}
	}
	return nil
}

var errNoMoves = errors.New("a policy target without moves")

// Weights returns a copy of the network as it is.
func (t *Trainer) Weights() *net.Model { return t.model.Clone() }

// EMA returns a copy of the network with the moving average of the weights, which plays better.
func (t *Trainer) EMA() *net.Model { return t.average.Clone() }

// Steps returns how many steps the network has been trained, those before this trainer included.
func (t *Trainer) Steps() int { return int(t.model.Steps) }

// Config returns the trainer's config with the defaults filled in.
func (t *Trainer) Config() Config { return t.cfg }
