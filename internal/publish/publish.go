// Package publish writes files that appear completely or not at all.
//
// A [File] is written under a temporary name in its folder, and renamed when it is complete.
// Readers find the old file or the new one, never half of it, also after a loss of power. [Sweep]
// later removes the temporary files of killed writers.
//
// All changes of the folder of a run use this package, so that a drill can replace the [Disk].
package publish

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// temporary ends the name of a file that is being written: ".NAME.123.tmp".
const temporary = ".tmp"

// File is a file that does not have its final name yet.
type File struct {
	disk   Disk
	handle Handle
	name   string
	done   bool
}

// Create begins a file; an existing file with the name stays until Publish. The folder must exist.
// Create refuses to replace a device, a pipe or a folder.
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

// Publish flushes the file to the disk and renames it. After an error call Discard.
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
	f.handle.Close() // closing twice is harmless
	f.disk.Remove(f.handle.Name())
}

// Write writes a file. If write returns an error, Write returns it unchanged and writes nothing.
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

// Sweep removes the temporary files in dir to which nobody has written for the given time, and
// returns their names. It ignores errors of removing one.
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

// IsTemporary reports whether a name is that of a temporary file which [Create] makes for the file
// of, or for any file if of is empty: ".NAME.123.tmp".
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

// Append adds a line to the end of a file, which it makes if necessary, and flushes it to the
// disk. A killed writer leaves at most one incomplete line at the end; the next Append begins on a
// new line.
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

// Rename renames a file within its folder. The caller should call [SyncDir] afterwards.
func Rename(from, to string) error { return diskOf(to).Rename(from, to) }

// Remove removes a file.
func Remove(name string) error { return diskOf(name).Remove(name) }

// MkdirAll makes a folder and its parents, so that their names survive a loss of power.
func MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	d := diskOf(dir)
	above := dir // becomes the first parent that exists
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

// SyncDir makes changes of names in dir survive a loss of power.
func SyncDir(dir string) error { return diskOf(dir).SyncDir(dir) }
