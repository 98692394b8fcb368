package learn

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"damier/internal/usage"
	"damier/nnue"
	"damier/rules"
)

// Config is everything a run is made of.
type Config struct {
	Variant string `json:"variant"` // by its name
	Options string `json:"options"` // as rules.ParseOptions reads them
	Seed    uint64 `json:"seed"`

	Minutes    float64 `json:"minutes"`     // length of the run on the clock, over all its parts; 0: no end
	CPUMinutes float64 `json:"cpu_minutes"` // the same in CPU time of all threads
	Actors     int     `json:"actors"`      // goroutines that play; 0: one for each core

	Width   int     `json:"width"`   // of the hidden layer, a multiple of 32
	Search  string  `json:"search"`  // of self-play: alphabeta or tree
	Depth   int     `json:"depth"`   // of the searches of self-play by alpha-beta, in plies
	Nodes   int     `json:"nodes"`   // at most, of one of them
	Visits  int     `json:"visits"`  // simulations of a tree search of self-play
	Least   int     `json:"least"`   // visits that make a position of such a tree one to learn; 0: none but the root
	Opening int     `json:"opening"` // random moves a game begins with, at most; 0: a quarter of the board's squares
	Random  float64 `json:"random"`  // share of the moves after them that are random

	Rows   int     `json:"rows"`   // positions of a generation; the first generations are shorter
	Window int     `json:"window"` // positions kept, at most
	Recent float64 `json:"recent"` // share of all positions so far that is kept, but for 2 Rows at least
	Passes float64 `json:"passes"` // how often a position is learnt, on average
	Rate   float64 `json:"rate"`   // of learning, falling to 0 over each generation
	Decay  float64 `json:"decay"`  // of weights
	Mix    float64 `json:"mix"`    // share of the search's score in what is learnt; the result has the rest

	Refit float64 `json:"refit"` // passes over the window by which a new network learns it when the run is over; 0: none

	Games int `json:"games"` // of a measurement against the baseline, both at depth 4; 0: none
}

// The searches of self-play.
const (
	alphaBeta = "alphabeta"
	tree      = "tree"
)

// byTree reports whether self-play is by tree search. Runs of before there was a choice do not say.
func (c *Config) byTree() bool { return c.Search == tree }

// Default returns the settings a run begins from: what docs/experiments/nnue.md has found.
func Default() Config {
	return Config{
		Variant: rules.International.Name, Seed: 1, Minutes: 10, Width: nnue.Width,
		Search: alphaBeta, Depth: 3, Nodes: 5000, Visits: 64, Least: 8, Random: 0.03,
		Rows: 200_000, Window: 8_000_000, Recent: 0.4, Passes: 3, Rate: 0.001, Decay: 0.02, Mix: 0.8,
		Refit: 3, Games: 100,
	}
}

// Preset is the length of a run under a name.
type Preset struct {
	Name    string
	Minutes float64 // on the clock
}

// Presets returns all presets, the shortest first; their names are those of presets of networks.
func Presets() []Preset {
	return []Preset{{"smoke", 2}, {"quick", 10}, {"hour", 60}, {"day", 24 * 60}, {"week", 7 * 24 * 60}}
}

// SetPreset gives the run the length of the preset of that name.
func (c *Config) SetPreset(name string) error {
	var names []string
	for _, p := range Presets() {
		if names = append(names, p.Name); p.Name == name {
			c.Minutes, c.CPUMinutes = p.Minutes, 0
			return nil
		}
	}
	return fmt.Errorf("there is no preset %q; there are %s", name, strings.Join(names, ", "))
}

// Set changes one setting by its name in the JSON of a configuration.
func (c *Config) Set(key, value string) error {
	v := reflect.ValueOf(c).Elem()
	var keys []string
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		keys = append(keys, name)
		if name != key {
			continue
		}
		var err error
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(value)
		case reflect.Int:
			var n int
			if n, err = strconv.Atoi(value); err == nil {
				f.SetInt(int64(n))
			}
		case reflect.Uint64:
			var n uint64
			if n, err = strconv.ParseUint(value, 10, 64); err == nil {
				f.SetUint(n)
			}
		case reflect.Float64:
			var x float64
			if x, err = strconv.ParseFloat(value, 64); err == nil {
				f.SetFloat(x)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %q is not a number that it can be", key, value)
		}
		return nil
	}
	return fmt.Errorf("%q is not a setting; there are %s", key, strings.Join(keys, ", "))
}

