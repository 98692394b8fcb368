//go:build unix

package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, device := filepath.Join(dir, "pipe"), filepath.Join(dir, "device")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", device)); err != nil {
		t.Fatal(err)
	}
	for path, free := range map[string]bool{pipe: false, device: false, dir: false, filepath.Join(dir, "none"): true} {
		if err := Free(path); (err == nil) != free || err != nil && !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{pipe: "a pipe", device: "a device", dir: "a directory"} {
		_, err := Read(path, 1<<20) // would block, or never end
		if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
