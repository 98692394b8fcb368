package learn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"damier/internal/publish"
	"damier/net"
	"damier/rules"
)

// windowFile names the file with the examples of a generation, and windowFiles matches all such names.
const (
	windowFile  = "window-%06d.parquet"
	windowFiles = "window-*.parquet"
)

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
	files    []generationFile // the oldest first
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
	w.files = append(w.files, generationFile{generation, len(rows)})
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
	for i := len(w.files) - 1; i >= 0; i-- {
		if rows >= len(w.examples) {
			var err error
			for _, f := range w.files[:i+1] {
				err = errors.Join(err, os.Remove(w.path(f.generation)))
			}
			w.files = slices.Delete(w.files, 0, i+1)
			return err
		}
		rows += w.files[i].rows
	}
	return nil
}

// load reads the window as it was after a generation, at most so many examples. Files of later generations, which a process
// that was killed has left, are removed. That files are missing is no error: the window fills again.
func (w *window) load(generation, most int) error {
	names, err := filepath.Glob(filepath.Join(w.dir, windowFiles))
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(name), windowFile, &number); err != nil {
			continue // no file of ours
		}
		if number > generation {
			if err := os.Remove(name); err != nil {
				return err
			}
			continue
		}
		rows, err := w.read(name)
		if err != nil {
			return err
		}
		w.files = append(w.files, generationFile{number, len(rows)})
		for i := range rows {
			w.examples = append(w.examples, rows[i].example())
		}
	}
	w.cut(most)
	return nil
}

// read returns the rows of a file of the window.
func (w *window) read(name string) ([]row, error) {
	damaged := func(err error) error {
		return fmt.Errorf("%s: %v; the run goes on without it if you delete it: %w", name, err, net.ErrDamaged)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, damaged(err)
	}
	variant, _ := file.Lookup(keyVariant)
	version, _ := file.Lookup(keyRules)
	if variant != w.variant.String() || version != strconv.Itoa(rules.Version) {
		return nil, fmt.Errorf("%s: of %q, rules %q; the run is of %s, rules %d: %w", name, variant, version, w.variant, rules.Version, net.ErrForeign)
	}
	rows := make([]row, file.NumRows())
	r := parquet.NewGenericReader[row](file)
	defer r.Close()
	if n, err := r.Read(rows); n < len(rows) {
		return nil, damaged(fmt.Errorf("%d of %d rows: %v", n, len(rows), err))
	}
	return rows, nil
}
