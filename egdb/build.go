package egdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"damier/internal/publish"
	"damier/rules"
)

// DefaultMemory is the memory in bytes that a [Builder] or [Verifier] may use by default.
const DefaultMemory = 2 << 30

// ErrMemory is wrapped by the error for tables that need more memory than is allowed.
var ErrMemory = errors.New("not enough memory allowed")

// Builder makes the files of endgame tables.
type Builder struct {
	Variant *rules.Variant
	Dir     string // folder with a subfolder for each variant
	Pieces  int    // largest number of pieces, 2 to MaxPieces
	Memory  uint64 // bytes that the work may use, 0 for DefaultMemory

	// Progress, if not nil, is called with the finished and the total work of Build, from several
	// goroutines at once.
	Progress func(done, total int64)
	// Made, if not nil, is called with every file that Build has written.
	Made func(Entry)
}

// plan is the work to do.
type plan struct {
	tables *Tables
	files  map[Material]*file // the existing files
	cache  cache
	need   map[Material]uint64 // bytes of memory for the pair of a material
	memory uint64
}

// newPlan lists the existing tables of v in dir, and computes the memory for each pair of
// materials, with the given number of bytes for each of its own positions.
func newPlan(v *rules.Variant, dir string, pieces int, memory, bytes uint64) (*plan, error) {
	if pieces < 2 || pieces > MaxPieces {
		return nil, fmt.Errorf("endgame tables of %d pieces: they have 2 to %d", pieces, MaxPieces)
	}
	t, err := newTables(v)
	if err != nil {
		return nil, err
	}
	if memory == 0 {
		memory = DefaultMemory
	}
	p := &plan{
		tables: t,
		files:  map[Material]*file{},
		cache:  cache{most: pageSize},
		need:   map[Material]uint64{},
		memory: memory,
	}
	for n := 2; n <= pieces; n++ {
		for _, m := range Materials(n) {
			need, err := t.board.memory(m, bytes)
			if err != nil {
				p.close()
				return nil, err
			}
			p.need[m] = need
			f, err := t.board.openFile(fileOf(dir, v, m), m, &p.cache)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				p.close()
				return nil, err
			}
			p.files[m] = f
		}
	}
	return p, nil
}

// enough returns an error if a pair needs more memory than is allowed.
func (p *plan) enough(m Material) error {
	if p.need[m] <= p.memory {
		return nil
	}
	return fmt.Errorf("%w: %s of %s takes %d MB, more than the %d MB given", ErrMemory,
		m, p.tables.board.v, p.need[m]>>20+1, p.memory>>20)
}

func (p *plan) close() {
	for _, f := range p.files {
		f.close()
	}
}

// pair returns m and its swap, once each.
func pair(m Material) []Material {
	if m.Swap() == m {
		return []Material{m}
	}
	return []Material{m, m.Swap()}
}

// memory returns the bytes for the pair of m: the given number for each position, and the values
// of the tables to which its moves lead.
func (b *board) memory(m Material, bytes uint64) (uint64, error) {
	need := uint64(0)
	seen := map[Material]bool{}
	for _, n := range pair(m) {
		x, err := b.index(n)
		if err != nil {
			return 0, err
		}
		need += bytes * x.size
		for _, a := range n.after() {
			if seen[a] {
				continue
			}
			seen[a] = true
			y, err := b.index(a)
			if err != nil {
				return 0, err
			}
			need += 2 * y.size
		}
	}
	return need, nil
}

// load reads the tables to which moves from the pair of m lead into memory, and drops others if
// there is no room.
func (p *plan) load(m Material) error {
	wanted := map[Material]bool{}
	for _, n := range pair(m) {
		for _, a := range n.after() {
			wanted[a] = true
		}
	}
	total := p.need[m]
	for _, x := range p.tables.Materials() {
		if !wanted[x] {
			total += 2 * p.tables.tables[x.id()].index.size
		}
	}
	if total > p.memory {
		for _, x := range p.tables.Materials() {
			if !wanted[x] {
				p.tables.remove(x)
			}
		}
	}
	for a := range wanted {
		if err := p.hold(a); err != nil {
			return err
		}
	}
	return nil
}

// hold reads the table of m into memory if it is not there yet.
func (p *plan) hold(m Material) error {
	if p.tables.tables[m.id()] != nil {
		return nil
	}
	f := p.files[m]
	if f == nil {
		return fmt.Errorf("endgame table %s of %s is needed and not there; build it first", m, p.tables.board.v)
	}
	raw, err := f.all()
	if err != nil {
		return err
	}
	p.tables.add(&table{index: f.index, raw: raw})
	return nil
}

// buildBytes is the memory in bytes for a position while its table is made and compressed.
const buildBytes = cellBytes + 3

// Build makes the missing files, one pair of materials after another. It may be stopped at any
// time, by ctx, whose error it then returns, or by force; the next call continues with the next
// pair. An existing file that is damaged or foreign is an error, and is not changed. Build returns
// an error that wraps ErrMemory before it makes anything.
func (b *Builder) Build(ctx context.Context) error {
	p, err := newPlan(b.Variant, b.Dir, b.Pieces, b.Memory, buildBytes)
	if err != nil {
		return err
	}
	defer p.close()
	var todo []Material
	var total int64
	seen := map[Material]bool{}
	for n := 2; n <= b.Pieces; n++ {
		for _, m := range Materials(n) {
			if seen[m] || p.files[m] != nil && p.files[m.Swap()] != nil {
				continue
			}
			seen[m.Swap()] = true
			if err := p.enough(m); err != nil {
				return err
			}
			todo = append(todo, m)
			total += p.tables.work(m)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	folder := Folder(b.Dir, b.Variant)
	if err := publish.MkdirAll(folder); err != nil {
		return err
	}
	publish.Sweep(folder, time.Hour) // an error is harmless
	before := int64(0)
	for _, m := range todo {
		progress := newCounter(b.Progress, before, total)
		if err := p.load(m); err != nil {
			return err
		}
		made, err := p.tables.generate(ctx, m, progress.add)
		if err != nil {
			return err
		}
		for _, x := range made {
			if err := b.write(p, x); err != nil {
				return err
			}
			p.tables.add(x)
		}
		before += p.tables.work(m)
		progress.set(before)
	}
	return nil
}

// work returns the units of work of a pair: each cell counts when it is first visited and when its
// value is known.
func (t *Tables) work(m Material) int64 {
	n := int64(0)
	for _, m := range pair(m) {
		if x, err := t.board.index(m); err == nil {
			n += 2 * int64(x.size)
		}
	}
	return n
}

// write writes the file of a table. If the file already exists with the same content, it stays.
func (b *Builder) write(p *plan, x *table) error {
	m := x.index.material
	if p.files[m] != nil {
		return nil
	}
	name := fileOf(b.Dir, b.Variant, m)
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s: it was not there when the build began; another build is at work in the folder", name)
	}
	err := publish.Write(name, func(w io.Writer) error { return encodeTable(w, x.index, x.raw) })
	if err != nil {
		return err
	}
	f, err := p.tables.board.openFile(name, m, &p.cache)
	if err != nil {
		return err
	}
	p.files[m] = f
	if b.Made != nil {
		b.Made(entry(name))
	}
	return nil
}
