package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is wrapped by the error for a path that is neither a regular file nor a link to
// one.
var ErrNotRegular = errors.New("it is not a regular file")

// ErrTooLarge is wrapped by the error for a file with more bytes than the caller can use.
var ErrTooLarge = errors.New("it is too large")

// Open opens a regular file of at most max bytes and returns its size. Other errors are the file
// system's.
func Open(path string, max int64) (*os.File, int64, error) {
	// Stat first, because opening a FIFO blocks until somebody writes to it, and opening a device
	// may have side effects.
	info, err := os.Stat(path)
	if err != nil {
		var e *fs.PathError
		if errors.As(err, &e) {
			e.Op = "open" // what the caller asked for
		}
		return nil, 0, err
	}
	if err := check(path, info, max); err != nil {
		return nil, 0, err
	}
	// The file may have been replaced since.
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

// Free returns an error, which wraps [ErrNotRegular], if something other than a regular file has
// the path. Opening it, to lock it or to append to it, could block for ever.
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

// kind returns the kind of a file that is not regular.
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

// Read returns the content of a regular file of at most max bytes, even if the file grows during
// the call.
func Read(path string, max int64) ([]byte, error) {
	f, size, err := Open(path, max)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content := make([]byte, size)
	n, err := io.ReadFull(f, content)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // the file has become shorter
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content[:n], nil
}

// List returns the names in a folder that wanted accepts and that are not folders, in lexical
// order. It reads the folder, so its path may contain any character. [Open] checks the files.
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
