package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// text returns the file's content, and how many files are in its folder.
func text(t *testing.T, name string) (string, int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), len(files)
}

func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	say := func(s string, err error) error {
		return Write(name, func(w io.Writer) error {
			io.WriteString(w, s)
			if was, _ := text(t, name); was == s {
				t.Errorf("%q is there before it is whole", s)
			}
			return err
		})
	}
	full := errors.New("disk full")
	if err := say("half", full); err != full {
		t.Errorf("got %v", err)
	}
	if got, files := text(t, name); got != "" || files != 0 {
		t.Errorf("after a failure: %q, %d files", got, files)
	}
	if err := say("first", nil); err != nil {
		t.Fatal(err)
	}
	if err := say("half", full); err != full {
		t.Errorf("got %v", err)
	}
	if got, files := text(t, name); got != "first" || files != 1 {
		t.Errorf("%q, %d files; want the old one alone", got, files)
	}
	if err := say("second", nil); err != nil {
		t.Fatal(err)
	}
	if got, files := text(t, name); got != "second" || files != 1 {
		t.Errorf("%q, %d files", got, files)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := Write(filepath.Join(name, "b"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a file below a file")
	}
}

func TestDiscard(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	for _, publish := range []bool{false, true} {
		f, err := Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "x")
		if publish {
			if err := f.Publish(); err != nil {
				t.Fatal(err)
			}
		}
		f.Discard()
		f.Discard()
		if _, files := text(t, name); (files == 1) != publish {
			t.Errorf("published %v: %d files", publish, files)
		}
	}
}

func TestIsTemporary(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if name := filepath.Base(f.handle.Name()); !IsTemporary(name, "run.json") || !IsTemporary(name, "") || IsTemporary(name, "other") {
		t.Errorf("%s is a temporary name of run.json", name)
	}
	for _, name := range []string{"a.tmp", ".a.tmp", ".a.b.tmp", ".a.1x.tmp", "a.1.tmp", ".1.tmp", "..tmp", ".a.1.tm", ".tmp", ""} {
		if IsTemporary(name, "") {
			t.Errorf("%q is a name that somebody else gives", name)
		}
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	half := func(name string) string { // an unfinished file of a killed writer
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f.handle.Close()
		return f.handle.Name()
	}
	old, young, kept := half("a.txt"), half("b.txt"), filepath.Join(dir, "c.tmp")
	other := filepath.Join(dir, ".notes.tmp") // for example of an editor
	for _, name := range []string{kept, other} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{old, kept, other} {
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-2*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := Sweep(dir, time.Minute); err != nil || len(gone) != 1 || filepath.Join(dir, gone[0]) != old {
		t.Errorf("removed %v, %v; want %s", gone, err, old)
	}
	for name, there := range map[string]bool{old: false, young: true, kept: true, other: true} {
		if _, err := os.Stat(name); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Sweep(filepath.Join(dir, "none"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
