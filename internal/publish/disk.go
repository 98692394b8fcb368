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

// Disk is the set of operations that write files and change folders of a run. The functions of
// this package use those of the system, unless another Disk is mounted ([Mount]), for example one
// that fails, stops or records the operations. Reading always uses the system.
type Disk interface {
	// Create makes a new file in dir, whose name is the pattern with its star replaced, as
	// [os.CreateTemp] does.
	Create(dir, pattern string) (Handle, error)
	// Append opens a file at its end, and makes it if it does not exist.
	Append(name string) (Handle, error)
	Rename(from, to string) error
	Remove(name string) error
	// MkdirAll makes a folder and its parents.
	MkdirAll(dir string) error
	// SyncDir makes changes of names in dir survive a loss of power.
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
	// Opening a pipe would block.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
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

// SyncDir returns the error of the disk. It ignores the errors of systems that cannot sync a
// folder (EINVAL; access denied on Windows), and of folders that may be written but not read.
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

// mounts are the disks that replace that of the system, by the absolute paths of folders; nil if
// there are none.
var (
	mounting sync.Mutex
	mounts   atomic.Pointer[map[string]Disk]
)

// Mount makes everything that is written in dir and below use another disk, until the returned
// function is called. It is for tests and drills of full disks and losses of power.
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
