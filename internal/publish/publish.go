// Package publish writes files that are there whole or not at all.
//
// A [File] is written under a temporary name in the folder of its own, and gets that name when it is done. Whoever looks
// finds the file as it was or as it is, never half of it, also after a loss of power. What a killed writer leaves is swept
// away later ([Sweep]).
//
// All that changes the folder of a run goes through this package, so that a drill can put a [Disk] of its own there.
package publish

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// temporary is the end of the name of a file that is being written: ".NAME.123.tmp".
const temporary = ".tmp"

// File is a file that has not got its name yet.
type File struct {
	disk   Disk
	handle Handle
	name   string
	done   bool
}

// Create begins a file; what has the name stays until Publish. The folder must be there. A device, a pipe or a folder is
// not replaced.
func Create(name string) (*File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("write %s: it is not a regular file, and is not replaced; give another name", name)
	}
	d := diskOf(name)
	h, err := d.Create(filepath.Dir(name), "."+filepath.Base(name)+".*"+temporary)
	if err != nil {
		return nil, err
	}
	return &File{disk: d, handle: h, name: name}, nil
}

// Write adds to the file.
func (f *File) Write(b []byte) (int, error) { return f.handle.Write(b) }

// Publish flushes the file to the disk and gives it its name. After an error it is to be discarded.
func (f *File) Publish() error {
	if err := f.handle.Chmod(0o644); err != nil {
		return err
	}
	if err := f.handle.Sync(); err != nil {
		return err
	}
	if err := f.handle.Close(); err != nil {
		return err
	}
	if err := f.disk.Rename(f.handle.Name(), f.name); err != nil {
		return err
	}
	f.done = true
	return f.disk.SyncDir(filepath.Dir(f.name))
}

// Discard removes the file, unless it was published.
func (f *File) Discard() {
	if f.done {
		return
	}
	f.handle.Close() // a second time does no harm
	f.disk.Remove(f.handle.Name())
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
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age && Remove(filepath.Join(dir, e.Name())) == nil {
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

// Append adds a whole line to the end of a file, which it makes if need be, and flushes it to the disk. A killed writer
// leaves at most one broken line, at the end; what comes later begins on a line of its own.
func Append(name string, line []byte) error {
	f, err := diskOf(name).Append(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text := append(append([]byte{}, line...), '\n')
	if s, err := f.Stat(); err == nil && s.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], s.Size()-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}

// Rename gives a file another name in its folder, which is to be synchronised afterwards ([SyncDir]).
func Rename(from, to string) error { return diskOf(to).Rename(from, to) }

// Remove removes a file.
func Remove(name string) error { return diskOf(name).Remove(name) }

// MkdirAll makes a folder and those that it is in, and makes their names last through a loss of power.
func MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	d := diskOf(dir)
	above := dir // the first folder that is there already
	for parent := filepath.Dir(above); parent != above; parent = filepath.Dir(above) {
		above = parent
		if _, err := os.Stat(above); err == nil {
			break
		}
	}
	if err := d.MkdirAll(dir); err != nil {
		return err
	}
	for at := filepath.Dir(filepath.Clean(dir)); ; at = filepath.Dir(at) {
		if err := diskOf(at).SyncDir(at); err != nil {
			return err
		}
		if len(at) <= len(filepath.Clean(above)) {
			return nil
		}
	}
}

// SyncDir makes names in dir that came, went or changed last through a loss of power.
func SyncDir(dir string) error { return diskOf(dir).SyncDir(dir) }
