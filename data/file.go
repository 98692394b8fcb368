package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// tempMark is in the name of every file that is being written: ".NAME.tmp-123".
const tempMark = ".tmp-"

func isTemp(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, tempMark)
}

// writeFile puts content into dir/name so that at any moment either nothing or the whole of it is there:
// temporary name, fsync, rename, fsync of the folder. It refuses to overwrite.
func writeFile(dir, name string, content []byte) (err error) {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("write %s: %w: a shard is never written twice; give it another name", path, fs.ErrExist)
	}
	f, err := os.CreateTemp(dir, "."+name+tempMark+"*")
	if err != nil {
		return advise("write", path, err)
	}
	temp := f.Name()
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	if _, err := f.Write(content); err != nil {
		return advise("write", path, err)
	}
	if err := f.Chmod(0o644); err != nil {
		return advise("write", path, err)
	}
	if err := f.Sync(); err != nil {
		return advise("write", path, err)
	}
	if err := f.Close(); err != nil {
		return advise("write", path, err)
	}
	if err := os.Rename(temp, path); err != nil {
		return advise("write", path, err)
	}
	return syncDir(dir)
}

// syncDir makes names in dir that came or went survive a loss of power. Systems that cannot do it for a
// folder say so with EINVAL or the like, which is no failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return advise("sync", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) {
		return advise("sync", dir, err)
	}
	return nil
}

// advise wraps an error of the file system: what was done, where, what is wrong and what to do.
func advise(what, path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "the disk is full or the quota used up: free some space or lower the disk cap; nothing was written half"
	case errors.Is(err, syscall.EROFS):
		hint = "the file system is read-only: choose a run directory elsewhere"
	case errors.Is(err, fs.ErrPermission):
		hint = "the user running this may not do that: change the rights of the directory, or choose another one"
	case errors.Is(err, syscall.ENOTDIR):
		hint = "a part of that path is a file where a directory is wanted: move it away, or choose another directory"
	case errors.Is(err, fs.ErrNotExist):
		hint = "the directory is not there: create it, or correct its name"
	default:
		return fmt.Errorf("%s %s: %w", what, path, bare(err))
	}
	return fmt.Errorf("%s %s: %w: %s", what, path, bare(err), hint)
}

// bare drops the path that the os package has already put into its errors.
func bare(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
