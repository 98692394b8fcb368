package learner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"damier/data"
	"damier/internal/files"
	"damier/learner/journal"
)

// Verified is what [Check] has found in a run.
type Verified struct {
	Run        string   `json:"run"` // its directory
	Sound      bool     `json:"sound"`
	Generation int      `json:"generation"`
	Steps      int      `json:"steps"`
	Session    int      `json:"session"`
	Shards     int      `json:"shards"`
	Rows       int      `json:"rows"`       // in these shards
	Games      int      `json:"games"`      // of the run so far
	ToAdopt    int      `json:"to_adopt"`   // whole shards that the manifest does not know yet
	LeftAlone  []string `json:"left_alone"` // paths of files in games/ that the run does not use
	Wrong      []string `json:"wrong"`
}

// WriteText writes what was found, except what is wrong.
func (f Verified) WriteText(w io.Writer) error {
	var b bytes.Buffer
	for _, path := range f.LeftAlone {
		fmt.Fprintf(&b, "%s is left alone: it is no shard of this run, or its games are in the run already\n", path)
	}
	fmt.Fprintf(&b, "generation %d, %d steps, session %d; %d shards with %d rows, %d games in all; %d whole shards to be adopted\n",
		f.Generation, f.Steps, f.Session, f.Shards, f.Rows, f.Games, f.ToAdopt)
	_, err := w.Write(b.Bytes())
	return err
}

// Verify is [Check] with what it finds written to out as text.
func Verify(ctx context.Context, dir string, method Method, out io.Writer) error {
	f, err := Check(ctx, dir, method)
	if f == nil {
		return err
	}
	return errors.Join(err, f.WriteText(out))
}

// Check checks that the directory of a run of the method is sound: the manifest is readable, every
// file that it names exists and has the right content, and the shards hold legal games. It changes
// nothing. The error joins everything that is wrong. Files of a killed process that the manifest
// does not know yet are found, but are no error.
//
// Check refuses a run that a learner holds, because it changes all the time; the error then wraps
// ErrHeld. If it cannot look at the whole run, what it returns is nil.
func Check(ctx context.Context, dir string, method Method) (*Verified, error) {
	if !IsRun(dir) {
		return nil, notRun(dir)
	}
	if err := files.Free(filepath.Join(dir, lockFile)); err != nil {
		return nil, foreign("%w", err)
	}
	if exists(filepath.Join(dir, lockFile)) {
		lock := flock.New(filepath.Join(dir, lockFile))
		if held, err := lock.TryLock(); err == nil && !held {
			return nil, fmt.Errorf("%w: %s; a run is verified when it stands still", ErrHeld, dir)
		} else if err == nil {
			defer lock.Unlock()
		}
	}
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	config, err := ownSettings(dir, method)
	if err != nil {
		return nil, err
	}
	v, err := config.Lookup()
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, method: method, Config: config, Variant: v, Manifest: m}
	f := &Verified{
		Run: dir, Generation: m.Generation, Steps: m.Steps, Session: m.Session,
		Shards: len(m.Games.Shards), Games: m.Games.Totals().Games,
		LeftAlone: []string{}, Wrong: []string{},
	}
	wrong := r.verifyFiles()
	var ids map[string]string
	if f.Rows, ids, err = r.verifyShards(ctx, &wrong); err != nil {
		return nil, err
	}
	if f.ToAdopt, f.LeftAlone, err = r.verifyUnknown(ids, &wrong); err != nil {
		return nil, err
	}
	if err := verifyJournal(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		wrong = errors.Join(wrong, err)
	}
	f.Wrong = append(f.Wrong, messages(wrong)...)
	f.Sound = wrong == nil
	return f, wrong
}

// messages returns the messages of an error that joins others.
func messages(err error) []string {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || !strings.Contains(err.Error(), "\n") {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, messages(e)...)
	}
	return all
}

