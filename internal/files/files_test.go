package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.txt"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("twelve bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, p := range []string{path, link} {
		if got, err := Read(p, 12); err != nil || string(got) != "twelve bytes" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := Read(path, 11); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), path) {
		t.Errorf("too large: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	// A sparse file needs no space on the disk, but would need much memory.
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := Read(path, 1<<30); !errors.Is(err, ErrTooLarge) {
		t.Errorf("sparse: %v", err)
	}
}

func TestListTakesNoPathForAPattern(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"run[AB]", "runA", "run?", "run*"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "of "+dir), nil, 0o600); err != nil {
			t.Skip(err)
		}
	}
	for _, dir := range []string{"run[AB]", "runA", "run?", "run*"} {
		names, err := List(filepath.Join(root, dir), func(string) bool { return true })
		if err != nil || !slices.Equal(names, []string{"of " + dir}) {
			t.Errorf("%s: %v, %v", dir, names, err)
		}
	}
	names, err := List(filepath.Join(root, "runA"), func(name string) bool { return name == "other" })
	if err != nil || len(names) != 0 {
		t.Errorf("none wanted: %v, %v", names, err)
	}
	if _, err := List(filepath.Join(root, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
