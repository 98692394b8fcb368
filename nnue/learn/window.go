package learn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"damier/internal/files"
	"damier/internal/publish"
	"damier/net"
	"damier/rules"
)

// windowFile names the file with the examples of a generation.
const windowFile = "window-%06d.parquet"

// maxWindowFile is the size in bytes, and maxWindowRows the number of rows, from which a file of the window is refused
// unread: more than the largest setting of rows makes.
const (
	maxWindowFile = 1 << 32
	maxWindowRows = 1 << 27
)

// windowGeneration returns the generation of a file of the window, from its name; ok is false for other names.
func windowGeneration(name string) (generation int, ok bool) {
	if _, err := fmt.Sscanf(name, windowFile, &generation); err != nil {
		return 0, false
	}
	return generation, name == fmt.Sprintf(windowFile, generation)
}

// Keys of the metadata of a file of the window.
const (
	keyVariant = "damier.variant" // with its options, as rules.Variant writes itself
	keyRules   = "damier.rules"   // rules.Version: squares are bits as package rules lays them out
)

// row is an example as it lies in a file of the window, without the counters of its position, which no network of this kind
// looks at. The columns of second words are of boards with more than 64 bits.
type row struct {
	White     uint64  `parquet:"white"`
	Black     uint64  `parquet:"black"`
	Kings     uint64  `parquet:"kings"`
	White2    uint32  `parquet:"white_2"`
	Black2    uint32  `parquet:"black_2"`
	Kings2    uint32  `parquet:"kings_2"`
	BlackTurn bool    `parquet:"black_to_move"`
	Score     float32 `parquet:"score"`  // of the search, for the side to move, in [0,1]
	Result    float32 `parquet:"result"` // of the game, likewise: 1, 1/2 or 0
}

func rowOf(x *example) row {
	p := x.position
	white, black, kings := p.Pieces(rules.White), p.Pieces(rules.Black), p.Kings(rules.White).Or(p.Kings(rules.Black))
	return row{
		White: white.Lo, Black: black.Lo, Kings: kings.Lo,
		White2: uint32(white.Hi), Black2: uint32(black.Hi), Kings2: uint32(kings.Hi),
		BlackTurn: p.Turn == rules.Black, Score: x.score, Result: x.result,
	}
}

func (r *row) example() example {
	turn := rules.White
	if r.BlackTurn {
		turn = rules.Black
	}
	set := func(lo uint64, hi uint32) rules.Set { return rules.Set{Lo: lo, Hi: uint16(hi)} }
	p := rules.NewPosition(set(r.White, r.White2), set(r.Black, r.Black2), set(r.Kings, r.Kings2), turn)
	return example{position: p, score: r.Score, result: r.Result}
}

// window is the newest examples of a run, the oldest first, in memory and in a file for each generation.
type window struct {
	dir      string
	variant  *rules.Variant
	examples []example
	parts    []generationFile // the oldest first
	gone     int              // files that somebody else deleted, not told of yet
}

// generationFile is a file of the window.
type generationFile struct{ generation, rows int }

func (w *window) path(generation int) string {
	return filepath.Join(w.dir, fmt.Sprintf(windowFile, generation))
}

// add takes the examples of a generation, writes them, and forgets the oldest beyond most. Their files stay until prune,
// for the checkpoint on disk goes on with them.
func (w *window) add(generation int, examples []example, most int) error {
	w.examples = append(w.examples, examples...)
	w.cut(most)
	if len(examples) == 0 {
		return nil
	}
	rows := make([]row, len(examples))
	for i := range examples {
		rows[i] = rowOf(&examples[i])
	}
	w.parts = append(w.parts, generationFile{generation, len(rows)})
	return publish.Write(w.path(generation), func(to io.Writer) error {
		return parquet.Write(to, rows, parquet.Compression(&parquet.Zstd),
			parquet.KeyValueMetadata(keyVariant, w.variant.String()), parquet.KeyValueMetadata(keyRules, strconv.Itoa(rules.Version)))
	})
}

func (w *window) cut(most int) {
	if old := len(w.examples) - most; old > 0 {
		w.examples = w.examples[:copy(w.examples, w.examples[old:])]
	}
}

// prune removes the files that hold nothing but what is forgotten.
func (w *window) prune() error {
	rows := 0
	for i := len(w.parts) - 1; i >= 0; i-- {
		if rows >= len(w.examples) {
			var err error
			for _, f := range w.parts[:i+1] {
				switch e := os.Remove(w.path(f.generation)); {
				case errors.Is(e, fs.ErrNotExist):
					w.gone++ // somebody has deleted it, and it was to go
				case e != nil:
					err = errors.Join(err, e)
				}
			}
			w.parts = slices.Delete(w.parts, 0, i+1)
			return err
		}
		rows += w.parts[i].rows
	}
	return nil
}

// load reads the window as it was after a generation, at most so many examples. Files of later generations, which a process
// that was killed has left, are removed. That files are missing is no error: the window fills again.
func (w *window) load(generation, most int) error {
	names, err := files.List(w.dir, func(name string) bool {
		_, ok := windowGeneration(name)
		return ok
	})
	if err != nil {
		return err
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := windowGeneration(a)
		y, _ := windowGeneration(b)
		return x - y
	})
	for _, base := range names {
		name := filepath.Join(w.dir, base)
		number, _ := windowGeneration(base)
		if number > generation {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		rows, err := w.read(name)
		if err != nil {
			return err
		}
		w.parts = append(w.parts, generationFile{number, len(rows)})
		for i := range rows {
			w.examples = append(w.examples, rows[i].example())
		}
	}
	w.cut(most)
	return nil
}

// read returns the rows of a file of the window.
func (w *window) read(name string) (rows []row, err error) {
	damaged := func(err error) error {
		return fmt.Errorf("%s: %v; the run goes on without it if you delete it: %w", name, err, net.ErrDamaged)
	}
	f, size, err := files.Open(name, maxWindowFile)
	switch {
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
		return nil, damaged(err)
	case err != nil:
		return nil, err
	}
	defer f.Close()
	defer func() {
		if r := recover(); r != nil { // the Parquet library answers some malformed files with a panic
			rows, err = nil, damaged(fmt.Errorf("its Parquet structure is broken: %v", r))
		}
	}()
	file, err := parquet.OpenFile(f, size)
	if err != nil {
		return nil, damaged(err)
	}
	variant, _ := file.Lookup(keyVariant)
	version, _ := file.Lookup(keyRules)
	if variant != w.variant.String() || version != strconv.Itoa(rules.Version) {
		return nil, fmt.Errorf("%s: of %q, rules %q; the run is of %s, rules %d: %w", name, variant, version, w.variant, rules.Version, net.ErrForeign)
	}
	// A row takes more than a byte, whatever the compression. What the file says is not trusted further: memory is
	// taken for the rows that are read.
	n := file.NumRows()
	if n < 0 || n > size || n > maxWindowRows {
		return nil, damaged(fmt.Errorf("%d rows in %d bytes", n, size))
	}
	r := parquet.NewGenericReader[row](file)
	defer r.Close()
	var chunk [4096]row
	for int64(len(rows)) < n {
		k, err := r.Read(chunk[:min(int64(len(chunk)), n-int64(len(rows)))])
		rows = append(rows, chunk[:k]...)
		if int64(len(rows)) < n && (err != nil || k == 0) {
			return nil, damaged(fmt.Errorf("%d of %d rows: %v", len(rows), n, err))
		}
	}
	return rows, nil
}
