package learner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"damier/internal/files"
	"damier/internal/publish"
)

// The files and folders of a run.
const (
	configFile   = "config.toml"
	manifestFile = "run.json"
	lockFile     = "lock"
	plotFile     = "progress.png"

	modelsDir     = "models"
	gamesDir      = "games"
	checkpointDir = "checkpoint"
	matchesDir    = "matches"
)

// folders are the folders that every run has.
var folders = []string{modelsDir, gamesDir, checkpointDir, matchesDir}

// maxFile is the size in bytes above which a file of a run is refused unread; no state of a
// trainer is larger.
const maxFile = 1<<30 + 1<<24

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
