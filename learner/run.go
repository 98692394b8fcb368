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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"damier/data"
	"damier/internal/files"
	"damier/internal/publish"
	"damier/rules"
	"damier/selfplay"
)

// Run is the directory of a run, locked by this process. Its manifest describes the whole state of
// the run.
type Run struct {
	Dir      string
	Config   *Resolved
	Variant  *rules.Variant
	Manifest Manifest
	Fresh    bool // this process began the run

	method  Method
	lock    *flock.Flock
	initial Network // the initial weights; nil for random ones
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

// folders are the folders that every run has.
var folders = []string{modelsDir, gamesDir, checkpointDir, matchesDir}

// staleAfter is the age at which a temporary file of a run no longer has a writer.
const staleAfter = time.Hour

// ManifestFormat is the version of run.json.
const ManifestFormat = 2

// Manifest is run.json. It is replaced atomically after every generation, when everything it names
// is on disk.
type Manifest struct {
	Format  int       `json:"format"`
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Variant string    `json:"variant"`
	Options string    `json:"options"`
	Rules   int       `json:"rules"`          // rules.Version
	From    string    `json:"from,omitempty"` // file of its initial weights

	Session    int     `json:"session"`     // number of times the run was started
	Generation int     `json:"generation"`  // number of networks published so far
	Steps      int     `json:"steps"`       // training steps so far, without those of refits at the end
	Debt       float64 `json:"debt"`        // training rows that the rows played allow and that are not learnt yet
	Seconds    float64 `json:"seconds"`     // on the clock, over all sessions
	CPUSeconds float64 `json:"cpu_seconds"` // of all threads, over all sessions

	Checkpoints int  `json:"checkpoints"` // number of checkpoints written so far
	Checkpoint  File `json:"checkpoint"`  // in checkpoint/
	Unfinished  File `json:"unfinished"`  // games in progress, in checkpoint/; may be absent
	Model       File `json:"model"`       // the last published network, in models/

	Refit    *RefitResult `json:"refit,omitempty"`          // the last one
	Replaced int          `json:"replaced_steps,omitempty"` // training steps of networks whose place that of a refit took

	Accepted   File `json:"accepted"`    // the last network that passed the gate
	GateClosed bool `json:"gate_closed"` // self-play uses Accepted, not Model

	Games   data.StoreState `json:"games"`   // the shards of games/, and the totals of removed ones
	Pending int             `json:"pending"` // rows that came since the last training

	LastEvaluation float64  `json:"last_evaluation"` // Seconds at its end
	Evaluations    []Rating `json:"evaluations"`
	NotFinite      int      `json:"not_finite"` // number of losses that were not finite
}

// File is a file of the run and the checksum of its content; the zero File means none.
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

// notRun returns the error for a folder that is no run.
func notRun(dir string) error {
	return foreign("%s is not a run: there is no %s in it", dir, manifestFile)
}

// Open opens the run in dir, or begins one there. If a run exists, sources may change only some
// keys of its configuration; for others Open returns an error that names the keys and wraps
// ErrConflict.
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

func (r *Run) open(sources Sources) error {
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
func loadInitial(path string, c Config, method Method) (Network, error) {
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
	if d := differences(given, c, "the file"); len(d) > 0 {
		return nil, fmt.Errorf("%w: %s is a network of another architecture\n  %s\nset these keys to match it", ErrConflict, path, joinLines(d))
	}
	return m, nil
}

// resume reads the run's own configuration, and overrides the keys that may change.
func (r *Run) resume(sources Sources) error {
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
	asked, err := ResolveRun(r.Dir, sources)
	if err != nil {
		return err
	}
	rows, played := r.Manifest.Games.Totals().Rows, asked.Config
	later := own.SelfPlay
	later.Visits = played.SelfPlay.Visits
	if own.SelfPlay.SameUntil(rows, later) {
		played.SelfPlay.Visits = own.SelfPlay.Visits // only games to come have other visits
	}
	if d := Differences(own.Config, played); len(d) > 0 {
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

// visitsToCome says how a run with the given number of rows can have the visits that were asked for
// from its next row on.
func visitsToCome(rows int, own, asked selfplay.Config) string {
	return fmt.Sprintf("visits may change only for rows to come: the run has %s rows, "+
		"so begin the new entry at %d or later: --set selfplay.visits=%s",
		thousands(rows), rows+1, strings.Join(own.VisitsFrom(rows+1, asked), ","))
}

// ResolveRun returns the configuration of the run in dir, overridden by the sources. Keys that a
// source does not mention keep the value of the run, also where the defaults are others today. For a
// folder that is no run the error wraps data.ErrForeign.
func ResolveRun(dir string, sources Sources) (*Resolved, error) {
	if !IsRun(dir) {
		return nil, notRun(dir)
	}
	own, err := asWritten(dir, sources.Method)
	if err != nil {
		return nil, err
	}
	r, err := overlay(own, sources)
	if err != nil {
		return nil, err
	}
	return r, r.recall(dir)
}

// ownSettings returns the configuration of the run in dir.
func ownSettings(dir string, method Method) (*Resolved, error) {
	own, err := asWritten(dir, method)
	if err != nil {
		return nil, err
	}
	return own, own.recall(dir)
}

// asWritten reads the configuration file of a run. If the method does not accept it as it is, for
// example because lines are lost, it is damaged, because no run writes such a file. Keys that it
// lacks, because the run is older than they are, get the defaults of its board and of the method,
// except value.least_visits, which is what the run has learnt with.
func asWritten(dir string, method Method) (*Resolved, error) {
	path := filepath.Join(dir, configFile)
	own, err := Resolve(Sources{File: path})
	if err != nil {
		return nil, err
	}
	if method != nil {
		if err := method.Check(own.Config); err != nil {
			return nil, damaged("%s: %w; restore it, or begin a new run from the last network with --from",
				path, err)
		}
	}
	const leastVisits = "value.least_visits"
	if own.Origin[leastVisits] == "default" {
		own.Value.LeastVisits, own.Origin[leastVisits] = 0, "the run is older than this key"
	}
	own.settle(method)
	return own, nil
}

// recall gives the values that come from the file of the run in dir the origins that the file names.
func (r *Resolved) recall(dir string) error {
	settings, err := readSettings(dir)
	if err != nil {
		return err
	}
	for _, s := range settings {
		if s.Origin != "" && r.Origin[s.Key] == "file "+filepath.Join(dir, configFile) {
			r.Origin[s.Key] = s.Origin
		}
	}
	return nil
}

func (r *Run) writeConfig() error {
	return write(filepath.Join(r.Dir, configFile), r.Config.WriteTOML(true))
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

func (r *Run) path(parts ...string) string {
	return filepath.Join(append([]string{r.Dir}, parts...)...)
}

// writeFile writes a file of the run atomically and returns its name and checksum.
func (r *Run) writeFile(dir, name string, content []byte) (File, error) {
	if err := write(r.path(dir, name), content); err != nil {
		return File{}, err
	}
	sum := sha256.Sum256(content)
	return File{name, hex.EncodeToString(sum[:])}, nil
}

// maxFile is the size in bytes above which a file of a run is refused unread; no state of a
// trainer is larger.
const maxFile = 1<<30 + 1<<24

// readFile reads a file of the run and checks its checksum.
func (r *Run) readFile(dir string, f File) ([]byte, error) {
	path := r.path(dir, f.Name)
	content, err := files.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, damaged("%s is not the file the manifest names", path)
	}
	return content, nil
}

// removeOthers deletes the regular files of a folder whose names satisfy ours and that are not in
// keep. It ignores a file that no longer exists.
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

// named returns a function that reports whether a name is exactly what format gives for some
// numbers.
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

// write replaces the content of a file, so that at any moment either the old or the new content is
// there completely.
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
