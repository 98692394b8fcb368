package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"damier/internal/publish"
	"damier/learner"
	"damier/learner/settings"
)

// faulty is a disk whose operations fail from some point on.
type faulty struct {
	publish.System
	kind string
	// Number of operations before the fault; bytes for "full"; operations that take room for
	// "quota".
	after int

	mu     sync.Mutex
	done   int
	failed int // number of failed operations
}

// faults are the kinds of faults with their errors: one failure; failures from then on; a limit of
// bytes; or a limit of operations that take room, because small files would seldom meet a limit of
// bytes.
var faults = map[string]error{
	"once": syscall.EIO, "dies": syscall.EIO, "read-only": syscall.EROFS, "denied": os.ErrPermission, "full": syscall.ENOSPC, "quota": syscall.EDQUOT,
}

// full reports whether the fault is a lack of room; then only operations that take room fail.
func (f *faulty) full() bool { return f.kind == "full" || f.kind == "quota" }

// step counts an operation that takes the given number of bytes. It returns how many of them there
// is room for, and the error.
func (f *faulty) step(room int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	have := room
	switch {
	case !f.full():
		f.done++
		if f.done <= f.after || f.kind == "once" && f.done > f.after+1 {
			return room, nil
		}
		have = room / 2
	case room == 0:
		return 0, nil
	case f.kind == "quota":
		f.done++
		if f.done <= f.after {
			return room, nil
		}
		have = room / 2
	default:
		have = min(room, max(f.after-f.done, 0))
		if f.done += have; have == room {
			return room, nil
		}
	}
	f.failed++
	return have, faults[f.kind]
}

func (f *faulty) open(h publish.Handle, err error) (publish.Handle, error) {
	if err != nil {
		return nil, err
	}
	return &faultyHandle{h, f}, nil
}

// entry is the room in bytes for a name.
const entry = 64

func (f *faulty) Create(dir, pattern string) (publish.Handle, error) {
	if _, err := f.step(entry); err != nil {
		return nil, &os.PathError{Op: "open", Path: filepath.Join(dir, pattern), Err: err}
	}
	return f.open(f.System.Create(dir, pattern))
}

func (f *faulty) Append(name string) (publish.Handle, error) {
	if _, err := f.step(0); err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return f.open(f.System.Append(name))
}

func (f *faulty) Rename(from, to string) error {
	if _, err := f.step(0); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return f.System.Rename(from, to)
}

func (f *faulty) Remove(name string) error {
	if _, err := f.step(0); err != nil {
		return &os.PathError{Op: "remove", Path: name, Err: err}
	}
	return f.System.Remove(name)
}

func (f *faulty) MkdirAll(dir string) error {
	if _, err := f.step(entry); err != nil {
		return &os.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	return f.System.MkdirAll(dir)
}

func (f *faulty) SyncDir(dir string) error {
	if _, err := f.step(0); err != nil {
		return &os.PathError{Op: "sync", Path: dir, Err: err}
	}
	return f.System.SyncDir(dir)
}

type faultyHandle struct {
	publish.Handle
	f *faulty
}

func (h *faultyHandle) Write(b []byte) (int, error) {
	have, err := h.f.step(len(b))
	if err == nil {
		return h.Handle.Write(b)
	}
	n, _ := h.Handle.Write(b[:have])
	return n, &os.PathError{Op: "write", Path: h.Name(), Err: err}
}

func (h *faultyHandle) Sync() error {
	if _, err := h.f.step(0); err != nil {
		return &os.PathError{Op: "sync", Path: h.Name(), Err: err}
	}
	return h.Handle.Sync()
}

// failing runs trainings on disks that fail.
type failing struct {
	dir     string
	n       int
	ops     int // number of operations of a whole run
	bytes   int
	takes   int // number of operations that take room
	sources settings.Sources
}

func newFailing(dir string) *failing {
	return &failing{dir: filepath.Join(dir, "failing"), sources: quietSources(map[string]string{"generations": "2", "evaluation.every": "0"})}
}

// make returns the next fault.
func (f *failing) make(rng *rand.Rand) []byte {
	kinds := []string{"once", "dies", "full", "read-only", "denied", "quota"}
	kind := kinds[f.n%len(kinds)]
	f.n++
	many := f.ops
	switch kind {
	case "full":
		return fmt.Appendf(nil, "%s %d", kind, rng.IntN(max(f.bytes, 1)))
	case "quota":
		many = f.takes
	}
	// Every operation must get its turn: the step has no common divisor with their number.
	return fmt.Appendf(nil, "%s %d", kind, (f.n/len(kinds)*37+rng.IntN(2))%max(many, 1))
}

// try lets a run meet a fault, repairs the disk and resumes the run.
func (f *failing) try(ctx context.Context, input []byte) error {
	if f.ops == 0 { // measure a whole run
		whole := &faulty{kind: "once", after: 1 << 30}
		room := &faulty{kind: "full", after: 1 << 40}
		quota := &faulty{kind: "quota", after: 1 << 30}
		for i, d := range []*faulty{whole, room, quota} {
			dir := filepath.Join(f.dir, fmt.Sprint("whole", i))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return broken("%v", err)
			}
			unmount := publish.Mount(dir, d)
			said, err := session(context.WithoutCancel(ctx), filepath.Join(dir, "run"), f.sources)
			unmount()
			if err != nil {
				return broken("a run without faults: %v\n%s", err, said)
			}
		}
		f.ops, f.bytes, f.takes = whole.done, room.done, quota.done
	}
	d := &faulty{}
	if _, err := fmt.Sscan(string(input), &d.kind, &d.after); err != nil || faults[d.kind] == nil {
		return errors.New("an input is a kind of fault and the number of operations, or bytes, before it")
	}
	dir := filepath.Join(f.dir, "tried")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return broken("%v", err)
	}
	run := filepath.Join(dir, "run")
	unmount := publish.Mount(dir, d)
	said, failed := session(ctx, run, f.sources)
	unmount()
	if d.failed > 0 && d.kind != "once" && failed == nil {
		return broken("%s: the run ended well, though %d operations failed\n%s", input, d.failed, said)
	}
	if failed != nil && d.failed == 0 {
		return broken("%s: nothing failed, and the run ended with: %v\n%s", input, failed, said)
	}
	if failed != nil && !errors.Is(failed, faults[d.kind]) {
		return broken("%s: the error is of another kind: %v", input, failed)
	}
	if failed != nil && d.full() && !strings.Contains(failed.Error(), "disk is full") {
		return broken("%s: the error does not say what to do: %v", input, failed)
	}
	if !learner.IsRun(run) {
		if err := takeUp(ctx, run, f.sources); err != nil {
			return broken("%s: %v; it had failed with: %v", input, err, failed)
		}
		return failed
	}
	var out bytes.Buffer
	err := learner.Verify(ctx, run, method, &out)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // config.toml is the second file of a run
		return broken("%s: verify: %v; it had failed with: %v", input, err, failed)
	}
	if said, err := session(ctx, run, f.sources); err != nil {
		return broken("%s: going on: %v\n%s", input, err, said)
	}
	if err := learner.Verify(ctx, run, method, &out); err != nil {
		return broken("%s: verify after going on: %v", input, err)
	}
	return failed
}
