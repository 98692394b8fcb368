package settings

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"damier/arena"
	"damier/internal/usage"
)

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
		if _, err := ParseRung(r); err != nil {
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

// maxActors is the largest number of actors of a run; each takes some megabytes.
const maxActors = 4096

// maxBatch is the largest number of rows of a step.
const maxBatch = 1 << 20
