package learner

import (
	"errors"
	"fmt"
	"io"

	"damier/arena"
	"damier/data"
	"damier/learner/settings"
	"damier/mcts"
	"damier/rules"
	"damier/selfplay"
)

// Method defines what a run trains, how it learns and how it plays. It is the interface between
// the loop and the network: the loop knows nothing else about them. Package learner/sparse has
// the method of this program.
//
// A method has no state. A [Network] plays, and a [Trainer] learns.
type Method interface {
	settings.Method

	// Extension returns the extension of the network's files, ".nnue".
	Extension() string

	// New returns an untrained network.
	New(v *rules.Variant, c settings.Config) (Network, error)

	// Load reads the file of a network for the variant. Errors about its content wrap
	// net.ErrDamaged or net.ErrForeign.
	Load(path string, v *rules.Variant) (Network, error)

	// Begin reads the file of a network with whose weights a run of the variant begins. It may be
	// a network of another variant, if the weights fit. Its errors are those of Load.
	Begin(path string, v *rules.Variant) (Network, error)

	// Read reads the bytes of such a file; its errors are those of Load.
	Read(r io.Reader, v *rules.Variant) (Network, error)

	// Trainer returns a trainer for n, which it changes, or for a new network if n is nil.
	Trainer(v *rules.Variant, c settings.Config, n Network) (Trainer, error)

	// Targets returns the function that computes the training targets of a recorded position.
	Targets(v *rules.Variant, c settings.Config) data.TargetFunc
}

// Network is a network that plays. It is immutable.
type Network interface {
	// Save writes the file of the network.
	Save(io.Writer) error
	// Size returns the number of weights.
	Size() int
	// Shape describes the architecture of the network in words.
	Shape() string
	// Settings sets the keys of c that determine the architecture.
	Settings(c *settings.Config)
	// Generation returns the generation of the network in its run; ID identifies it among all
	// networks of a run.
	Generation() int
	ID() string

	// Searcher returns the searcher of self-play, for one goroutine.
	Searcher(v *rules.Variant, c selfplay.Config) (selfplay.Searcher, error)
	// Players returns a factory of players for matches, which use the given number of visits for a
	// move.
	Players(v *rules.Variant, visits int) arena.Factory
	// Evaluator returns an evaluator for an onlooker, for one goroutine.
	Evaluator() (mcts.Evaluator, error)
}

// Trainer trains a network. Only one goroutine may use it.
type Trainer interface {
	// Step learns a batch, at the learning rate of the settings times rate, and returns the loss
	// before the step. If the loss is not finite the error wraps [ErrNotFinite].
	Step(batch []data.Sample, rate float64) (Loss, error)
	// Evaluate returns the loss on a batch without learning it.
	Evaluate(batch []data.Sample) (Loss, error)
	// Save writes the state needed to continue to the bit, and Load reads it.
	Save(io.Writer) error
	Load(io.Reader) error
	// Steps returns the number of steps so far.
	Steps() int
	// Network returns the network trained so far, with the given origin.
	Network(Origin) Network
	// Close ends the goroutines of the trainer. Save, Steps and Network still work afterwards.
	Close()
}

// Origin says where a network comes from.
type Origin struct {
	Run        string // name of the run
	Generation int
	Games      int // number of self-play games learnt
}

// Loss is the mean loss of a batch, in nats.
type Loss struct {
	Value    float64 // cross-entropy with the targets
	GradNorm float64 // Euclidean norm of the gradient; 0 if not measured
}

// ErrNotFinite is wrapped by the error of a step whose loss is not finite. The weights may be
// unusable.
var ErrNotFinite = errors.New("the loss is not finite")

// networkName is the pattern of the names of networks in models/, by their generation.
func networkName(m Method) string { return "gen-%06d" + m.Extension() }

// modelFile is the name of the network of a generation.
func modelFile(m Method, generation int) string { return fmt.Sprintf(networkName(m), generation) }