// verifyFiles checks the checkpoint and the networks that the manifest names.
func (r *Run) verifyFiles() (wrong error) {
	m := r.Manifest
	for _, f := range []struct {
		dir string
		File
	}{
		{checkpointDir, m.Checkpoint},
		{checkpointDir, m.Unfinished},
		{modelsDir, m.Model},
		{modelsDir, m.Accepted},
		{modelsDir, m.Best()},
	} {
		if f.Name != "" {
			_, err := r.readFile(f.dir, f.File)
			wrong = errors.Join(wrong, missingIsDamaged(err))
		}
	}
	if m.Model.Name != "" {
		_, err := r.method.Load(r.path(modelsDir, m.Model.Name), r.Variant)
		wrong = errors.Join(wrong, err)
	}
	if m.Checkpoint.Name != "" {
		wrong = errors.Join(wrong, r.verifyCheckpoint())
	}
	return wrong
}

// missingIsDamaged makes an error about a missing file, which the manifest names, one about a
// damaged run.
func missingIsDamaged(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return damaged("%w", err)
	}
	return err
}

// verifyShards checks the shards on the manifest's list, and that no game is in two of them. It
// joins what it finds to wrong, and returns the number of rows and the shard of every game. The
// error is that of the context.
func (r *Run) verifyShards(ctx context.Context, wrong *error) (rows int, ids map[string]string, err error) {
	shards := r.Manifest.Games.Shards
	for _, s := range shards {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		got, err := data.Verify(r.path(gamesDir, s.Name), r.Variant)
		err = missingIsDamaged(err)
		if err == nil && got != s {
			err = damaged("%s is not the shard the manifest names", s.Name)
		}
		*wrong = errors.Join(*wrong, err)
		rows += got.Rows
	}
	ids = map[string]string{}
	for _, s := range shards {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		games, err := data.GameIDs(r.path(gamesDir, s.Name))
		if err != nil {
			continue // its error was reported above
		}
		for _, id := range games {
			if other, ok := ids[id]; ok {
				*wrong = errors.Join(*wrong, damaged("game %s of shard %s is in %s too; every game counts once",
					id, s.Name, other))
				break
			}
			ids[id] = s.Name
		}
	}
	return rows, ids, nil
}

// verifyUnknown checks the shards in the folder that the manifest does not list, joins what it
// finds to wrong, and returns how many the run would adopt and the paths of those that it leaves
// alone, as [data.Store.Scan] does. ids names the shard of every listed game; it adds those of
// shards to be adopted. The error is that of reading the folder.
func (r *Run) verifyUnknown(
	ids map[string]string, wrong *error,
) (adopted int, alone []string, err error) {
	alone = []string{}
	known := map[string]bool{}
	for _, s := range r.Manifest.Games.Shards {
		known[s.Name] = true
	}
	for _, s := range r.Manifest.Games.Going { // to be deleted
		known[s.Name] = true
	}
	names, err := data.Shards(r.path(gamesDir))
	if err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		if known[name] {
			continue
		}
		path := r.path(gamesDir, name)
		info, err := data.Verify(path, r.Variant)
		var games []string
		if err == nil {
			games, err = data.GameIDs(path)
		}
		switch known := func(id string) bool { return ids[id] != "" }; {
		case errors.Is(err, data.ErrForeign), info.Unfinished > 0, slices.ContainsFunc(games, known):
			alone = append(alone, path)
		case err != nil:
			*wrong = errors.Join(*wrong, err)
		default:
			for _, id := range games {
				ids[id] = name
			}
			adopted++
		}
	}
	return adopted, alone, nil
}

// verifyCheckpoint loads the checkpoint as a session does.
func (r *Run) verifyCheckpoint() error {
	t, err := r.newTrainer()
	if err != nil {
		return err
	}
	defer t.Close()
	f, _, err := files.Open(r.path(checkpointDir, r.Manifest.Checkpoint.Name), maxFile)
	if err != nil {
		return err
	}
	defer f.Close()
	return t.Load(f)
}

// verifyJournal checks the journal of the run in dir.
func verifyJournal(dir string) error {
	path := filepath.Join(dir, journal.File)
	f, _, err := files.Open(path, journal.MaxBytes)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := journal.Check(f); err != nil {
		return damaged("%s is damaged: %w", path, err)
	}
	return nil
}
