package data

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/parquet-go/parquet-go"

	"damier/internal/files"
)

// gameIDs maps the hash of every game's id to the name of its shard.
type gameIDs map[[16]byte]string

func (g gameIDs) add(ids []string, shard string) {
	for _, id := range ids {
		g[hashID(id)] = shard
	}
}

// hashID returns 128 bits of an id, enough that two different ids never collide by chance.
func hashID(id string) (sum [16]byte) {
	h := fnv.New128a()
	io.WriteString(h, id)
	h.Sum(sum[:0])
	return sum
}

// gameColumn is the column of a shard that holds the ids of the games.
type gameColumn struct {
	Game string `parquet:"game,dict"`
}

// GameIDs returns the ids of the games of a shard, each once, in their order. It reads their
// column only and checks nothing else. Errors wrap [ErrDamaged] or [ErrForeign], or are those of
// the file system.
func GameIDs(path string) (ids []string, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on some malformed files
			ids, err = nil, fmt.Errorf("read %s: %w: its Parquet structure is broken: %v", path, ErrDamaged, r)
		}
	}()
	f, size, err := files.Open(path, maxShard)
	switch {
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	case err != nil:
		return nil, advise("read", path, err)
	}
	defer f.Close()
	file, err := parquet.OpenFile(f, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", path, ErrDamaged, err)
	}
	n := file.NumRows()
	r := parquet.NewGenericReader[gameColumn](file)
	defer r.Close()
	var rows [512]gameColumn
	for got := int64(0); got < n; {
		k, err := r.Read(rows[:])
		for _, row := range rows[:k] {
			if len(ids) == 0 || ids[len(ids)-1] != row.Game {
				ids = append(ids, row.Game)
			}
		}
		got += int64(k)
		if got < n && (err != nil || k == 0) {
			return nil, fmt.Errorf("read %s: %w: row %d of %d: %v", path, ErrDamaged, got, n, err)
		}
	}
	return ids, nil
}
