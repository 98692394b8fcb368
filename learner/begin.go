package learner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"damier/internal/publish"
	"damier/learner/journal"
	"damier/learner/settings"
)

// hasBegun reports whether dir holds a run that can continue: one whose first checkpoint is
// written. It returns false for an empty folder, and for one that holds only the leftovers of a
// process that was killed before that checkpoint. It refuses any other folder: with
// data.ErrDamaged if it looks like a run without its manifest, with data.ErrForeign if it holds
// files of others.
func hasBegun(dir string) (bool, error) {
	if IsRun(dir) {
		m, err := readManifest(dir)
		if err != nil {
			return true, nil // resume reports what is wrong with it
		}
		return m.Checkpoint.Name != "", nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("run directory: %w; choose another place with --run", err)
	}
	for _, e := range entries {
		empty, err := isLeftover(dir, e)
		if err != nil {
			return false, fmt.Errorf("run directory: %w; choose another place with --run", err)
		}
		if !empty {
			return false, refuse(dir, entries)
		}
	}
	return false, nil
}

// isLeftover reports whether an entry of dir is one that a run creates before it writes its
// manifest: an empty folder, an empty lock file, or a half-written manifest.
func isLeftover(dir string, e fs.DirEntry) (bool, error) {
	path := filepath.Join(dir, e.Name())
	switch {
	case e.IsDir() && slices.Contains(folders, e.Name()):
		inside, err := os.ReadDir(path)
		return len(inside) == 0, err
	case e.Name() == lockFile && e.Type().IsRegular():
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
		return err == nil && info.Size() == 0, err
	}
	return e.Type().IsRegular() && publish.IsTemporary(e.Name(), manifestFile), nil
}

// formerNetwork is the file name of the network in a directory that the former `train nnue` made.
const formerNetwork = "model.nnue"

// refuse returns the error for a folder that is neither empty nor a run.
func refuse(dir string, entries []fs.DirEntry) error {
	for _, e := range entries {
		if e.Name() == formerNetwork {
			return foreign("%s is a run of the former `train nnue`, which cannot go on; begin a new run from its network: --from %s --run DIR",
				dir, filepath.Join(dir, formerNetwork))
		}
	}
	lost := 0
	var names []string
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(folders, name) || name == configFile || name == journal.File {
			lost++
		}
		if len(names) < 5 {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	if lost >= 3 { // a folder that is not a run may contain one or two of these names
		return damaged("%s looks like a run that has lost its %s, and nothing in it is touched; put the file back, or begin another run with --run DIR (from a network in %s with --from)",
			dir, manifestFile, filepath.Join(dir, modelsDir))
	}
	if len(entries) > len(names) {
		names = append(names, "...")
	}
	return foreign("%s is no run and not empty (%s), and nothing in it is touched; choose an empty or a new directory with --run",
		dir, strings.Join(names, ", "))
}

// prepare checks the settings of a new run and loads its initial weights.
func (r *Run) prepare(sources settings.Sources) error {
	config, err := r.resolveNew(sources)
	if err != nil {
		return err
	}
	if sources.From != "" {
		r.initial, err = loadInitial(sources.From, config.Config, r.method)
	}
	return err
}

// resolveNew returns the settings of a run without a checkpoint. If a process wrote settings but
// was killed before its first checkpoint, it takes these, overridden by the sources.
func (r *Run) resolveNew(sources settings.Sources) (*settings.Resolved, error) {
	if !IsRun(r.Dir) || !exists(r.path(configFile)) {
		return settings.Resolve(r.method, sources)
	}
	m, err := readManifest(r.Dir)
	if err != nil {
		return nil, err
	}
	if m.From != "" && sources.From == "" {
		return nil, fmt.Errorf("%w: %s was to begin with the weights of %s and was stopped before its first checkpoint; give them again with --from",
			ErrConflict, r.Dir, m.From)
	}
	own, err := ResolveRun(r.Dir, nil, settings.Sources{})
	if err != nil {
		return nil, err
	}
	return settings.Overlay(own, r.method, sources)
}
