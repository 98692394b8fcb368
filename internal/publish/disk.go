package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Disk is what files are written with, and all that changes a folder of a run. The functions of this package use the
// system's, unless another is mounted ([Mount]): one that fails, stops or notes what is done. Reading is left to the
// system.
type Disk interface {
	// Create makes a new file in dir, whose name is the pattern with its star replaced, as [os.CreateTemp].
	Create(dir, pattern string) (Handle, error)
	// Append opens a file at its end, and makes it if it is not there.
	Append(name string) (Handle, error)
	Rename(from, to string) error
	Remove(name string) error
	// MkdirAll makes a folder and those that it is in.
	MkdirAll(dir string) error
	// SyncDir makes names in dir that came, went or changed last through a loss of power.
	SyncDir(dir string) error
}

// Handle is an open file of a [Disk].
type Handle interface {
	io.Writer
	io.ReaderAt
	Name() string
	Stat() (os.FileInfo, error)
	Chmod(os.FileMode) error
	Sync() error
	Close() error
}

// System is the disk of the system.
type System struct{}

func (System) Create(dir, pattern string) (Handle, error) { return handle(os.CreateTemp(dir, pattern)) }

func (System) Append(name string) (Handle, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // to open a pipe would block
		return nil, fmt.Errorf("append to %s: it is not a regular file", name)
	}
	return handle(os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644))
}

// handle keeps a nil file from becoming a handle that is not nil.
func handle(f *os.File, err error) (Handle, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (System) Rename(from, to string) error { return os.Rename(from, to) }

func (System) Remove(name string) error { return os.Remove(name) }

func (System) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o755) }

// SyncDir returns an error if the disk has one. A system that cannot do it for a folder says so in one way or another
// (EINVAL; on Windows access is denied), which is no failure. Neither is a folder that may be written and not read.
func (System) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}

// mounts are the disks in the place of the system's, by the absolute paths of folders; nil if there is none.
var (
	mounting sync.Mutex
	mounts   atomic.Pointer[map[string]Disk]
)

// Mount makes everything that is written in dir and below go by another disk, until the function that it returns is
// called. It is for tests and drills, which try what happens when a disk is full or the power goes.
func Mount(dir string, d Disk) (unmount func()) {
	set := func(d Disk) {
		mounting.Lock()
		defer mounting.Unlock()
		all := map[string]Disk{}
		if old := mounts.Load(); old != nil {
			for dir, d := range *old {
				all[dir] = d
			}
		}
		if all[absolute(dir)] = d; d == nil {
			delete(all, absolute(dir))
		}
		if mounts.Store(&all); len(all) == 0 {
			mounts.Store(nil)
		}
	}
	set(d)
	return func() { set(nil) }
}

// diskOf returns the disk of a path.
func diskOf(path string) Disk {
	all := mounts.Load()
	if all == nil {
		return System{}
	}
	path = absolute(path)
	for dir, d := range *all {
		if path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return d
		}
	}
	return System{}
}

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}
