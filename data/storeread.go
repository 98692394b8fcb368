package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"damier/rules"
)

// Read returns the games of a listed shard, as [ReadShard] does. If the shard is damaged, or not
// the file it was, Read renames it, takes it off the list and counts it as removed. The error then
// wraps [ErrDamaged] and gives the new name; the store stays usable.
func (s *Store) Read(info ShardInfo) ([]Game, error) {
	games, found, err := readShard(s.Path(info.Name), s.v)
	if err == nil && found.SHA256 != info.SHA256 {
		games, err = nil, fmt.Errorf("read %s: %w: it is not the file that was listed, its SHA-256 is %s", s.Path(info.Name), ErrDamaged, found.SHA256)
	}
	if !errors.Is(err, ErrDamaged) {
		return games, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	refused, failed := s.setAside(info.Name, err)
	if failed != nil {
		return nil, errors.Join(failed, err)
	}
	if i := s.index(info.Name); i >= 0 {
		s.state.Removed.add(s.state.Shards[i])
		s.state.Shards = slices.Delete(s.state.Shards, i, i+1)
		// Forget its ids, because an undamaged copy of it may come back.
		maps.DeleteFunc(s.ids, func(_ [16]byte, shard string) bool { return shard == info.Name })
	}
	return nil, fmt.Errorf("%w (set aside as %s)", err, refused.Moved)
}

// Each calls use for each of the listed shards, in their order and on this goroutine, with its
// games or with the error of [Store.Read]. Other goroutines, one for each core, read ahead. When
// the context is done Each returns the context's error.
func (s *Store) Each(ctx context.Context, shards []ShardInfo, use func(ShardInfo, []Game, error)) error {
	return each(ctx, shards, s.Read, use)
}

// ReadEach calls use for each of the listed shards of a folder, as [Store.Each] does, but only
// reads the folder. It stops at the first error, which is that of the context or of [ReadShard].
func ReadEach(ctx context.Context, dir string, v *rules.Variant, shards []ShardInfo, use func(ShardInfo, []Game)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	read := func(s ShardInfo) ([]Game, error) { return ReadShard(filepath.Join(dir, s.Name), v) }
	err := each(ctx, shards, read, func(s ShardInfo, games []Game, err error) {
		if err != nil {
			cancel(err)
			return
		}
		use(s, games)
	})
	return cmp.Or(context.Cause(ctx), err)
}

// each is Each for shards that read reads, on several goroutines at once.
func each(ctx context.Context, shards []ShardInfo, readShard func(ShardInfo) ([]Game, error), use func(ShardInfo, []Game, error)) error {
	type read struct {
		games []Game
		err   error
	}
	results := make([]chan read, len(shards))
	start := func(i int) {
		if i >= len(shards) {
			return
		}
		results[i] = make(chan read, 1)
		go func() {
			games, err := readShard(shards[i])
			results[i] <- read{games, err}
		}()
	}
	ahead := runtime.GOMAXPROCS(0)
	for i := range ahead {
		start(i)
	}
	for i, info := range shards {
		r := <-results[i]
		if err := ctx.Err(); err != nil {
			for _, c := range results[i+1 : min(i+ahead, len(shards))] {
				<-c // wait, so that no shard is renamed after Each has returned
			}
			return err
		}
		start(i + ahead)
		use(info, r.games, r.err)
	}
	return nil
}
