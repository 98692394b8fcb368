package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"damier/internal/publish"
)

// left returns the contents of the files that remain if the trace ops stops with the loss l.
func left(t *testing.T, ops []op, l loss, seed uint64) map[string]string {
	t.Helper()
	disk := newImage()
	for _, o := range ops {
		disk.apply(o)
	}
	dir := t.TempDir()
	names, err := disk.write(dir, l, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// Replaying a trace gives the files that were written. Data that was not flushed is lost in a
// power failure.
func TestTrace(t *testing.T) {
	root := t.TempDir()
	disk := newTrace(root)
	defer publish.Mount(root, disk)()
	name := filepath.Join(root, "a", "f")
	write := func(text string) {
		if err := publish.Write(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if err := publish.MkdirAll(filepath.Dir(name)); err != nil {
		t.Fatal(err)
	}
	write("old")
	whole := len(disk.ops)
	write("new")
	for at := whole; at <= len(disk.ops); at++ {
		for _, l := range losses {
			for seed := range uint64(20) {
				got := left(t, disk.ops[:at], l, seed)["a/f"]
				// The last but one operation renames the file; the last one flushes the folder, so
				// the name survives.
				switch {
				case at == len(disk.ops) && got != "new", at < len(disk.ops)-1 && got != "old", got != "old" && got != "new":
					t.Errorf("%s after %d of %d operations: %q", l, at-whole, len(disk.ops)-whole, got)
				case at == len(disk.ops)-1 && (l == killed && got != "new" || l == strict && got != "old"):
					t.Errorf("%s before the folder is flushed: %q", l, got)
				}
			}
		}
	}
}

// The drill detects a program that does not flush, or flushes too late.
func TestTraceFindsWhatIsNotFlushed(t *testing.T) {
	forgot := []op{
		{kind: opCreate, path: "tmp", file: 1}, {kind: opWrite, file: 1, data: []byte("text")},
		{kind: opRename, path: "tmp", to: "f"}, {kind: opSyncDir, path: "."},
	}
	if got, ok := left(t, forgot, strict, 0)["f"]; !ok || got != "" {
		t.Errorf("a file without a flush: %q, %v", got, ok)
	}
	different := map[string]bool{}
	for seed := range uint64(200) {
		different[left(t, forgot, random, seed)["f"]] = true
	}
	if !different["te"] || !different["te\x00\x00"] || !different["text"] || !different[""] {
		t.Errorf("contents without a flush: %v", different)
	}
	flushed := append(forgot[:2:2], op{kind: opSync, file: 1}, forgot[2])
	if got := left(t, flushed, strict, 0); len(got) != 0 {
		t.Errorf("a name without a flush: %q", got)
	}
}

// TestCrashes resumes a run after some of the moments at which it may stop, and after faults. The
// drill itself tries all moments.
func TestCrashes(t *testing.T) {
	c := newCrashes(t.TempDir())
	if err := c.try(t.Context(), []byte("0 0 0")); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if err := c.try(t.Context(), fmt.Appendf(nil, "%d %d %d", (i+1)*len(c.trace.ops)/12, i%len(losses), i)); err != nil {
			t.Error(err)
		}
	}
	kinds := map[opKind]bool{}
	for _, o := range c.trace.ops {
		kinds[o.kind] = true
	}
	for _, k := range []opKind{opCreate, opWrite, opSync, opRename, opRemove, opMkdir, opSyncDir} {
		if !kinds[k] {
			t.Errorf("the run does no %s", k)
		}
	}
}
