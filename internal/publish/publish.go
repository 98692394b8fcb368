// Package publish writes files that are there whole or not at all.
//
// A [File] is written under a temporary name in the folder of its own, and gets that name when it is done. Whoever looks
// finds the file as it was or as it is, never half of it, also after a loss of power. What a killed writer leaves is swept
// away later ([Sweep]).
package publish

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// temporary is the end of the name of a file that is being written: ".NAME.123.tmp".
const temporary = ".tmp"

// File is a file that has not got its name yet.
type File struct {
	*os.File
	name string
	done bool
}

// Create begins a file; what has the name stays until Publish. The folder must be there.
func Create(name string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*"+temporary)
	if err != nil {
		return nil, err
	}
	return &File{File: f, name: name}, nil
}

// Publish flushes the file to the disk and gives it its name. After an error it is to be discarded.
func (f *File) Publish() error {
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.File.Name(), f.name); err != nil {
		return err
	}
	f.done = true
	return SyncDir(filepath.Dir(f.name))
}

// Discard removes the file, unless it was published.
func (f *File) Discard() {
	if f.done {
		return
	}
	f.Close() // a second time does no harm
	os.Remove(f.File.Name())
}

// Write writes a file. The error of write is returned as it is, and nothing is written then.
func Write(name string, write func(io.Writer) error) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Publish()
}

// Sweep removes the temporary files in dir that nobody has written to for so long, which killed writers have left, and
// returns their names. One that will not go stays.
func Sweep(dir string, age time.Duration) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsTemporary(e.Name(), "") {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age && os.Remove(filepath.Join(dir, e.Name())) == nil {
			gone = append(gone, e.Name())
		}
	}
	return gone, nil
}

// IsTemporary reports whether a file of that name is one that [Create] makes for the file called of, or for any file
// if of is empty: ".NAME.123.tmp".
func IsTemporary(name, of string) bool {
	rest, ok := strings.CutSuffix(name, temporary)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 2 || rest[0] != '.' || dot == len(rest)-1 {
		return false
	}
	for _, c := range rest[dot+1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return of == "" || rest[1:dot] == of
}

// SyncDir makes names in dir that came, went or changed last through a loss of power. A system that cannot do it for a folder
// says so in one way or another (EINVAL; on Windows access is denied), which is no failure.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
