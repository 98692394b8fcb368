package learner

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"damier/arena"
	"damier/data"
	"damier/internal/usage"
	"damier/mcts"
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

// forRefit returns the settings with which the network of a refit is trained.
func (c Config) forRefit() Config {
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

// annealed is one entry of Generation.Annealing.
type annealed struct{ share, factor float64 }

func parseAnnealed(s string) (annealed, error) {
	var a annealed
	share, factor, found := strings.Cut(s, ":")
	var errs [2]error
	a.share, errs[0] = strconv.ParseFloat(share, 64)
	a.factor, errs[1] = strconv.ParseFloat(factor, 64)
	if !found || errs[0] != nil || errs[1] != nil {
		return a, fmt.Errorf("%q is not share:factor, such as 0.5:0.3", s)
	}
	return a, nil
}

// annealing returns the factor of the learning rate at a share of the run, in [0,1].
func (g Generation) annealing(progress float64) float64 {
	factor := 1.0
	for _, s := range g.Annealing {
		if a, err := parseAnnealed(s); err == nil && a.share <= progress {
			factor = a.factor
		}
	}
	return factor
}

// validateAnnealing returns an error that names the first wrong entry.
func (g Generation) validateAnnealing() error {
	last := 0.0
	for _, s := range g.Annealing {
		a, err := parseAnnealed(s)
		switch {
		case err != nil:
			return err
		case !(a.share > last && a.share < 1):
			return fmt.Errorf("%s: shares of the run must lie between 0 and 1 and ascend", s)
		case !(a.factor > 0 && a.factor <= 1):
			return fmt.Errorf("%s: a factor must be above 0 and at most 1", s)
		}
		last = a.share
	}
	return nil
}

// Validate returns an error that names the first key that is out of range or contradicts another
// key.
func (c Config) Validate() error {
	if err := c.validateNumbers(); err != nil {
		return err
	}
	v, err := c.Lookup()
	if err != nil {
		return fmt.Errorf("variant: %w", err)
	}
	if _, err := arena.Openings(v); err != nil {
		return fmt.Errorf("variant: %s cannot be trained yet: %w", v.Name, err)
	}
	if err := c.validateRanges(); err != nil {
		return err
	}
	if err := c.Generation.validateAnnealing(); err != nil {
		return fmt.Errorf("generation.annealing: %w", err)
	}
	if c.Generation.Start > c.Window.Cap {
		return fmt.Errorf("generation.start is %d, above window.cap, %d: training would never begin", c.Generation.Start, c.Window.Cap)
	}
	for _, r := range c.Evaluation.Rungs {
		if _, err := parseRung(c.Variant, r); err != nil {
			return fmt.Errorf("evaluation.rungs: %w", err)
		}
	}
	for _, part := range []struct {
		name string
		err  error
	}{
		{"selfplay", c.SelfPlay.Validate()},
		{"window", c.Window.Validate()},
	} {
		if part.err != nil {
			return c.named(part.name, part.err)
		}
	}
	return nil
}

// validateRanges returns an error that names the first number outside its range.
func (c Config) validateRanges() error {
	positive := []struct {
		key   string
		value float64
	}{
		{"generation.rows", float64(c.Generation.Rows)},
		{"generation.games", float64(c.Generation.Games)},
		{"generation.passes", c.Generation.Passes},
		{"evaluation.games", float64(c.Evaluation.Games)},
		{"evaluation.visits", float64(c.Evaluation.Visits)},
		{"refit.games", float64(c.Refit.Games)},
		{"train.batch", float64(c.Train.Batch)},
		{"train.learning_rate", c.Train.LearningRate},
		{"limits.games_gb", c.Limits.GamesGB},
		{"limits.keep_models", float64(c.Limits.KeepModels)},
		{"limits.shard_period", c.Limits.ShardPeriod},
	}
	for _, p := range positive {
		if !(p.value > 0) {
			return fmt.Errorf("%s is %g; it must be above 0", p.key, p.value)
		}
	}
	if c.Actors > maxActors {
		return fmt.Errorf("actors is %d; it may be %d at most, and more actors than cores play no faster", c.Actors, maxActors)
	}
	notNegative := []struct {
		key   string
		value float64
	}{
		{"actors", float64(c.Actors)},
		{"minutes", c.Minutes},
		{"cpu_minutes", c.CPUMinutes},
		{"generations", float64(c.Generations)},
		{"generation.start", float64(c.Generation.Start)},
		{"value.mix_from", float64(c.Value.MixFrom)},
		{"value.blunder", c.Value.Blunder},
		{"value.least_visits", c.Value.LeastVisits},
		{"train.weight_decay", c.Train.WeightDecay},
		{"refit.passes", c.Refit.Passes},
		{"refit.width", float64(c.Refit.Width)},
		{"refit.first", float64(c.Refit.First)},
		{"refit.strays", c.Refit.Strays},
		{"evaluation.every", c.Evaluation.Every},
		{"evaluation.gate_games", float64(c.Evaluation.GateGames)},
	}
	for _, p := range notNegative {
		if !(p.value >= 0) {
			return fmt.Errorf("%s is %g; it must not be negative", p.key, p.value)
		}
	}
	switch {
	case c.Value.Mix < 0 || c.Value.Mix > 1:
		return fmt.Errorf("value.mix is %g; it must be 0 to 1", c.Value.Mix)
	case c.Value.LeastVisits > 1:
		return fmt.Errorf("value.least_visits is %g; it may be 1 at most", c.Value.LeastVisits)
	case c.Evaluation.Gate < 0 || c.Evaluation.Gate >= 1:
		return fmt.Errorf("evaluation.gate is %g; it must be 0 to 1", c.Evaluation.Gate)
	case c.Evaluation.Games%2 != 0:
		return fmt.Errorf("evaluation.games is %d; it must be even, because every opening is played with both colours", c.Evaluation.Games)
	case c.Evaluation.GateGames%2 != 0:
		return fmt.Errorf("evaluation.gate_games is %d; it must be even, because every opening is played with both colours", c.Evaluation.GateGames)
	case c.Refit.Games%2 != 0:
		return fmt.Errorf("refit.games is %d; it must be even, because every opening is played with both colours", c.Refit.Games)
	case c.Refit.Strays > 1:
		return fmt.Errorf("refit.strays is %g; it may be 1 at most", c.Refit.Strays)
	case c.Train.Batch > maxBatch:
		return fmt.Errorf("train.batch is %d; it may be %d at most", c.Train.Batch, maxBatch)
	case c.Train.LearningRate > 1:
		return fmt.Errorf("train.learning_rate is %g; it may be 1 at most", c.Train.LearningRate)
	case c.CPUMinutes > 0 && usage.CPU() == 0:
		return fmt.Errorf("cpu_minutes is %g, but this system does not report CPU time; set minutes", c.CPUMinutes)
	case c.Synchronous && c.Actors > 1:
		return fmt.Errorf("synchronous runs have one actor, but actors is %d", c.Actors)
	}
	return nil
}

// validateNumbers refuses numbers that are not finite, and zeros that would mean a default: every
// value in a configuration is the value that applies.
func (c Config) validateNumbers() error {
	keys, defaults := flatten(&c), Default()
	values := flatten(&defaults)
	for _, k := range sortedKeys(keys) {
		v := keys[k].v
		if v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
			return fmt.Errorf("%s is %s; it must be a finite number", k, keys[k])
		}
		section, _, _ := strings.Cut(k, ".")
		if (section == "selfplay" || section == "window") && v.Kind() != reflect.Bool && v.Kind() != reflect.String &&
			v.IsZero() && !values[k].v.IsZero() {
			return fmt.Errorf("%s is 0, which would stand for its default, %s; leave it out for that, or take -1 where none at all is meant", k, values[k])
		}
	}
	return nil
}

