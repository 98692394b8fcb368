package learner

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"damier/data"
	"damier/internal/files"
	"damier/mcts"
	"damier/net"
	"damier/nnue"
	"damier/rules"
	"damier/selfplay"
)

// Sources are where a configuration may come from, weakest first: defaults, preset, file, environment, flags.
type Sources struct {
	Preset string            // "" for none
	File   string            // path of a TOML file; "" for none
	Env    []string          // as os.Environ: DAMIER_TRAIN_BATCH=256 sets train.batch
	Set    map[string]string // keys set on the command line

	From string // model file whose weights a new run begins with; "" for random ones
}

// EnvPrefix begins the environment variables that set keys of a configuration.
const EnvPrefix = "DAMIER_"

// Resolved is a configuration with the origin of every value.
type Resolved struct {
	Config
	Origin map[string]string // key to "default", "preset hour", "file PATH", "environment NAME" or "flag"
}

// ErrSettings is wrapped by every error of [Resolve]: settings that are wrong, unknown or contradict each other.
var ErrSettings = errors.New("settings")

// settingsError marks an error as one of settings without changing its text.
type settingsError struct{ error }

func (settingsError) Is(target error) bool { return target == ErrSettings }

func (e settingsError) Unwrap() error { return e.error }

// Resolve builds a configuration and checks it. An unknown key, a value of the wrong kind or a contradiction is
// an error that names the key and where it came from.
func Resolve(s Sources) (*Resolved, error) {
	r := &Resolved{Config: Default(), Origin: map[string]string{}}
	for k := range flatten(&r.Config) {
		r.Origin[k] = "default"
	}
	return overlay(r, s)
}

// overlay returns base with the sources laid over it, checked.
func overlay(base *Resolved, s Sources) (*Resolved, error) {
	r, err := lay(base, s)
	if err != nil {
		return nil, settingsError{err}
	}
	return r, nil
}

// arch returns the architecture that the sources ask for over base. What is wrong with them is told elsewhere.
func (s Sources) arch(base *Resolved) string {
	if v, ok := s.Set["net.arch"]; ok {
		return v
	}
	for _, e := range s.Env {
		if v, ok := strings.CutPrefix(e, EnvPrefix+"NET_ARCH="); ok {
			return v
		}
	}
	if s.File != "" {
		r := &Resolved{Config: base.Config, Origin: map[string]string{}}
		r.Generation.Stages, r.Generation.Annealing, r.Evaluation.Rungs = nil, nil, nil
		if err := r.readFile(s.File, flatten(&r.Config)); err == nil {
			return r.Net.Arch
		}
	}
	return base.Net.Arch
}

