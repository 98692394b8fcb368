package settings

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"damier/internal/files"
	"damier/rules"
)

// Sources are the sources of a configuration, weakest first: defaults, preset, file, environment,
// flags.
type Sources struct {
	Preset string            // "" for none
	File   string            // path of a TOML file; "" for none
	Env    []string          // in the form of os.Environ: DAMIER_TRAIN_BATCH=256 sets train.batch
	Set    map[string]string // keys set on the command line, with their values
	From   string            // model file with the initial weights of a new run; "" for random ones
}

// Method is what a configuration must know of the method of a run: which values it prefers, and
// which it supports. A learner.Method is one.
type Method interface {
	// Defaults changes the values of c that depend on the network or on its way to play. The
	// variant of c is set and valid. Values that a person has set override these later.
	Defaults(c *Config, v *rules.Variant)

	// Check returns an error that names the first key whose value the method does not support.
	Check(c Config) error
}

// EnvPrefix is the prefix of environment variables that set keys of a configuration.
const EnvPrefix = "DAMIER_"

// Resolved is a configuration with the origin of every value.
type Resolved struct {
	Config
	// Key to "default", "preset hour", "file PATH", "environment NAME" or "flag".
	Origin map[string]string
}

// ErrSettings is wrapped by every error of [Resolve]: settings that are wrong, unknown or
// contradict each other.
var ErrSettings = errors.New("settings")

// Errorf returns an error about settings: it wraps [ErrSettings], and its text does not say so.
func Errorf(format string, args ...any) error { return settingError{fmt.Errorf(format, args...)} }

// settingError marks an error as one about settings without changing its text.
type settingError struct{ error }

func (settingError) Is(target error) bool { return target == ErrSettings }

func (e settingError) Unwrap() error { return e.error }

// Resolve builds the configuration of a run of the method and checks it. All sources override the
// defaults of the method. An unknown key, a value of the wrong kind and a contradiction are errors
// that name the key and its source. Without a method, nil, a configuration can be read, but no run
// can begin with it.
func Resolve(m Method, s Sources) (*Resolved, error) {
	r := &Resolved{Config: Default(), Origin: map[string]string{}}
	for k := range flatten(&r.Config) {
		r.Origin[k] = "default"
	}
	return Overlay(r, m, s)
}

// Overlay returns base overridden by the sources, and checks the result.
func Overlay(base *Resolved, m Method, s Sources) (*Resolved, error) {
	r, err := lay(base, m, s)
	if err != nil {
		return nil, settingError{err}
	}
	return r, nil
}

func lay(base *Resolved, m Method, s Sources) (*Resolved, error) {
	r := &Resolved{Config: base.Config, Origin: maps.Clone(base.Origin)}
	// The TOML package reads lists into existing memory, so copy those of base.
	r.SelfPlay.Visits = slices.Clone(r.SelfPlay.Visits)
	r.Generation.Annealing = slices.Clone(r.Generation.Annealing)
	r.Evaluation.Rungs = slices.Clone(r.Evaluation.Rungs)
	keys := flatten(&r.Config)
	set := func(key, value, origin string) error {
		k, ok := keys[key]
		if !ok {
			return fmt.Errorf("%s: unknown key %q%s", origin, key, nearest(key, keys))
		}
		if err := k.set(value); err != nil {
			return fmt.Errorf("%s: %s: %w", origin, key, err)
		}
		r.Origin[key] = origin
		return nil
	}
	if s.Preset != "" {
		p, err := preset(s.Preset)
		if err != nil {
			return nil, err
		}
		for k, v := range p.Values {
			if err := set(k, v, "preset "+p.Name); err != nil {
				return nil, err
			}
		}
	}
	if s.File != "" {
		if err := r.readFile(s.File, keys); err != nil {
			return nil, err
		}
	}
	for _, e := range s.Env {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, EnvPrefix) {
			continue
		}
		key := envKey(strings.TrimPrefix(name, EnvPrefix), keys)
		if key == "" {
			continue // it may belong to another program with the same prefix
		}
		if err := set(key, value, "environment "+name); err != nil {
			return nil, err
		}
	}
	for _, k := range sortedKeys(s.Set) {
		if err := set(k, s.Set[k], "flag"); err != nil {
			return nil, err
		}
	}
	r.Settle(m)
	if s.From != "" {
		d := r.Config
		d.Generation.Start = min(refillGenerations*d.Generation.Rows, d.Window.Cap)
		d.Value.MixFrom = 0 // the first games are searched by a network that knows something
		r.take(&d, "begun with weights")
	}
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if m != nil {
		if err := m.Check(r.Config); err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
		if err := m.Check(r.ForRefit()); err != nil {
			return nil, fmt.Errorf("configuration: refit.width: %w", err)
		}
	}
	return r, nil
}

