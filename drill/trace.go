package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"damier/internal/publish"
)

// op is one thing that was done to a disk. Paths are relative to the folder that is traced.
type op struct {
	kind opKind
	path string
	to   string // of a rename
	file int    // number of the file, whatever its name is
	data []byte // written
}

type opKind string

const (
	opCreate  opKind = "create"
	opWrite   opKind = "write"
	opSync    opKind = "fsync"
	opRename  opKind = "rename"
	opRemove  opKind = "remove"
	opMkdir   opKind = "mkdir"
	opSyncDir opKind = "fsync of a folder"
)

// trace is a [publish.Disk] that does what it is told and notes it.
type trace struct {
	publish.System
	root string

	mu    sync.Mutex
	ops   []op
	files int
	names map[string]int // the file of each name
}

func newTrace(root string) *trace { return &trace{root: root, names: map[string]int{}} }

func (t *trace) relative(path string) string {
	r, err := filepath.Rel(t.root, path)
	if err != nil {
		panic(err)
	}
	return r
}

// open notes a file, new or not.
func (t *trace) open(h publish.Handle, err error) (publish.Handle, error) {
	if err != nil {
		return nil, err
	}
	path := t.relative(h.Name())
	n, known := t.names[path]
	if !known {
		t.files++
		n = t.files
		t.names[path] = n
		t.ops = append(t.ops, op{kind: opCreate, path: path, file: n})
	}
	return &traced{Handle: h, t: t, file: n, path: path}, nil
}

func (t *trace) Create(dir, pattern string) (publish.Handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open(t.System.Create(dir, pattern))
}

func (t *trace) Append(name string) (publish.Handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open(t.System.Append(name))
}

// note notes what has been done, unless it failed.
func (t *trace) note(o op, err error) error {
	if err == nil {
		t.ops = append(t.ops, o)
	}
	return err
}

func (t *trace) Rename(from, to string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := op{kind: opRename, path: t.relative(from), to: t.relative(to)}
	err := t.note(o, t.System.Rename(from, to))
	if err == nil {
		t.names[o.to] = t.names[o.path]
		delete(t.names, o.path)
	}
	return err
}

func (t *trace) Remove(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, t.relative(name))
	return t.note(op{kind: opRemove, path: t.relative(name)}, t.System.Remove(name))
}

func (t *trace) MkdirAll(dir string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.note(op{kind: opMkdir, path: t.relative(dir)}, t.System.MkdirAll(dir))
}

func (t *trace) SyncDir(dir string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.note(op{kind: opSyncDir, path: t.relative(dir)}, t.System.SyncDir(dir))
}

// traced is an open file of a trace.
type traced struct {
	publish.Handle
	t    *trace
	file int
	path string
}

func (h *traced) Write(b []byte) (int, error) {
	h.t.mu.Lock()
	defer h.t.mu.Unlock()
	n, err := h.Handle.Write(b)
	h.t.ops = append(h.t.ops, op{kind: opWrite, path: h.path, file: h.file, data: append([]byte(nil), b[:n]...)})
	return n, err
}

func (h *traced) Sync() error {
	h.t.mu.Lock()
	defer h.t.mu.Unlock()
	return h.t.note(op{kind: opSync, path: h.path, file: h.file}, h.Handle.Sync())
}

// image is the state of a disk: what programs see, and what a loss of power leaves.
type image struct {
	files   map[int]*content
	folders map[string]*folder
}

type content struct {
	live    []byte
	durable int // bytes of it that were flushed
}

// folder has the files of names; folderEntry stands for a folder.
type folder struct {
	live, durable map[string]int
	pending       []change // since it was last flushed
}

const folderEntry = -1

// change is a change of a folder, whole or not at all. A file of 0 is none.
type change []struct {
	name string
	file int
}

func newImage() *image {
	return &image{files: map[int]*content{}, folders: map[string]*folder{".": {live: map[string]int{}, durable: map[string]int{}}}}
}

func (c change) apply(names map[string]int) {
	for _, e := range c {
		if e.file == 0 {
			delete(names, e.name)
		} else {
			names[e.name] = e.file
		}
	}
}

func (i *image) change(dir string, c change) {
	f := i.folders[dir]
	c.apply(f.live)
	f.pending = append(f.pending, c)
}

func (i *image) apply(o op) {
	dir, name := filepath.Dir(o.path), filepath.Base(o.path)
	switch o.kind {
	case opCreate:
		i.files[o.file] = &content{}
		i.change(dir, change{{name, o.file}})
	case opWrite:
		i.files[o.file].live = append(i.files[o.file].live, o.data...)
	case opSync:
		i.files[o.file].durable = len(i.files[o.file].live)
	case opRename: // within one folder
		i.change(dir, change{{name, 0}, {filepath.Base(o.to), i.folders[dir].live[name]}})
	case opRemove:
		i.change(dir, change{{name, 0}})
	case opMkdir:
		i.mkdir(o.path)
	case opSyncDir:
		f := i.folders[o.path]
		if f == nil { // above what is traced
			return
		}
		f.pending = nil
		f.durable = map[string]int{}
		for name, file := range f.live {
			f.durable[name] = file
		}
	}
}

func (i *image) mkdir(path string) {
	if i.folders[path] != nil {
		return
	}
	i.mkdir(filepath.Dir(path))
	i.folders[path] = &folder{live: map[string]int{}, durable: map[string]int{}}
	i.change(filepath.Dir(path), change{{filepath.Base(path), folderEntry}})
}

// loss is how a program comes to its end.
type loss string

const (
	// killed: what it has done is there.
	killed loss = "killed"
	// torn: and half of what it was about to write.
	torn loss = "killed in a write"
	// strict: what was not flushed is gone, names and contents.
	strict loss = "power lost"
	// random: of what was not flushed some is there. A folder has its changes up to one of them; a
	// file has more of its bytes, or zeros in their place.
	random loss = "power lost, some of it written"
)

var losses = []loss{killed, torn, strict, random}

// write lays the image out in a folder as the loss leaves it, and returns the names of its files.
func (i *image) write(dir string, l loss, rng *rand.Rand) (map[string]int, error) {
	all := map[string]int{}
	return all, i.writeFolder(dir, ".", l, rng, all)
}

func (i *image) writeFolder(dir, path string, l loss, rng *rand.Rand, all map[string]int) error {
	if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
		return err
	}
	f := i.folders[path]
	names := f.live
	if l == strict || l == random {
		names = map[string]int{}
		for name, file := range f.durable {
			names[name] = file
		}
		if l == random {
			for _, c := range f.pending[:rng.IntN(len(f.pending)+1)] {
				c.apply(names)
			}
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	for _, name := range sorted {
		at := filepath.Join(path, name)
		if names[name] == folderEntry {
			if err := i.writeFolder(dir, at, l, rng, all); err != nil {
				return err
			}
			continue
		}
		all[at] = names[name]
		c := i.files[names[name]]
		text := c.live
		switch l {
		case strict:
			text = text[:c.durable]
		case random:
			end := c.durable + rng.IntN(len(text)-c.durable+1)
			text = append([]byte(nil), text[:end]...)
			if rng.IntN(3) == 0 {
				text = append(text, make([]byte, len(c.live)-end)...)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, at), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
