package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// fullDisks trains on a file system in memory that is too small or becomes read-only. Mounting one
// needs root.
type fullDisks struct {
	dir   string
	train string
	n     int
}

func newFullDisks(dir string) *fullDisks { return &fullDisks{dir: filepath.Join(dir, "disk")} }

// canMount reports whether this process may mount a file system.
func canMount() bool {
	dir, err := os.MkdirTemp("", "damier-mount-")
	if err != nil || runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return false
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "damier", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
}

// make returns a size in KB, or 0 for a disk that becomes read-only.
func (d *fullDisks) make(rng *rand.Rand) []byte {
	d.n++
	if d.n%4 == 0 {
		return []byte("0")
	}
	return fmt.Append(nil, 4+rng.IntN(400))
}

// try trains until the disk is full or read-only, makes room, and resumes the run.
func (d *fullDisks) try(ctx context.Context, input []byte) (err error) {
	var size int
	if _, err := fmt.Sscan(string(input), &size); err != nil {
		return err
	}
	if d.train == "" {
		err := os.MkdirAll(d.dir, 0o700)
		if err == nil {
			d.train, err = build(d.dir, "train")
		}
		if err != nil {
			return broken("%v", err)
		}
	}
	mount, err := os.MkdirTemp(d.dir, "mount-")
	if err != nil {
		return broken("%v", err)
	}
	do := func(program string, args ...string) error {
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			return broken("%s: %v: %s", program, err, out)
		}
		return nil
	}
	room := size
	if size == 0 {
		room = 32 << 10
	}
	if err := do("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", room), "damier", mount); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, do("umount", mount)) }()
	run := filepath.Join(mount, "run")
	train := func(generations string) (int, string) {
		args := []string{"--run", run, "--preset", "tiny"}
		for key, value := range quiet {
			if key == "generations" {
				value = generations
			}
			args = append(args, "--set", key+"="+value)
		}
		c := exec.CommandContext(ctx, d.train, args...)
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		if size == 0 && generations == "1000000" {
			go func() {
				for range 100 { // wait until no file is being written
					time.Sleep(300 * time.Millisecond)
					if exec.Command("mount", "-o", "remount,ro", mount).Run() == nil {
						return
					}
				}
			}()
		}
		c.Run()
		return c.ProcessState.ExitCode(), said.String()
	}
	code, said := train("1000000")
	want := "disk is full"
	if size == 0 {
		want = "read-only"
	}
	if code != 1 || !strings.Contains(said, want) {
		return broken("%d KB: exit code %d, and %q is not in\n%s", size, code, want, said)
	}
	if err := do("mount", "-o", "remount,rw,size=64m", mount); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(run, "config.toml")); err == nil {
		if err := do(d.train, "verify", "--run", run); err != nil {
			return fmt.Errorf("%w\nbefore: %s", err, said)
		}
	}
	if code, said := train("1"); code != 0 {
		return broken("%d KB: going on with room: exit code %d\n%s", size, code, said)
	}
	return do(d.train, "verify", "--run", run)
}
