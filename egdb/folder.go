package egdb

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"damier/internal/files"
	"damier/rules"
)

// extension is the extension of the file of a table; the name before it is the material.
const extension = ".egdb"

// Folder returns the subfolder of dir for the tables of v. Its name is that of v with the options
// that differ from their defaults.
func Folder(dir string, v *rules.Variant) string {
	name := v.Name
	usual, err := rules.Lookup(v.Name, nil)
	for _, o := range slices.Sorted(maps.Keys(v.Options)) {
		if err != nil || usual.Options[o] != v.Options[o] {
			name += "+" + o + "=" + v.Options[o]
		}
	}
	return filepath.Join(dir, name)
}

// fileOf returns the path of the file of m.
func fileOf(dir string, v *rules.Variant, m Material) string {
	return filepath.Join(Folder(dir, v), m.String()+extension)
}

// DefaultCache is the default memory in bytes for pages of files.
const DefaultCache = 256 << 20

// Open opens all tables of v below dir. It keeps pages that probes read in memory, up to the given
// number of bytes, 0 for DefaultCache. If there is no file it returns an error that wraps
// fs.ErrNotExist; if a file is damaged or of other rules, one that wraps ErrDamaged or ErrForeign.
// A page is checked when a probe first reads it, see [Tables.Err].
func Open(dir string, v *rules.Variant, bytes int) (*Tables, error) {
	t, err := newTables(v)
	if err != nil {
		return nil, err
	}
	if bytes <= 0 {
		bytes = DefaultCache
	}
	c := &cache{most: bytes}
	for n := 2; n <= MaxPieces; n++ {
		for _, m := range Materials(n) {
			f, err := t.board.openFile(fileOf(dir, v, m), m, c)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				t.Close()
				return nil, err
			}
			t.add(&table{index: f.index, file: f})
		}
	}
	if t.most == 0 {
		return nil, fmt.Errorf("no endgame tables of %s in %s: %w", v, Folder(dir, v), fs.ErrNotExist)
	}
	return t, nil
}

// Close closes the files. Do not probe the tables afterwards.
func (t *Tables) Close() error {
	var errs []error
	for i, x := range t.tables {
		if x != nil && x.file != nil {
			errs = append(errs, x.file.close())
			t.tables[i] = nil
		}
	}
	return errors.Join(errs...)
}

// Entry is the file of a table in a folder.
type Entry struct {
	File   string
	Bytes  int64
	Header Header // zero if Err is not nil
	Err    error  // the reason why it cannot be read
}

// List returns the tables of all variants below dir, by the names of their files. For a folder
// that does not exist it returns none.
func List(dir string) ([]Entry, error) {
	var all []Entry
	folders, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, d.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.Type().IsRegular() && strings.HasSuffix(f.Name(), extension) {
				all = append(all, entry(filepath.Join(dir, d.Name(), f.Name())))
			}
		}
	}
	return all, nil
}

func entry(name string) Entry {
	e := Entry{File: name}
	in, _, err := files.Open(name, math.MaxInt64)
	if err != nil {
		e.Err = err
		return e
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil {
		e.Bytes = info.Size()
	}
	if e.Header, _, err = readHeader(in); err != nil {
		e.Header, e.Err = Header{}, fmt.Errorf("%s: %w", name, err)
	}
	return e
}