// named returns err with the field names of a section replaced by keys.
func (c Config) named(section string, err error) error {
	text := err.Error()
	for _, prefix := range []string{section + ": ", "mcts: ", "mcts: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	named := false
	walkFields(reflect.ValueOf(&c).Elem(), "", func(k, field string, _ reflect.Value) {
		if !strings.HasPrefix(k, section+".") {
			return
		}
		word := regexp.MustCompile(`\b` + field + `\b`)
		if word.MatchString(text) {
			text, named = word.ReplaceAllLiteralString(text, k), true
		}
	})
	if !named {
		text = section + "." + text
	}
	return errors.New(text)
}

// Lookup returns the variant with its options.
func (c Config) Lookup() (*rules.Variant, error) {
	o, err := rules.ParseOptions(c.Options)
	if err != nil {
		return nil, err
	}
	return rules.Lookup(c.Variant, o)
}

// actors returns the number of actors.
func (c Config) actors() int {
	if c.Synchronous {
		return 1
	}
	if c.Actors > 0 {
		return c.Actors
	}
	return runtime.GOMAXPROCS(0)
}

// Preset is a named set of values for a run of a certain length.
type Preset struct {
	Name    string
	Summary string // its purpose, in one line
	Values  map[string]string
}

// Presets returns the presets, shortest run first. Each is a set of differences from the defaults,
// which are for a run of an hour.
func Presets() []Preset {
	return []Preset{
		{"tiny", "a few seconds, for tests: the whole loop on a very small network", map[string]string{
			"minutes": "0", "generations": "2",
			"generation.rows": "64", "generation.games": "8", "generation.start": "32", "generation.passes": "2",
			"selfplay.visits": "0:4", "selfplay.tree_rows": "2", "selfplay.max_plies": "80",
			"net.width": "32", "train.batch": "32",
			"window.min_rows":  "1000",
			"refit.passes":     "0",
			"refit.width":      "0",
			"evaluation.games": "2", "evaluation.visits": "4", "evaluation.rungs": "random",
			"evaluation.every": "0", "evaluation.gate_games": "0",
		}},
		{"smoke", "two minutes: see that it learns on this machine", map[string]string{
			"minutes": "2", "evaluation.games": "40", "evaluation.every": "0", "evaluation.gate_games": "0",
			"refit.passes": "3", "refit.width": "0", "refit.games": "40",
		}},
		{"quick", "ten minutes: a first opponent, in any variant", map[string]string{
			"minutes": "10", "evaluation.every": "3", "evaluation.games": "40", "evaluation.gate_games": "100",
			"refit.passes": "3", "refit.width": "0",
		}},
		{"hour", "one hour", map[string]string{}},
		{"day", "a day", map[string]string{
			"minutes": "1440", "evaluation.every": "20", "evaluation.games": "200", "evaluation.gate_games": "400", "refit.games": "200",
		}},
		{"week", "a week", map[string]string{
			"minutes": "10080", "evaluation.every": "60", "evaluation.games": "400", "evaluation.gate_games": "1000", "refit.games": "200",
		}},
	}
}

// Default returns the default values for the board of international draughts. It leaves out values
// that depend on the network; [Resolve] gets these from the [Method].
func Default() Config {
	return Config{
		Variant: "international",
		Seed:    1,
		Minutes: 60,
		Generation: Generation{
			Rows: 32_768, Games: 64, Passes: 9, Annealing: []string{}, Falling: true,
		},
		SelfPlay: selfplay.Config{MCTS: mcts.Config{}.WithDefaults()}.WithDefaults(),
		Train:    Train{Batch: 1024, LearningRate: 0.001, WeightDecay: 0.02, Mirror: true},
		Window:   data.WindowConfig{MinRows: 131_072, Exponent: 1, Growth: 0.4, Cap: 17_000_000, TreeShare: 0.1},
		Value:    Value{Mix: 0.8, MixFrom: 1, LeastVisits: 0.2},
		Refit:    Refit{Passes: 6, Width: 256, Games: 100},
		Evaluation: Evaluation{
			Every: 10, Games: 100, Visits: 200,
			Rungs:     []string{"alphabeta:depth=2", "alphabeta:depth=4", "alphabeta:depth=6"},
			GateGames: 200,
		},
		Limits: Limits{GamesGB: 10, KeepModels: 5, ShardPeriod: 10},
	}
}

// PresetNames returns the names of the presets, shortest run first.
func PresetNames() []string {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	return names
}

func preset(name string) (Preset, error) {
	i := slices.IndexFunc(Presets(), func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, fmt.Errorf("unknown preset %q; known are: %s", name, strings.Join(PresetNames(), ", "))
	}
	return Presets()[i], nil
}

// mutable are the keys that may change when a run continues, because they do not affect what it
// learns from.
var mutable = []string{"minutes", "cpu_minutes", "generations", "actors", "evaluation.", "refit.", "limits."}

// Differences returns the keys in which two configurations of one run contradict each other, with
// both values, sorted. It ignores keys that may change when a run continues.
func Differences(run, asked Config) []string { return differences(run, asked, "the run") }

func differences(run, asked Config, owner string) []string {
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

// maxActors is the largest number of actors of a run; each takes some megabytes.
const maxActors = 4096

// maxBatch is the largest number of rows of a step.
const maxBatch = 1 << 20
