package egdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"damier/rules"
)

// MemoryPieces is the number of pieces up to which [Generate] takes about a second.
const MemoryPieces = 3

// Generate makes the tables of v with up to the given number of pieces in memory. It returns an
// error if they need more than memory bytes, 0 for no limit, or the error of ctx if that is done
// first.
func Generate(ctx context.Context, v *rules.Variant, pieces int, memory uint64) (*Tables, error) {
	t, err := newTables(v)
	if err != nil {
		return nil, err
	}
	if pieces < 2 || pieces > MaxPieces {
		return nil, fmt.Errorf("endgame tables of %d pieces: they have 2 to %d", pieces, MaxPieces)
	}
	need := uint64(0)
	for n := 2; n <= pieces; n++ {
		size, largest, err := t.board.sizes(n)
		if err != nil {
			return nil, err
		}
		need += 2 * size
		if n == pieces {
			need += 4 * largest
		}
	}
	if memory > 0 && need > memory {
		return nil, fmt.Errorf("endgame tables of %s with %d pieces take %d MB of memory, more than the %d MB allowed",
			v, pieces, need>>20, memory>>20)
	}
	return t, t.complete(ctx, pieces)
}

// complete makes the missing tables with up to the given number of pieces in memory.
func (t *Tables) complete(ctx context.Context, pieces int) error {
	for n := 2; n <= pieces; n++ {
		for _, m := range Materials(n) {
			if t.tables[m.id()] != nil {
				continue
			}
			made, err := t.generate(ctx, m, nil)
			if err != nil {
				return err
			}
			for _, x := range made {
				if t.tables[x.index.material.id()] == nil {
					t.add(x)
				}
			}
		}
	}
	return nil
}

// Load returns the tables of v that are available at once: those below dir, as [Open] finds them,
// and missing ones with up to MemoryPieces pieces, which it makes in memory. With an empty dir it
// makes all of these.
func Load(ctx context.Context, dir string, v *rules.Variant, bytes int) (*Tables, error) {
	t, err := newTables(v)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		files, err := Open(dir, v, bytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			t = files
		}
	}
	if err := t.complete(ctx, MemoryPieces); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Need returns the number of positions of v with exactly the given number of pieces, and the bytes
// of memory that a [Builder] needs for the largest pair of their materials.
func Need(v *rules.Variant, pieces int) (positions, memory uint64, err error) {
	if pieces < 2 || pieces > MaxPieces {
		return 0, 0, fmt.Errorf("endgame tables of %d pieces: they have 2 to %d", pieces, MaxPieces)
	}
	b, err := newBoard(v)
	if err != nil {
		return 0, 0, err
	}
	for _, m := range Materials(pieces) {
		x, err := b.index(m)
		if err != nil {
			return 0, 0, err
		}
		need, err := b.memory(m, buildBytes)
		if err != nil {
			return 0, 0, err
		}
		positions += x.size
		memory = max(memory, need)
	}
	return positions, memory, nil
}

// sizes returns the number of positions with exactly the given number of pieces, and that of the
// largest pair of materials.
func (b *board) sizes(pieces int) (all, largest uint64, err error) {
	for _, m := range Materials(pieces) {
		x, err := b.index(m)
		if err != nil {
			return 0, 0, err
		}
		pair := x.size
		if s := m.Swap(); s != m {
			y, err := b.index(s)
			if err != nil {
				return 0, 0, err
			}
			pair += y.size
		}
		all += x.size
		largest = max(largest, pair)
	}
	return all, largest, nil
}
