package tables

import (
	"math"

	"damier/rules"
)

// Solver trains a model by gradient descent on the cross-entropy of single examples, with a rate for each weight by
// AdaGrad (Duchi et al., JMLR 2011): a pattern that is seldom seen moves far when it is. Only the weights of the position
// at hand are touched, some tens of some hundred thousand, which is why this is no graph of package net/train.
type Solver struct {
	Rate  float32 // of learning
	Decay float32 // pulls the weights of the features, not those of the lead, to 0 whenever they occur
	Half  float32 // sum of a weight's squared gradients at which it is pulled half as hard; 0: always as hard

	// LeadOnly trains the worth of a man and of a king and nothing else, so that later features say what they add
	// to it: patterns that were never seen then add nothing, and a man stays a man there.
	LeadOnly bool

	Sums  []Weight // of the squared gradients, one for each weight of the model
	model *Model
	room  []int32
}

// NewSolver returns a solver of m, which it changes.
func NewSolver(m *Model) *Solver { return &Solver{model: m, Sums: make([]Weight, len(m.Weights))} }

// Loss returns the cross-entropy of what the model expects of p, in nats, with target, an expected score in [0,1] of the
// side to move.
func (s *Solver) Loss(p rules.Position, target float32) float64 {
	sum, room := s.model.logit(p, s.room)
	s.room = room
	return crossEntropy(sigmoid(sum), target)
}

// Learn makes one step towards target and returns the loss before it.
func (s *Solver) Learn(p rules.Position, target float32) float64 {
	sum, room := s.model.logit(p, s.room)
	s.room = room
	y := sigmoid(sum)
	full, empty := s.model.layout.mix(p)
	g := Weight{(y - target) * full, (y - target) * empty}
	for i, n := range leads(p) {
		s.step(s.model.layout.lead+i, Weight{n * g[0], n * g[1]}, 0)
	}
	if !s.LeadOnly {
		for _, i := range room {
			s.step(int(i), g, s.Decay)
		}
	}
	return crossEntropy(y, target)
}

// step moves weight i against its gradient g.
func (s *Solver) step(i int, g Weight, decay float32) {
	w, sums := &s.model.Weights[i], &s.Sums[i]
	for j := range w {
		sums[j] += g[j] * g[j]
		decay := decay
		if s.Half > 0 { // much evidence needs no caution
			decay *= s.Half / (s.Half + sums[j])
		}
		w[j] -= s.Rate * (g[j] + decay*w[j]) / (float32(math.Sqrt(float64(sums[j]))) + 0.3)
	}
}

// Forget keeps a share of the squared gradients, so that what is learnt later still counts.
func (s *Solver) Forget(keep float32) {
	for i := range s.Sums {
		s.Sums[i][0] *= keep
		s.Sums[i][1] *= keep
	}
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

func crossEntropy(y, target float32) float64 {
	const least = 1e-9
	return -float64(target)*math.Log(float64(y)+least) - float64(1-target)*math.Log(1-float64(y)+least)
}
