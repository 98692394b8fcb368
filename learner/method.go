package learner

import (
	"errors"
	"fmt"
	"io"

	"damier/arena"
	"damier/data"
	"damier/mcts"
	"damier/rules"
	"damier/selfplay"
)

// Method is what a run trains, how that learns, and how it plays: the seam between the loop and the network.
// The loop knows nothing else of either; whoever begins a run hands the method over ([Sources]). Package
// learner/sparse has the method of this program.
//
// A method has no state. What has some is a [Network], which plays, and a [Trainer], which learns.
type Method interface {
	// Defaults changes the values of c that depend on the network or on how it plays. The variant of c is
	// set and valid. Values that a person asked for are set again afterwards.
	Defaults(c *Config, v *rules.Variant)

	// Check returns an error that names the first key of the settings that the method cannot have.
	Check(c Config) error

	// Extension ends the names of the network's files, ".nnue".
	Extension() string

	// New returns a network that knows nothing.
	New(v *rules.Variant, c Config) (Network, error)

	// Load reads a network's file, for the variant. Errors of what is in it wrap net.ErrDamaged or
	// net.ErrForeign.
	Load(path string, v *rules.Variant) (Network, error)

	// Read reads the bytes of such a file; its errors are those of Load.
	Read(r io.Reader, v *rules.Variant) (Network, error)

	// Trainer returns a trainer of the network, which it changes; of a new one where n is nil.
	Trainer(v *rules.Variant, c Config, n Network) (Trainer, error)

	// Targets says what is learnt of a recorded position.
	Targets(v *rules.Variant, c Config) data.TargetFunc
}

// Network plays. It does not change.
type Network interface {
	// Save writes the network's file.
	Save(io.Writer) error
	// Size returns the number of weights.
	Size() int
	// Shape says in words what the network is made of.
	Shape() string
	// Settings sets the keys of c that say what the network is made of.
	Settings(c *Config)
	// Generation returns that of its run, and ID names it among all of a run.
	Generation() int
	ID() string

	// Searcher returns what chooses moves in self-play, for one goroutine.
	Searcher(v *rules.Variant, c selfplay.Config) (selfplay.Searcher, error)
	// Players returns what makes players of matches, which spend so many visits on a move.
	Players(v *rules.Variant, visits int) arena.Factory
	// Evaluator judges positions for an onlooker, on one goroutine.
	Evaluator() (mcts.Evaluator, error)
}

// Trainer teaches a network. It belongs to one goroutine.
type Trainer interface {
	// Step learns a batch, at the learning rate of the settings times rate, and returns the loss before it.
	// The error wraps [ErrNotFinite] where the loss is no number.
	Step(batch []data.Sample, rate float64) (Loss, error)
	// Evaluate returns the loss on a batch and learns nothing.
	Evaluate(batch []data.Sample) (Loss, error)
	// Save writes all that learning goes on from, to the bit, and Load reads it.
	Save(io.Writer) error
	Load(io.Reader) error
	// Steps returns how many there were.
	Steps() int
	// Network returns what has been learnt so far, with where it comes from.
	Network(Origin) Network
	// Close ends the trainer's goroutines. Save, Steps and Network go on working.
	Close()
}

// Origin says where a network comes from.
type Origin struct {
	Run        string // its name
	Generation int
	Games      int // of self-play that it has learnt from
}

// Loss is the mean loss of a batch, in nats. Where there are no policies, the policy's are 0.
type Loss struct {
	Policy   float64 // cross-entropy with the policy targets
	Entropy  float64 // of the policy targets: the least that Policy can be
	Value    float64 // cross-entropy with the value targets
	GradNorm float64 // of the whole gradient; 0 where it is not measured
}

// ErrNotFinite is wrapped by the error of a step whose loss is no number. The weights may be spoilt.
var ErrNotFinite = errors.New("the loss is not finite")

// networkName is the pattern of the names of networks in models/, by their generation.
func networkName(m Method) string { return "gen-%06d" + m.Extension() }

// modelFile is the name of the network of a generation.
func modelFile(m Method, generation int) string { return fmt.Sprintf(networkName(m), generation) }
