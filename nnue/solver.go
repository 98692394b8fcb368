package nnue

import (
	"math"
	"runtime"
	"sync"

	"damier/internal/simd"
	"damier/rules"
)

// Batch is the number of examples of a step.
const Batch = 64

// shards is how many parts of a batch are computed beside each other, where there are cores for them. It is the same on every
// machine, for sums of floats depend on their order.
const shards = 4

// Example is a position with what the side to move should expect of it, a score in [0,1].
type Example struct {
	Position rules.Position
	Target   float32
}

// Solver trains a model by gradient descent on the cross-entropy of examples, in batches, by Adam (Kingma and Ba, ICLR
// 2015). Only the rows of the pieces at hand are computed with, some thirty of some hundred, which is why this is no graph
// of package net/train.
type Solver struct {
	Rate  float32 // of learning
	Decay float32 // of the weights, multiplied by Rate

	// Moments are those of Hidden, Output and Bias, the first and the second of each.
	Moments [3][2][]float32
	Steps   int64 // made

	model *Model
	level simd.Level
	parts [shards]part
}

// part is a shard's share of a batch.
type part struct {
	gradients [3][]float32
	pass      pass
	delta     []float32
	loss      float64
}

// NewSolver returns a solver of m, which it changes.
func NewSolver(m *Model) *Solver {
	s := &Solver{model: m, level: simd.Best()}
	for i, w := range s.parameters() {
		s.Moments[i] = [2][]float32{make([]float32, len(w)), make([]float32, len(w))}
		for j := range s.parts {
			s.parts[j].gradients[i] = make([]float32, len(w))
			s.parts[j].delta = make([]float32, m.Width)
		}
	}
	return s
}

func (s *Solver) parameters() [3][]float32 {
	return [3][]float32{s.model.Hidden, s.model.Output, s.model.Bias}
}

// Loss returns the cross-entropy of what the model expects with the target, in nats.
func (s *Solver) Loss(x Example) float64 {
	return crossEntropy(sigmoid(s.model.forward(s.level, &s.parts[0].pass, x.Position)), x.Target)
}

// Learn makes a step towards the targets of a batch, on several cores where there are, and returns the sum of the losses
// before it.
func (s *Solver) Learn(batch []Example) float64 {
	var wait sync.WaitGroup
	for i := range s.parts {
		share := batch[i*len(batch)/shards : (i+1)*len(batch)/shards]
		if runtime.GOMAXPROCS(0) == 1 || i == shards-1 {
			s.learn(&s.parts[i], share)
			continue
		}
		wait.Go(func() { s.learn(&s.parts[i], share) })
	}
	wait.Wait()
	loss := 0.0
	for i := range s.parts {
		loss += s.parts[i].loss
	}
	if len(batch) > 0 {
		s.step(len(batch))
	}
	return loss
}

// learn computes the losses and the gradients of some examples.
func (s *Solver) learn(p *part, examples []Example) {
	p.loss = 0
	for _, x := range examples {
		y := sigmoid(s.model.forward(s.level, &p.pass, x.Position))
		s.backward(p, y-x.Target)
		p.loss += crossEntropy(y, x.Target)
	}
}

// backward adds the gradients of the example that has passed, whose loss has the gradient g by the logit.
func (s *Solver) backward(p *part, g float32) {
	m, x, w := s.model, &p.pass, s.model.Width
	p.gradients[2][x.output] += g
	at := x.output * 2 * w
	simd.Axpy(s.level, p.gradients[1][at:at+2*w], g, x.squares)
	for view, sums := range x.sums {
		simd.ClippedSquareGrad(s.level, p.delta, sums, m.Output[at+view*w:at+(view+1)*w], g)
		for _, i := range x.inputs[view] {
			simd.Axpy(s.level, p.gradients[0][int(i)*w:int(i+1)*w], 1, p.delta)
		}
		simd.Axpy(s.level, p.gradients[0][m.inputs()*w:], 1, p.delta)
	}
}

// outputScale is how much faster outputs learn than the hidden layer: their weights are in logits, of which its are parts.
const outputScale = 4

// step changes the model by the gradients of so many examples.
func (s *Solver) step(examples int) {
	s.Steps++
	const beta1, beta2 = 0.9, 0.999
	for i, w := range s.parameters() {
		sum := s.parts[0].gradients[i]
		for j := 1; j < shards; j++ {
			simd.Axpy(s.level, sum, 1, s.parts[j].gradients[i])
			clear(s.parts[j].gradients[i])
		}
		a := simd.AdamW{
			Rate: s.Rate, Beta1: beta1, Beta2: beta2, Epsilon: 1e-8, GradScale: 1 / float32(examples),
			Correction1: float32(1 - math.Pow(beta1, float64(s.Steps))), Correction2: float32(1 - math.Pow(beta2, float64(s.Steps))),
			Decay: s.Decay,
		}
		if i > 0 {
			a.Rate *= outputScale
		}
		a.Step(s.level, w, s.Moments[i][0], s.Moments[i][1], sum, nil)
		clear(sum)
	}
	simd.Clip(s.level, s.model.Hidden, s.model.bound()) // what an Evaluator can hold
	simd.Clip(s.level, s.model.Output, s.model.outputBound())
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

func crossEntropy(y, target float32) float64 {
	const least = 1e-9
	return -float64(target)*math.Log(float64(y)+least) - float64(1-target)*math.Log(1-float64(y)+least)
}
