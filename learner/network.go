package learner

import (
	"bytes"
	"fmt"
	"io"

	"damier/arena"
	"damier/data"
	"damier/mcts"
	"damier/net"
	"damier/net/train"
	"damier/nnue"
	"damier/rules"
	"damier/selfplay"
)

// Network is what a run trains, publishes and plays with. The loop is the same for every kind of it.
type Network interface {
	// Save writes the network's file.
	Save(io.Writer) error
	// Trained returns the steps of training that it has been through, 0 where its file does not say.
	Trained() int
	// Size returns the number of weights.
	Size() int
	// Shape says in words what the network is made of.
	Shape() string
	// Generation returns that of its run.
	Generation() int
	// Evaluator returns an evaluator for one goroutine.
	Evaluator() (mcts.Evaluator, error)

	// id names the network among all of a run.
	id() string
	// evaluators returns those of n actors.
	evaluators(c selfplay.Config, n int) ([]evaluator, error)
	// players returns what makes its players in the matches of a run, and what ends them.
	players(v *rules.Variant, c Config) (make arena.Factory, end func(), err error)
}

// evaluator answers an actor.
type evaluator interface {
	mcts.Evaluator
	// take makes it evaluate by another network of its kind.
	take(Network) error
	// stats counts since the beginning; zero where nothing is computed in blocks.
	stats() net.EvaluatorStats
}

// trainer teaches a network. [train.Trainer] says what its methods do.
type trainer interface {
	Step(batch []data.Sample, rate float64) (train.Loss, error)
	Evaluate(batch []data.Sample) (train.Loss, error)
	Save(io.Writer) error
	Load(io.Reader) error
	Steps() int
	Close()
	// average returns what plays, under the name of a generation.
	average(run string, generation int) Network
}

// newTrainer returns a trainer of the network that a configuration asks for: new, or if initial is not nil that.
func newTrainer(v *rules.Variant, c Config, initial Network) (trainer, error) {
	if c.Net.Arch == net.NNUE {
		return newSparseTrainer(v, c, initial), nil
	}
	return newLatticeTrainer(v, c, initial)
}

// newNetwork returns a network that knows nothing.
func newNetwork(v *rules.Variant, c Config) (Network, error) {
	if c.Net.Arch == net.NNUE {
		return sparse{nnue.New(v, c.Net.Width, c.Seed)}, nil
	}
	m, err := net.NewModel(v, c.Net, c.Seed)
	return lattice{m}, err
}

// load reads a network of the kind that the configuration asks for.
func (c Config) load(path string, v *rules.Variant) (Network, error) {
	if c.Net.Arch == net.NNUE {
		m, err := nnue.LoadFile(path, v)
		return sparse{m}, err
	}
	m, err := net.LoadFile(path, v)
	return lattice{m}, err
}

// decode reads a network of that kind from the bytes of its file.
func (c Config) decode(file []byte, v *rules.Variant) (Network, error) {
	if c.Net.Arch == net.NNUE {
		m, err := nnue.Load(bytes.NewReader(file), v)
		return sparse{m}, err
	}
	m, err := net.Load(bytes.NewReader(file), v)
	return lattice{m}, err
}

// networkName is the pattern of the names of networks in models/, by their generation.
func (c Config) networkName() string {
	if c.Net.Arch == net.NNUE {
		return "gen-%06d" + nnue.Extension
	}
	return "gen-%06d.safetensors"
}

// modelFile is the name of the network of a generation.
func (c Config) modelFile(generation int) string { return fmt.Sprintf(c.networkName(), generation) }