// Validate returns an error that names the first setting out of range.
func (c Config) Validate() error {
	for _, x := range []struct {
		key       string
		value     float64
		low, high float64
	}{
		{"minutes", c.Minutes, 0, 1e7}, {"cpu_minutes", c.CPUMinutes, 0, 1e7}, {"actors", float64(c.Actors), 0, 1024},
		{"depth", float64(c.Depth), 1, 20}, {"nodes", float64(c.Nodes), 100, 1e9}, {"opening", float64(c.Opening), 0, 60},
		{"visits", float64(c.Visits), 0, 1e6}, {"least", float64(c.Least), 0, 1e6},
		{"random", c.Random, 0, 1}, {"rows", float64(c.Rows), 1, 1e8}, {"window", float64(c.Window), 1000, 1e8},
		{"recent", c.Recent, 0, 1}, {"passes", c.Passes, 0.01, 1000}, {"rate", c.Rate, 1e-6, 10}, {"decay", c.Decay, 0, 100}, {"width", float64(c.Width), 32, 1024}, {"mix", c.Mix, 0, 1},
		{"refit", c.Refit, 0, 1000},
		{"games", float64(c.Games), 0, 10000},
	} {
		if !(x.value >= x.low && x.value <= x.high) {
			return fmt.Errorf("%s is %g; it must be %g to %g", x.key, x.value, x.low, x.high)
		}
	}
	switch {
	case c.Search != "" && c.Search != alphaBeta && c.Search != tree:
		return fmt.Errorf("search is %q; it must be %s or %s", c.Search, alphaBeta, tree)
	case c.byTree() && c.Visits < 2:
		return fmt.Errorf("visits is %d; it must be 2 at least", c.Visits)
	case c.Width%32 != 0:
		return fmt.Errorf("width is %d; it must be a multiple of 32", c.Width)
	case c.Games%2 != 0:
		return fmt.Errorf("games is %d; it must be even, for every opening is played with both colours", c.Games)
	case c.CPUMinutes > 0 && usage.CPU() == 0:
		return fmt.Errorf("cpu_minutes is %g, but this system does not tell CPU time; set minutes", c.CPUMinutes)
	}
	_, err := c.lookup()
	return err
}

func (c Config) lookup() (*rules.Variant, error) {
	o, err := rules.ParseOptions(c.Options)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	v, err := rules.Lookup(c.Variant, o)
	if err != nil {
		return nil, fmt.Errorf("variant: %w", err)
	}
	return v, nil
}

// opening returns the most random moves that a game begins with.
func (c Config) opening(v *rules.Variant) int {
	if c.Opening > 0 {
		return c.Opening
	}
	return v.Board.Squares() / 4
}

// rows returns the positions of a generation by its number, from 0: at first an eighth of Rows, as what little has been
// learnt is soon out of date, then more by as much every second generation.
func (c Config) rows(number int) int {
	return min(c.Rows, max(c.Rows/8, 1)*(1+number/2))
}

// window returns how many positions are kept when there have been so many rows.
func (c Config) window(rows int64) int {
	return min(c.Window, max(2*c.Rows, int(c.Recent*float64(rows))))
}

// Command returns the command that trains such a model, with a budget of CPU time.
func (c Config) Command(cpuMinutes float64) string {
	words := []string{"train nnue --variant", c.Variant, "--cpu-minutes", strconv.FormatFloat(cpuMinutes, 'g', -1, 64)}
	is, was := reflect.ValueOf(c), reflect.ValueOf(Default())
	for i := range is.NumField() {
		switch key := is.Type().Field(i).Tag.Get("json"); key {
		case "variant", "minutes", "cpu_minutes", "actors":
		default:
			if is.Field(i).Interface() != was.Field(i).Interface() {
				words = append(words, "--set", fmt.Sprintf("%s=%v", key, is.Field(i).Interface()))
			}
		}
	}
	return strings.Join(words, " ")
}
