package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteFails(t *testing.T) {
	games := randomGames(1, 1, 10)
	root := t.TempDir()
	file := filepath.Join(root, "file")
	must(os.WriteFile(file, []byte("keep me"), 0o644))
	for _, test := range []struct {
		name, dir, want string
		is              error
	}{
		{"a file in place of the directory", file, "is a file where a directory is wanted", syscall.ENOTDIR},
		{"a file on the way", filepath.Join(file, "games"), "is a file where a directory is wanted", syscall.ENOTDIR},
		{"no directory", filepath.Join(root, "none"), "create it", fs.ErrNotExist},
	} {
		_, err := WriteShard(test.dir, "a.parquet", international(), games)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), filepath.Join(test.dir, "a.parquet")) {
			t.Errorf("%s: %v", test.name, err)
		}
		if strings.Count(err.Error(), test.dir) > 1 {
			t.Errorf("%s: the path is told twice: %v", test.name, err)
		}
	}
	if _, _, err := OpenStore(filepath.Join(file, "games"), international(), StoreState{}); !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), "choose another directory") {
		t.Errorf("OpenStore below a file: %v", err)
	}
	if content, _ := os.ReadFile(file); string(content) != "keep me" {
		t.Error("the file in the way was changed")
	}

	writeRandom(t, root, "a.parquet", 2, 1)
	before, _ := os.ReadFile(filepath.Join(root, "a.parquet"))
	if _, err := WriteShard(root, "a.parquet", international(), games); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the name is taken: %v", err)
	}
	if after, _ := os.ReadFile(filepath.Join(root, "a.parquet")); string(after) != string(before) {
		t.Error("a shard was written over")
	}
	for _, name := range []string{"", "a", ".parquet", ".a.parquet", "../a.parquet", "a/b.parquet", "a b.parquet", "a.parquet.tmp"} {
		if _, err := WriteShard(root, name, international(), games); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
	if left, _ := os.ReadDir(root); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

// TestAdvice checks the texts for failures that a test run as root cannot provoke.
func TestAdvice(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{syscall.ENOSPC, "free some space"},
		{syscall.EDQUOT, "free some space"},
		{syscall.EROFS, "read-only"},
		{syscall.EACCES, "change the rights"},
		{syscall.EPERM, "change the rights"},
		{syscall.EIO, syscall.EIO.Error()},
	} {
		err := advise("write", "runs/x/games/a.parquet", &fs.PathError{Op: "open", Path: "runs/x/games/.a.parquet.tmp-1", Err: test.err})
		if !errors.Is(err, test.err) || !strings.HasPrefix(err.Error(), "write runs/x/games/a.parquet: ") || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "tmp-1") {
			t.Errorf("%v: %v", test.err, err)
		}
	}
}
