//go:build unix

package publish

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// denied is a disk that refuses every operation.
type denied struct{ System }

var errDenied = errors.New("denied")

func (denied) Create(string, string) (Handle, error) { return nil, errDenied }
func (denied) Append(string) (Handle, error)         { return nil, errDenied }
func (denied) Rename(string, string) error           { return errDenied }
func (denied) Remove(string) error                   { return errDenied }
func (denied) MkdirAll(string) error                 { return errDenied }
func (denied) SyncDir(string) error                  { return errDenied }

// Every write goes through the mounted disk and only there.
func TestMount(t *testing.T) {
	root := t.TempDir()
	dir, beside := filepath.Join(root, "a"), filepath.Join(root, "ab")
	if err := errors.Join(MkdirAll(dir), MkdirAll(beside)); err != nil {
		t.Fatal(err)
	}
	all := func(dir string) map[string]error {
		name := filepath.Join(dir, "f")
		return map[string]error{
			"write":  Write(name, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }),
			"append": Append(name, []byte("line")),
			"rename": Rename(name, name+"2"),
			"mkdir":  MkdirAll(filepath.Join(dir, "b", "c")),
			"sync":   SyncDir(dir),
			"remove": Remove(name + "2"),
		}
	}
	unmount := Mount(dir, denied{})
	for what, err := range all(dir) {
		if !errors.Is(err, errDenied) {
			t.Errorf("%s, mounted: %v", what, err)
		}
	}
	for _, d := range []string{beside, t.TempDir()} {
		for what, err := range all(d) {
			if err != nil {
				t.Errorf("%s, beside: %v", what, err)
			}
		}
	}
	unmount()
	for what, err := range all(dir) {
		if err != nil {
			t.Errorf("%s, no more mounted: %v", what, err)
		}
	}
	if mounts.Load() != nil {
		t.Error("something is mounted still")
	}
}

func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lines")
	for _, c := range []struct{ before, want string }{
		{"", "new\n"}, {"old\n", "old\nnew\n"}, {"half a li", "half a li\nnew\n"},
	} {
		if err := os.WriteFile(name, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Append(name, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(name); string(got) != c.want {
			t.Errorf("%q: %q", c.before, got)
		}
	}
}

// Only regular files are replaced or appended to.
func TestDevicesStay(t *testing.T) {
	dir := t.TempDir()
	device, pipe := filepath.Join(dir, "device"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(os.DevNull, device), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{device, pipe, dir} {
		if err := Write(name, func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("write %s: %v", name, err)
		}
		if err := Append(name, []byte("x")); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("append to %s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}
