//go:build unix

package data

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe or a device with the name of a shard is refused as foreign: a store does not wait for it,
// nor read it without end.
func TestOnlyFilesAreShards(t *testing.T) {
	dir := t.TempDir()
	must(syscall.Mkfifo(filepath.Join(dir, "pipe.parquet"), 0o600))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "zero.parquet")))
	for _, name := range []string{"pipe.parquet", "zero.parquet"} {
		if _, err := Verify(filepath.Join(dir, name), international()); !errors.Is(err, ErrForeign) {
			t.Errorf("verify %s: %v", name, err)
		}
		if _, err := GameIDs(filepath.Join(dir, name)); !errors.Is(err, ErrForeign) {
			t.Errorf("ids of %s: %v", name, err)
		}
	}
	s, found, err := OpenStore(dir, international(), StoreState{})
	if err != nil || len(found.Foreign) != 2 || len(s.List()) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
