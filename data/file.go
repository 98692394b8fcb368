package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"damier/internal/publish"
)

// writeFile writes content to dir/name, which appears completely or not at all. It does not
// overwrite a file.
func writeFile(dir, name string, content []byte) error {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("write %s: %w: a shard is never written twice; give it another name", path, fs.ErrExist)
	}
	err := publish.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return advise("write", path, err)
	}
	return nil
}

// advise wraps an error of the file system with the operation, the path and what to do about it.
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

// bare removes the path from an error of package os, because advise adds it.
func bare(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
