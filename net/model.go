package net

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"damier/rules"
)

// Model is a network with its weights. What trains it changes Params[i].Data in place; everything else is
// fixed once it is made. Any number of goroutines may read a model that nobody changes.
//
// The parameters are those of Architecture.Layers in that order, for each layer the weights, then the bias
// if it has one; their shapes stand at [Layer].
type Model struct {
	Variant *rules.Variant
	Config  Config // resolved
	Params  []Tensor

	// Where the model comes from. None of it changes what it computes.
	Run        string // name of the run, "" for none
	Generation int    // 0 for random weights
	Steps      int64  // of training
}

// Tensor is a named array: a parameter, or what else is kept in a file of tensors.
type Tensor struct {
	Name  string
	Shape []int     // dimensions, each at least 1
	Data  []float32 // row by row, the product of the shape
}

// NewModel returns a model with initial weights, which follow from the seed alone. It is an error if the
// config is not valid.
func NewModel(v *rules.Variant, cfg Config, seed uint64) (*Model, error) {
	m, a, err := newModel(v, cfg)
	if err != nil {
		return nil, err
	}
	for i, l := range a.weights() {
		if l == nil {
			continue // a bias begins at zero
		}
		p := m.Params[i]
		// Each parameter has a stream of its own: a layer more elsewhere leaves it as it is.
		h := fnv.New64a()
		h.Write([]byte(p.Name))
		rng := rand.New(rand.NewPCG(seed, h.Sum64()))
		inputs := l.Lattice.Taps * l.In
		if l == &a.Hidden {
			inputs -= a.Counts
		}
		scale := l.gain * math.Sqrt(2/float64(inputs))
		for j := range p.Data {
			if l == &a.Hidden && j == inputs*l.Out {
				scale = countGain * math.Sqrt(2/float64(a.Counts))
			}
			p.Data[j] = float32(scale * rng.NormFloat64())
		}
	}
	return m, nil
}

// newModel returns a model with all weights zero.
func newModel(v *rules.Variant, cfg Config) (*Model, *Architecture, error) {
	a, err := NewArchitecture(v, cfg)
	if err != nil {
		return nil, nil, err
	}
	m := &Model{Variant: v, Config: cfg.For(v), Params: a.params()}
	for i := range m.Params {
		n, ok := volume(m.Params[i].Shape)
		if !ok {
			return nil, nil, fmt.Errorf("net: parameter %s %v is too large", m.Params[i].Name, m.Params[i].Shape)
		}
		m.Params[i].Data = make([]float32, n)
	}
	return m, a, nil
}

// params returns the names and shapes of the parameters, without data.
func (a *Architecture) params() []Tensor {
	var ps []Tensor
	for _, l := range a.Layers() {
		ps = append(ps, Tensor{Name: l.Weight(), Shape: []int{l.Lattice.Taps, l.In, l.Out}})
		if l.bias != nil {
			ps = append(ps, Tensor{Name: l.Bias(), Shape: l.bias})
		}
	}
	return ps
}

// weights returns, for each parameter, the layer whose weights it is, nil for a bias.
func (a *Architecture) weights() []*Layer {
	var ws []*Layer
	for _, l := range a.Layers() {
		ws = append(ws, l)
		if l.bias != nil {
			ws = append(ws, nil)
		}
	}
	return ws
}

// Architecture returns the layers of the model.
func (m *Model) Architecture() *Architecture {
	a, err := NewArchitecture(m.Variant, m.Config)
	if err != nil {
		panic("net: model with a bad config")
	}
	return a
}

// Param returns the data of the named parameter, nil if there is none.
func (m *Model) Param(name string) []float32 {
	for i := range m.Params {
		if m.Params[i].Name == name {
			return m.Params[i].Data
		}
	}
	return nil
}

// Size returns the number of weights.
func (m *Model) Size() int {
	n := 0
	for i := range m.Params {
		n += len(m.Params[i].Data)
	}
	return n
}

// Clone returns a copy that shares no weights with m.
func (m *Model) Clone() *Model {
	c := *m
	c.Params = slices.Clone(m.Params)
	for i := range c.Params {
		c.Params[i].Data = slices.Clone(c.Params[i].Data)
	}
	return &c
}

// String returns a short description such as "lattice 48x6, 91715 weights".
func (m *Model) String() string {
	if m.Config.Arch == MLP {
		return fmt.Sprintf("mlp %d, %d weights", m.Config.Hidden, m.Size())
	}
	return fmt.Sprintf("lattice %dx%d, %d weights", m.Config.Channels, m.Config.Layers, m.Size())
}

// sameNetwork reports whether m and n have the same shape and rules, so that one can replace the other.
func (m *Model) sameNetwork(n *Model) bool {
	return m.Config == n.Config && m.Variant.String() == n.Variant.String()
}
