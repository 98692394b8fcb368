package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is wrapped by the error for a path that is no regular file, nor a link to one.
var ErrNotRegular = errors.New("it is not a regular file")

// ErrTooLarge is wrapped by the error for a file of more bytes than the caller can use.
var ErrTooLarge = errors.New("it is too large")

// Open opens a regular file of at most max bytes and returns its size. Other errors are the file system's.
func Open(path string, max int64) (*os.File, int64, error) {
	// Stat first: to open a FIFO blocks until somebody writes to it, and to open a device may do anything.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := check(path, info, max); err != nil {
		return nil, 0, err
	}
	// It may have been exchanged since.
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(path, info, max)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Free reports whether a path is one that a regular file has, or none yet: to open anything else, in order to lock it or to
// add to it, may block for ever. The error wraps [ErrNotRegular].
func Free(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s: %w but %s", path, ErrNotRegular, kind(info.Mode()))
}

func check(path string, info fs.FileInfo, max int64) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("read %s: %w but %s", path, ErrNotRegular, kind(info.Mode()))
	case info.Size() > max:
		return fmt.Errorf("read %s: %w: %d bytes, and at most %d are read", path, ErrTooLarge, info.Size(), max)
	}
	return nil
}

// kind names what is no regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// Read returns the content of a regular file of at most max bytes, also if it grows meanwhile.
func Read(path string, max int64) ([]byte, error) {
	f, size, err := Open(path, max)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content := make([]byte, size)
	n, err := io.ReadFull(f, content)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // it has become shorter
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content[:n], nil
}

// List returns the names in a folder that wanted accepts and that are no folders, in lexical order. The folder is
// read, so that its path may contain any character. What the names stand for is for [Open] to judge.
func List(dir string, wanted func(name string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && wanted(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