// refillGenerations is how many generations of games a run that begins with the weights of another
// plays before it trains. Without them those weights would be fitted again and again to the first
// few games, and what they knew would be lost: docs/experiments/plateau.md.
const refillGenerations = 32

// Settle sets the values that nobody has set to those of the variant's board and of the method. It
// keeps values that any source has set, also those of a preset.
func (r *Resolved) Settle(m Method) {
	v, err := r.Lookup()
	if err != nil {
		return // Validate reports the error
	}
	d := Default()
	d.Variant, d.Options = r.Variant, r.Options
	d.SelfPlay.Search, d.SelfPlay.Visits = r.SelfPlay.Search, r.SelfPlay.Visits
	d.SelfPlay.OpeningPlies, d.SelfPlay.MaxPlies = 0, 0
	d.SelfPlay = d.SelfPlay.For(v)
	r.take(&d, "board of "+v.Name)
	if m != nil {
		m.Defaults(&d, v)
		r.take(&d, "network")
	}
}

// take sets the keys that still have their defaults to the values of d, if these differ.
func (r *Resolved) take(d *Config, origin string) {
	is, want := flatten(&r.Config), flatten(d)
	for k := range is {
		if r.Origin[k] == "default" && is[k].String() != want[k].String() {
			is[k].v.Set(want[k].v)
			r.Origin[k] = origin
		}
	}
}

// Limits of a file of settings: its size in bytes, and the dots in a line. Ours have a few
// kilobytes, and some twenty dots.
const (
	maxFile = 1 << 20
	maxDots = 200
)

// readFile reads a TOML file into the configuration, and refuses unknown keys.
func (r *Resolved) readFile(path string, keys map[string]key) error {
	text, err := files.Read(path, maxFile)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	// The TOML package needs minutes for a key with many dots.
	for i, line := range bytes.Split(text, []byte("\n")) {
		if bytes.Count(line, []byte(".")) > maxDots {
			return fmt.Errorf("configuration %s, line %d: more than %d dots; no setting is written so", path, i+1, maxDots)
		}
	}
	meta, err := toml.Decode(string(text), &r.Config)
	if err != nil {
		var p toml.ParseError
		if errors.As(err, &p) {
			return fmt.Errorf("configuration %s, line %d: %s", path, p.Position.Line, p.Message)
		}
		return fmt.Errorf("configuration %s: %w", path, err)
	}
	for _, unknown := range meta.Undecoded() {
		if !withoutEffect(string(text), unknown) {
			return fmt.Errorf("configuration %s: unknown key %q%s", path, unknown, nearest(unknown.String(), keys))
		}
	}
	if r.Window.TreeShare == 0 { // runs once wrote 0 for the default
		r.Window.TreeShare = Default().Window.TreeShare
	}
	for k := range keys {
		if meta.IsDefined(strings.Split(k, ".")...) {
			r.Origin[k] = "file " + path
		}
	}
	return nil
}

// WriteTOML returns the configuration as a TOML file; with origins, each line ends with the source
// of its value.
func (r *Resolved) WriteTOML(origins bool) []byte {
	keys := flatten(&r.Config)
	var b bytes.Buffer
	section := ""
	for _, k := range orderedKeys(&r.Config) {
		name := k
		if i := strings.LastIndex(k, "."); i >= 0 {
			if k[:i] != section {
				section = k[:i]
				fmt.Fprintf(&b, "\n[%s]\n", section)
			}
			name = k[i+1:]
		}
		fmt.Fprintf(&b, "%s = %s", name, keys[k])
		if origins {
			fmt.Fprintf(&b, "  # %s", r.Origin[k])
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Entry is one value of a configuration and its source.
type Entry struct {
	Key    string `json:"key"`    // such as net.width
	Value  any    `json:"value"`  // a string, a number, true or false, or a list of strings
	Origin string `json:"origin"` // such as "default", "preset day", "flag"
}

// Entries returns every value of the configuration, in the order of the TOML file.
func (r *Resolved) Entries() []Entry {
	keys := flatten(&r.Config)
	var all []Entry
	for _, k := range orderedKeys(&r.Config) {
		value := keys[k].v.Interface()
		if list, ok := value.([]string); ok && list == nil {
			value = []string{}
		}
		all = append(all, Entry{k, value, r.Origin[k]})
	}
	return all
}