func lay(base *Resolved, s Sources) (*Resolved, error) {
	r := &Resolved{Config: base.Config, Origin: maps.Clone(base.Origin)}
	// The TOML package reads lists into the memory they have: base must keep its own.
	r.Generation.Stages = slices.Clone(r.Generation.Stages)
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
		for k, v := range p.values(s.arch(base)) {
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
			continue // other programs may have variables of the same prefix
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
	r.settleBoard()
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := r.settleVisits(base); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return r, nil
}

// settleBoard gives the defaults that are of the board of international draughts their values on the variant's. What
// anybody asked for stays; so does a preset's, which is as short as it is for a reason.
func (r *Resolved) settleBoard() {
	v, err := r.Lookup()
	if err != nil {
		return // Validate tells
	}
	scaled := selfplay.Config{}.For(v)
	for _, s := range []struct {
		key   string
		is    *int
		board int
	}{
		{"selfplay.opening_plies", &r.SelfPlay.OpeningPlies, scaled.OpeningPlies},
		{"selfplay.max_plies", &r.SelfPlay.MaxPlies, scaled.MaxPlies},
	} {
		if r.Origin[s.key] == "default" && *s.is != s.board {
			*s.is, r.Origin[s.key] = s.board, "board of "+v.Name
		}
	}
	if r.Net.Arch == net.NNUE {
		r.fitToNNUE(v)
		return
	}
	if c := selfplay.Contempt(v); r.Origin["selfplay.search.contempt"] == "default" && c != 0 {
		r.SelfPlay.Search.Contempt, r.Origin["selfplay.search.contempt"] = c, "moves of "+v.Name
	}
	if n := selfplay.Forcing(v); r.Origin["selfplay.forcing"] == "default" && n != r.SelfPlay.Forcing {
		r.SelfPlay.Forcing, r.Origin["selfplay.forcing"] = n, "variant "+v.Name
	}
	if n := simpleRows(v); r.Origin["generation.simple"] == "default" && n != 0 {
		r.Generation.Simple, r.Origin["generation.simple"] = n, "moves of "+v.Name
	}
	if f := rateFactor(v); r.Origin["train.learning_rate"] == "default" && f != 1 {
		r.Train.LearningRate = f * Default().Train.LearningRate
		r.Origin["train.learning_rate"] = "moves of " + v.Name
	}
}

// fitToNNUE gives the settings that nobody has asked for the values with which a network of package nnue learns best
// (docs/experiments/teachers.md, nnue.md).
func (r *Resolved) fitToNNUE(v *rules.Variant) {
	d := Default()
	d.Net.Arch, d.Net.Width = net.NNUE, nnue.Width
	d.Generation.Rows, d.Generation.Start, d.Generation.Passes = 32_768, 0, 9
	d.Generation.Stages, d.Generation.Annealing, d.Generation.Falling = []string{"0:16/16", "65536:64/64"}, []string{}, true
	d.Train.Batch, d.Train.LearningRate, d.Train.WeightDecay = 1024, 0.001, 0.02
	d.Window = data.WindowConfig{MinRows: 131_072, Exponent: 1, Growth: 0.4, Cap: 8_000_000}
	d.Value = Value{Mix: 0.8, MixFrom: 1}
	d.Evaluation.Rungs = []string{"alphabeta:depth=2", "alphabeta:depth=4", "alphabeta:depth=6"}
	d.Evaluation.Visits, d.Evaluation.Gate = 200, 0
	s := &d.SelfPlay
	s.Games, s.FullShare, s.Cache = 1, 1, -1
	s.OpeningShare, s.OpeningPlies, s.RandomShare, s.Tree = 1, v.Board.Squares()/4, 0.03, 8
	s.CheapNoisePlies, s.SimpleShare, s.MaxPlies = -1, -1, r.SelfPlay.MaxPlies
	s.Search = nnue.TreeSearch(mcts.Config{Fraction: -1, MaxNodes: 8192}).WithDefaults()
	is, want := flatten(&r.Config), flatten(&d)
	for _, k := range sortedKeys(is) {
		if r.Origin[k] == "default" && is[k].String() != want[k].String() || strings.HasPrefix(r.Origin[k], "board of ") {
			is[k].v.Set(want[k].v)
			r.Origin[k] = "network nnue"
		}
	}
}

// rateFactor returns what the default learning rate is multiplied by in a variant. In Turkish draughts, with some twenty
// moves in most positions, the policy is slow to follow the searches at the usual rate (docs/experiments/fits.md).
func rateFactor(v *rules.Variant) float64 {
	if v.MoveLines[0].Orthogonal() {
		return 2
	}
	return 1
}

// simpleRows returns for how many rows a run begins with simple games by default. Turkish draughts stands still at first,
// as whoever advances is punished before anybody knows how to; Canadian draughts, the other game that is slow to learn,
// has no use for them (docs/experiments/simple-games.md).
func simpleRows(v *rules.Variant) int {
	if v.MoveLines[0].Orthogonal() {
		return 57_344
	}
	return 0
}

// settleVisits makes the visits of selfplay those of the first stage, which is what is played with. It refuses visits
// that were asked for and would have no effect.
func (r *Resolved) settleVisits(base *Resolved) error {
	first := r.stage(0)
	for _, v := range []struct {
		key    string
		is     *int
		before int
		stage  int
	}{
		{"selfplay.full_visits", &r.SelfPlay.FullVisits, base.SelfPlay.FullVisits, first.FullVisits},
		{"selfplay.cheap_visits", &r.SelfPlay.CheapVisits, base.SelfPlay.CheapVisits, first.CheapVisits},
	} {
		if *v.is != v.stage && *v.is != v.before {
			return fmt.Errorf("%s is %d (%s), but generation.stages (%s) begins with %d; set generation.stages, which says how many visits are spent and when",
				v.key, *v.is, r.Origin[v.key], strings.Join(r.Generation.Stages, ","), v.stage)
		}
		if *v.is != v.stage {
			*v.is, r.Origin[v.key] = v.stage, r.Origin["generation.stages"]
		}
	}
	return nil
}

// What a file of settings may have: bytes, and dots in a line. Ours have a few kilobytes, and some twenty dots.
const (
	maxConfig = 1 << 20
	maxDots   = 200
)

// readFile reads a TOML file strictly into the configuration.
func (r *Resolved) readFile(path string, keys map[string]key) error {
	text, err := files.Read(path, maxConfig)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	// The TOML package takes minutes for a key of many dots.
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
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("configuration %s: unknown key %q%s", path, unknown[0].String(), nearest(unknown[0].String(), keys))
	}
	for k := range keys {
		if meta.IsDefined(strings.Split(k, ".")...) {
			r.Origin[k] = "file " + path
		}
	}
	return nil
}

