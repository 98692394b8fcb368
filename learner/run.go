package learner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"damier/internal/files"
	"damier/internal/publish"
	"damier/learner/settings"
	"damier/rules"
)

// Run is the directory of a run, locked by this process. Its manifest describes the whole state of
// the run.
type Run struct {
	Dir      string
	Config   *settings.Resolved
	Variant  *rules.Variant
	Manifest Manifest
	Fresh    bool // this process began the run

	method  Method
	lock    *flock.Flock
	initial Network // the initial weights; nil for random ones
}

// staleAfter is the age at which a temporary file of a run no longer has a writer.
const staleAfter = time.Hour

// ErrHeld is wrapped by the error of [Open] when another process has the run.
var ErrHeld = errors.New("another learner holds the run")

// ErrConflict is wrapped by the error of [Open] when the run was made with other settings.
var ErrConflict = errors.New("the run was made with other settings")

// IsRun reports whether dir holds a run.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// notRun returns the error for a folder that is no run.
func notRun(dir string) error {
	return foreign("%s is not a run: there is no %s in it", dir, manifestFile)
}

// Open opens the run of a method in dir, or begins one there. If a run exists, sources may change
// only some keys of its configuration; for others Open returns an error that names the keys and
// wraps ErrConflict.
func Open(dir string, method Method, sources settings.Sources) (*Run, error) {
	if method == nil {
		return nil, errors.New("learner: a run needs a method")
	}
	r := &Run{Dir: dir, method: method, lock: flock.New(filepath.Join(dir, lockFile))}
	begun, err := hasBegun(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case !begun: // report errors in the settings or the weights before writing anything
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
	// The store cleans up games/.
	for _, d := range []string{"", modelsDir, checkpointDir, matchesDir} {
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

func (r *Run) open(sources settings.Sources) error {
	// Check again, because another process could have begun it before the lock.
	begun, err := hasBegun(r.Dir)
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
	// Write the manifest first, so that the folder is recognised as a run whenever this process
	// stops.
	if err := r.Save(); err != nil {
		return err
	}
	return r.writeConfig()
}

// loadInitial loads the initial weights of a new run. Their architecture must be that of the
// settings.
func loadInitial(path string, c settings.Config, method Method) (Network, error) {
	v, err := c.Lookup()
	if err != nil {
		return nil, err
	}
	m, err := method.Begin(path, v)
	if err != nil {
		return nil, err
	}
	given := c
	m.Settings(&given)
	if d := settings.Differences(given, c, "the file"); len(d) > 0 {
		return nil, fmt.Errorf("%w: %s is a network of another architecture\n  %s\nset these keys to match it", ErrConflict, path, joinLines(d))
	}
	return m, nil
}

// resume reads the run's own configuration, and overrides the keys that may change.
func (r *Run) resume(sources settings.Sources) error {
	text, err := files.Read(filepath.Join(r.Dir, manifestFile), maxManifest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &r.Manifest); err != nil {
		return damaged("%s is damaged: %v; restore it, or begin a new run from the last network with --from", filepath.Join(r.Dir, manifestFile), err)
	}
	if err := r.Manifest.checkVersion(r.Dir); err != nil {
		return err
	}
	if err := r.Manifest.check(filepath.Join(r.Dir, manifestFile)); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, configFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return damaged("%s is missing; a run cannot go on without it", path)
	}
	own, err := ownSettings(r.Dir, r.method)
	if err != nil {
		return err
	}
	asked, err := ResolveRun(r.Dir, r.method, sources)
	if err != nil {
		return err
	}
	rows, played := r.Manifest.Games.Totals().Rows, asked.Config
	later := own.SelfPlay
	later.Visits = played.SelfPlay.Visits
	if own.SelfPlay.SameUntil(rows, later) {
		played.SelfPlay.Visits = own.SelfPlay.Visits // only games to come have other visits
	}
	if d := settings.Differences(own.Config, played, "the run"); len(d) > 0 {
		if !slices.Equal(own.SelfPlay.Visits, played.SelfPlay.Visits) {
			d = append(d, visitsToCome(rows, own.SelfPlay, later))
		}
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
		return nil // the file has the sources of more values
	}
	return r.writeConfig()
}

// Close unlocks the run.
func (r *Run) Close() error { return r.lock.Unlock() }

// Save replaces the manifest.
func (r *Run) Save() error {
	text, err := json.MarshalIndent(r.Manifest, "", "\t")
	if err != nil {
		return err
	}
	return write(r.path(manifestFile), append(text, '\n'))
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
