package learner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"damier/data"
	"damier/internal/files"
	"damier/internal/publish"
	"damier/rules"
)

// Run is a run's directory, held by this process alone. Its manifest is the only truth about the run's state.
type Run struct {
	Dir      string
	Config   *Resolved
	Variant  *rules.Variant
	Manifest Manifest
	Fresh    bool // begun by this process, not taken up again

	method  Method
	lock    *flock.Flock
	initial Network // weights to begin with; nil for random ones
}

// The files and folders of a run.
const (
	configFile   = "config.toml"
	manifestFile = "run.json"
	lockFile     = "lock"
	metricsFile  = "metrics.jsonl"
	plotFile     = "progress.png"

	modelsDir     = "models"
	gamesDir      = "games"
	checkpointDir = "checkpoint"
	matchesDir    = "matches"
)

// folders are those that a run has from its beginning.
var folders = []string{modelsDir, gamesDir, checkpointDir, matchesDir}

// staleAfter is the age from which a temporary file of a run has no writer any more.
const staleAfter = time.Hour

// ManifestFormat is the version of run.json.
const ManifestFormat = 2

// Manifest is run.json: replaced atomically after every generation, when everything it names is on disk.
type Manifest struct {
	Format  int       `json:"format"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Variant string    `json:"variant"`
	Options string    `json:"options"`
	Rules   int       `json:"rules"`          // rules.Version
	From    string    `json:"from,omitempty"` // file of the weights it began with

	Session    int     `json:"session"`     // how often the run was started
	Generation int     `json:"generation"`  // published so far
	Steps      int     `json:"steps"`       // of training
	Debt       float64 `json:"debt"`        // training rows owed to the rows played
	Seconds    float64 `json:"seconds"`     // on the clock, over all sessions
	CPUSeconds float64 `json:"cpu_seconds"` // of all threads, over all sessions

	Checkpoints int  `json:"checkpoints"` // written so far
	Checkpoint  File `json:"checkpoint"`  // in checkpoint/
	Unfinished  File `json:"unfinished"`  // games under way, in checkpoint/; may be absent
	Model       File `json:"model"`       // the last published network, in models/

	Refit *RefitResult `json:"refit,omitempty"` // of the last time that the run was over

	Accepted   File `json:"accepted"`    // the last network that passed the gate
	GateClosed bool `json:"gate_closed"` // self-play goes on with Accepted

	Games   data.StoreState `json:"games"`   // the shards of games/ and the totals of those that are gone
	Pending int             `json:"pending"` // rows that came since the last training

	LastEvaluation float64  `json:"last_evaluation"` // Seconds when it ended
	Evaluations    []Rating `json:"evaluations"`
	NotFinite      int      `json:"not_finite"` // times that the loss was not finite
}

// File names a file of the run and what it must contain; the zero File is none.
type File struct {
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// ErrHeld is wrapped by the error of [Open] when another process has the run.
var ErrHeld = errors.New("another learner holds the run")

// ErrConflict is wrapped by the error of [Open] when the run was made with other settings.
var ErrConflict = errors.New("the run was made with other settings")

// IsRun reports whether dir holds a run.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// Open takes up the run in dir, or begins one there. For a run that exists, sources are checked against its own
// configuration: keys that may not change are not overridden but named in an error that wraps ErrConflict.
func Open(dir string, sources Sources) (*Run, error) {
	if sources.Method == nil {
		return nil, errors.New("learner: a run needs a method")
	}
	r := &Run{Dir: dir, method: sources.Method, lock: flock.New(filepath.Join(dir, lockFile))}
	begun, err := hasBegun(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case !begun: // what is wrong with the settings or the weights is told before anything is written
		if err := r.prepare(sources); err != nil {
			return nil, err
		}
	case sources.From != "":
		return nil, fmt.Errorf("%w: --from begins a new run, but %s holds one; choose another directory with --run", ErrConflict, dir)
	}
	for _, d := range append([]string{""}, folders...) {
		if err := publish.MkdirAll(filepath.Join(dir, d)); err != nil {
			return nil, fmt.Errorf("run directory: %w; or choose another place with --run", advise(err))
		}
	}
	if err := files.Free(r.lock.Path()); err != nil {
		return nil, fmt.Errorf("run directory: %w; choose another place with --run", err)
	}
	held, err := r.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run directory: %w; choose another place with --run", err)
	}
	if !held {
		return nil, fmt.Errorf("%w: %s; stop it first, or choose another directory with --run", ErrHeld, dir)
	}
	for _, d := range []string{"", modelsDir, checkpointDir, matchesDir} { // games are the store's
		if _, err := publish.Sweep(filepath.Join(dir, d), staleAfter); err != nil {
			r.Close()
			return nil, fmt.Errorf("run directory: %w; choose another place with --run", err)
		}
	}
	if err := r.open(sources); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Run) open(sources Sources) error {
	begun, err := hasBegun(r.Dir) // again, for now nobody else can begin it
	if err != nil {
		return err
	}
	if begun {
		r.initial = nil
		return r.resume(sources)
	}
	config, err := r.resolveNew(sources)
	if err != nil {
		return err
	}
	if r.Variant, err = config.Lookup(); err != nil {
		return err
	}
	r.Config, r.Fresh = config, true
	r.Manifest = Manifest{
		Format:  ManifestFormat,
		Name:    filepath.Base(absolute(r.Dir)),
		Created: time.Now().UTC().Truncate(time.Second),
		Variant: r.Variant.Name,
		Options: r.Variant.Options.String(),
		Rules:   rules.Version,
	}
	if r.initial != nil {
		r.Manifest.From = filepath.Base(sources.From)
	}
	// The manifest comes first: whatever stops this process from here on, the folder is known as a run.
	if err := r.Save(); err != nil {
		return err
	}
	return r.writeConfig()
}

// loadInitial loads the weights that a new run begins with. They must be those of the network that its settings ask
// for.
func loadInitial(path string, c Config, method Method) (Network, error) {
	v, err := c.Lookup()
	if err != nil {
		return nil, err
	}
	m, err := method.Load(path, v)
	if err != nil {
		return nil, err
	}
	given := c
	m.Settings(&given)
	if d := differences(given, c, "the file"); len(d) > 0 {
		return nil, fmt.Errorf("%w: %s is a network of another architecture\n  %s\nset these keys to match it", ErrConflict, path, joinLines(d))
	}
	return m, nil
}

// resume reads the run's own configuration and lays what may change over it.
func (r *Run) resume(sources Sources) error {
	text, err := files.Read(filepath.Join(r.Dir, manifestFile), maxManifest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &r.Manifest); err != nil {
		return fmt.Errorf("%w: %s: %v; restore it, or begin a new run from the last network with --from", data.ErrDamaged, filepath.Join(r.Dir, manifestFile), err)
	}
	if err := r.Manifest.checkVersion(r.Dir); err != nil {
		return err
	}
	if err := r.Manifest.check(filepath.Join(r.Dir, manifestFile)); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, configFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing; a run cannot go on without it", data.ErrDamaged, path)
	}
	own, err := ownSettings(r.Dir, r.method)
	if err != nil {
		return err
	}
	asked, err := overlay(own, sources)
	if err != nil {
		return err
	}
	if d := Differences(own.Config, asked.Config); len(d) > 0 {
		return fmt.Errorf("%w: %s\n  %s\nleave these out to go on with the run, or begin another with --run DIR (from its network with --from %s)",
			ErrConflict, r.Dir, joinLines(d), filepath.Join(r.Dir, modelsDir, r.Manifest.Model.Name))
	}
	r.Config = asked
	if r.Variant, err = asked.Lookup(); err != nil {
		return err
	}
	if got := r.Variant.Name + " " + r.Variant.Options.String(); got != r.Manifest.Variant+" "+r.Manifest.Options {
		return fmt.Errorf("%w: %s says %s %s, its manifest %s %s", ErrConflict, path, r.Variant.Name, r.Variant.Options, r.Manifest.Variant, r.Manifest.Options)
	}
	if bytes.Equal(own.WriteTOML(false), asked.WriteTOML(false)) {
		return nil // the file says more of where its values come from
	}
	return r.writeConfig()
}

// ResolveRun returns the configuration of the run in dir with the sources laid over it: a preset, file, variable or
// flag that says nothing about a key leaves it as the run has it.
func ResolveRun(dir string, sources Sources) (*Resolved, error) {
	path := filepath.Join(dir, configFile)
	own, err := Resolve(Sources{File: path})
	if err != nil {
		return nil, err
	}
	r, err := overlay(own, sources)
	if err != nil {
		return nil, err
	}
	settings, err := readSettings(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range settings {
		if s.Origin != "" && r.Origin[s.Key] == "file "+path {
			r.Origin[s.Key] = s.Origin // where the run has it from
		}
	}
	return r, nil
}

// ownSettings returns the configuration of the run in dir. One that the method cannot have, as where lines of
// the file are lost, is damaged: no run has written it.
func ownSettings(dir string, method Method) (*Resolved, error) {
	own, err := ResolveRun(dir, Sources{})
	if err != nil {
		return nil, err
	}
	if err := method.Check(own.Config); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; restore it, or begin a new run from the last network with --from",
			data.ErrDamaged, filepath.Join(dir, configFile), err)
	}
	return own, nil
}

func (r *Run) writeConfig() error {
	return write(filepath.Join(r.Dir, configFile), r.Config.WriteTOML(true))
}

// Close gives the run free for others.
func (r *Run) Close() error { return r.lock.Unlock() }

// Save replaces the manifest.
func (r *Run) Save() error {
	text, err := json.MarshalIndent(r.Manifest, "", "\t")
	if err != nil {
		return err
	}
	return write(r.path(manifestFile), append(text, '\n'))
}

func (r *Run) path(parts ...string) string {
	return filepath.Join(append([]string{r.Dir}, parts...)...)
}

// writeFile writes a file of the run atomically and returns its name and sum.
func (r *Run) writeFile(dir, name string, content []byte) (File, error) {
	if err := write(r.path(dir, name), content); err != nil {
		return File{}, err
	}
	sum := sha256.Sum256(content)
	return File{name, hex.EncodeToString(sum[:])}, nil
}

// maxFile is the size in bytes from which a file of a run is refused unread: more than the tensors of any.
const maxFile = 1<<30 + 1<<24

// readFile reads a file of the run and checks its sum.
func (r *Run) readFile(dir string, f File) ([]byte, error) {
	path := r.path(dir, f.Name)
	content, err := files.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("%w: %s is not the file the manifest names", data.ErrDamaged, path)
	}
	return content, nil
}

// removeOthers deletes the regular files of a folder whose names are those that the run itself gives, and that are
// not kept. One that is gone already is no error.
func (r *Run) removeOthers(dir string, ours func(name string) bool, keep map[string]bool) error {
	entries, err := os.ReadDir(r.path(dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if keep[name] || !e.Type().IsRegular() || !ours(name) {
			continue
		}
		if err := publish.Remove(r.path(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return advise(err)
		}
	}
	return nil
}

// named returns the test whether a name is what format makes of some numbers, and nothing else.
func named(format string, numbers int) func(name string) bool {
	return func(name string) bool {
		n := make([]int, numbers)
		args, values := make([]any, numbers), make([]any, numbers)
		for i := range n {
			args[i] = &n[i]
		}
		if _, err := fmt.Sscanf(name, format, args...); err != nil {
			return false
		}
		for i := range n {
			values[i] = n[i]
		}
		return fmt.Sprintf(format, values...) == name
	}
}

// write puts content into a file so that at any moment the old or the new one is there whole.
func write(path string, content []byte) error {
	err := publish.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	return advise(err)
}

// advise adds to an error of the file system what to do about it.
func advise(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: the disk is full; free some space and start again: the run goes on from its last checkpoint", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: the directory cannot be written; change its rights, or choose another place with --run", err)
	}
	return err
}

func absolute(dir string) string {
	if a, err := filepath.Abs(dir); err == nil {
		return a
	}
	return dir
}

func joinLines(lines []string) string {
	s := ""
	for i, l := range lines {
		if i > 0 {
			s += "\n  "
		}
		s += l
	}
	return s
}
