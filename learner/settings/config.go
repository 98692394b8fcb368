package settings

import (
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"

	"damier/data"
	"damier/rules"
	"damier/selfplay"
)

// Config holds all settings of a run. The run's config.toml contains all of them, because
// [Resolve] fills in the defaults.
type Config struct {
	Variant string `toml:"variant"` // name of the variant
	Options string `toml:"options"` // its options, as "draws=fmjd,equal=free"; "" for the defaults
	Seed    uint64 `toml:"seed"`    // seed of all random numbers

	Actors int `toml:"actors"` // goroutines that play; 0 means one for each core
	// Synchronous makes a run repeatable to the bit on one kind of machine: one actor, a fixed
	// number of games for each generation, each played to its end, no other workers, no gate, and
	// a learning rate that depends on the generation and not on the clock. It is slower, and meant
	// for tests and experiments.
	Synchronous bool `toml:"synchronous"`

	Minutes     float64 `toml:"minutes"`     // length of the run in minutes on the clock, over all its sessions; 0: no end
	CPUMinutes  float64 `toml:"cpu_minutes"` // length in CPU time of all threads, which other work on the machine does not use up; 0: no end
	Generations int     `toml:"generations"` // length in generations; 0: no end

	Generation Generation        `toml:"generation"`
	Net        Net               `toml:"net"`
	SelfPlay   selfplay.Config   `toml:"selfplay"`
	Train      Train             `toml:"train"`
	Window     data.WindowConfig `toml:"window"`
	Value      Value             `toml:"value"`
	Refit      Refit             `toml:"refit"`
	Evaluation Evaluation        `toml:"evaluation"`
	Limits     Limits            `toml:"limits"`
}

// Generation says how much a generation plays and learns before it publishes a network.
type Generation struct {
	Rows   int     `toml:"rows"`   // new rows: searched positions
	Games  int     `toml:"games"`  // in synchronous runs, games in place of rows
	Passes float64 `toml:"passes"` // rows to learn for each new row; rows of trees are learnt too but do not count as new
	Start  int     `toml:"start"`  // rows in the window before the first training step

	// Annealing lists factors of the learning rate, "share:factor", ascending: from that share of
	// the run's length on, the factor applies; before the first it is 1. A high rate learns fast,
	// but then stays above the loss that the games allow. A lower rate also makes better players
	// for the rest of the run, not only a better last network.
	Annealing []string `toml:"annealing"`
	// Falling lets the rate also fall to 0 within each generation, linearly.
	Falling bool `toml:"falling"`
}

// Net holds the settings of the network.
type Net struct {
	Width int `toml:"width"` // units of the hidden layer in each view
}

// Train holds the settings of learning.
type Train struct {
	Batch        int     `toml:"batch"`         // rows of a training step
	LearningRate float64 `toml:"learning_rate"` // before the factor of Generation.Annealing
	WeightDecay  float64 `toml:"weight_decay"`  // share of a weight that a step subtracts, multiplied by the rate
	Mirror       bool    `toml:"mirror"`        // mirror half of the rows, if the board has a mirror
}

// Value holds the settings of the value target.
type Value struct {
	// The target is the outcome in games of generations before MixFrom; later it is
	// (1-Mix)*outcome + Mix*root value. In a game that was cut short, the last searched value
	// replaces the outcome.
	Mix     float64 `toml:"mix"`
	MixFrom int     `toml:"mix_from"`
	// LeastVisits, 0 to 1, makes the value of the best move the root value, among the moves with
	// at least that share of the most visits; 0 leaves it what the tree thinks of the root.
	LeastVisits float64 `toml:"least_visits"`
	// After a move whose value is Blunder or more below that of the best move, earlier rows learn
	// the searched value of that position in place of the outcome; 0 switches this off.
	Blunder float64 `toml:"blunder"`
}

// ForRefit returns the settings with which the network of a refit is trained.
func (c Config) ForRefit() Config {
	c.Net.Width = max(c.Net.Width, c.Refit.Width)
	return c
}

// Refit holds the settings of a refit: a new network learns the window, and plays the run's own
// network. At the end of a run the winner is the run's best network. In the middle of it the run
// goes on with the winner.
type Refit struct {
	Passes float64 `toml:"passes"` // passes over the window; 0 means no refit
	Width  int     `toml:"width"`  // units of the new network, if they are more than net.width
	Games  int     `toml:"games"`  // games that decide which network is better; even
	// First is the number of rows of the run at the first refit in the middle of it; the next ones
	// come when it has twice as many as at the last one. 0 means only at the end.
	First int `toml:"first"`
	// Strays is the number of stray positions (see [selfplay.Strays]) that are searched for a refit,
	// for each row of the window. Their rows are learnt with those of the window. 0 means none.
	Strays float64 `toml:"strays"`
}

// Evaluation says how a run measures its strength.
type Evaluation struct {
	Every  float64  `toml:"every"`  // minutes between two evaluations, fewer at first; 0 means only at the end
	Games  int      `toml:"games"`  // games against each rung; even
	Visits int      `toml:"visits"` // visits of the network for each move
	Rungs  []string `toml:"rungs"`  // opponents of the ladder, weakest first: "random", "alphabeta:depth=2"
	// Gate closes if the upper end of the 95 % interval of the score against the accepted network
	// is below this; self-play then keeps the accepted network. 0 switches the gate off.
	Gate      float64 `toml:"gate"`
	GateGames int     `toml:"gate_games"` // games against the accepted network, which tell what the run gains
}

// Limits limit what a run takes of the machine.
type Limits struct {
	GamesGB     float64 `toml:"games_gb"`     // disk space for game records, in GB
	KeepModels  int     `toml:"keep_models"`  // number of published networks kept besides the evaluated ones
	ShardPeriod float64 `toml:"shard_period"` // finished games are on disk after at most this many seconds
}

// Lookup returns the variant with its options.
func (c Config) Lookup() (*rules.Variant, error) {
	o, err := rules.ParseOptions(c.Options)
	if err != nil {
		return nil, err
	}
	return rules.Lookup(c.Variant, o)
}

// ActorCount returns the number of actors.
func (c Config) ActorCount() int {
	if c.Synchronous {
		return 1
	}
	if c.Actors > 0 {
		return c.Actors
	}
	return runtime.GOMAXPROCS(0)
}

// mutable are the keys that may change when a run continues, because they do not affect what it
// learns from.
var mutable = []string{"minutes", "cpu_minutes", "generations", "actors", "evaluation.", "refit.", "limits."}

// Differences returns the keys in which two configurations of one run contradict each other, with
// both values, sorted. It ignores keys that may change when a run continues. The owner is whose the
// first one is, in words: "the run".
func Differences(run, asked Config, owner string) []string {
	run, asked = run.plain(), asked.plain()
	a, b := flatten(&run), flatten(&asked)
	var keys []string
	for k := range a {
		if a[k].String() != b[k].String() && !slices.ContainsFunc(mutable, func(m string) bool {
			return k == m || strings.HasSuffix(m, ".") && strings.HasPrefix(k, m)
		}) {
			keys = append(keys, fmt.Sprintf("%s: %s has %s, asked for is %s", k, owner, a[k], b[k]))
		}
	}
	sort.Strings(keys)
	return keys
}

// plain returns c with values that can be written in several ways in their normal form.
func (c Config) plain() Config {
	if v, err := c.Lookup(); err == nil {
		c.Options = v.Options.String()
	}
	return c
}