// WriteTOML returns the configuration as a TOML file; with origins, each line ends with where its value came from.
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

// key is one value of a configuration.
type key struct{ v reflect.Value }

// String returns the value as TOML.
func (k key) String() string {
	switch k.v.Kind() {
	case reflect.String:
		return quote(k.v.String())
	case reflect.Slice:
		parts := make([]string, k.v.Len())
		for i := range parts {
			parts[i] = quote(k.v.Index(i).String())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Float32, reflect.Float64:
		s := strconv.FormatFloat(k.v.Float(), 'g', -1, k.v.Type().Bits())
		if !strings.ContainsAny(s, ".eNI") {
			s += ".0"
		}
		return s
	}
	return fmt.Sprint(k.v.Interface())
}

// set reads the value from text; a list is separated by commas.
func (k key) set(text string) error {
	switch k.v.Kind() {
	case reflect.String:
		k.v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		k.v.SetBool(b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, k.v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		k.v.SetInt(n)
	case reflect.Uint8, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, k.v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number from 0 on", text)
		}
		k.v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, k.v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		k.v.SetFloat(f)
	case reflect.Slice:
		var list []string
		if text != "" {
			list = strings.Split(text, ",")
		}
		k.v.Set(reflect.ValueOf(list))
	default:
		panic("learner: configuration field of a kind without a text form")
	}
	return nil
}

// flatten returns every value of the configuration by its dotted key.
func flatten(c *Config) map[string]key {
	keys := map[string]key{}
	walk(reflect.ValueOf(c).Elem(), "", func(k string, v reflect.Value) { keys[k] = key{v} })
	return keys
}

// orderedKeys returns the keys in the order of the structs, plain values of a section before its tables.
func orderedKeys(c *Config) []string {
	var order []string
	walk(reflect.ValueOf(c).Elem(), "", func(k string, _ reflect.Value) { order = append(order, k) })
	section := func(k string) string { return k[:max(strings.LastIndex(k, "."), 0)] }
	first := map[string]int{}
	for i, k := range order {
		if _, ok := first[section(k)]; !ok {
			first[section(k)] = i
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		if (section(a) == "") != (section(b) == "") {
			return strings.Compare(section(a), section(b))
		}
		return first[section(a)] - first[section(b)]
	})
	return order
}

func walk(v reflect.Value, prefix string, visit func(string, reflect.Value)) {
	walkFields(v, prefix, func(k, _ string, v reflect.Value) { visit(k, v) })
}

// walkFields visits every value with its key and the name of its field.
func walkFields(v reflect.Value, prefix string, visit func(key, field string, v reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if tag == "-" || !f.IsExported() {
			continue
		}
		if tag == "" {
			panic("learner: configuration field without a toml tag: " + v.Type().String() + "." + f.Name)
		}
		if f.Type.Kind() == reflect.Struct {
			walkFields(v.Field(i), prefix+tag+".", visit)
		} else {
			visit(prefix+tag, f.Name, v.Field(i))
		}
	}
}

// envKey finds the key an environment variable names: SELFPLAY_SEARCH_PUCT is selfplay.search.puct.
func envKey(name string, keys map[string]key) string {
	for k := range keys {
		if strings.ToUpper(strings.ReplaceAll(k, ".", "_")) == name {
			return k
		}
	}
	return ""
}

// nearest suggests the known key that ends like the unknown one, or shares most of it.
func nearest(unknown string, keys map[string]key) string {
	best, most := "", 3
	for _, k := range sortedKeys(keys) {
		n := 0
		for n < len(k) && n < len(unknown) && k[n] == unknown[n] {
			n++
		}
		if last := k[strings.LastIndex(k, ".")+1:]; last == unknown[strings.LastIndex(unknown, ".")+1:] {
			n += len(last) + 1
		}
		if n > most {
			best, most = k, n
		}
	}
	if best == "" {
		return "; `train config` lists the keys"
	}
	return fmt.Sprintf("; did you mean %q? `train config` lists the keys", best)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
