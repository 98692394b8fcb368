package data

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"

	"damier/internal/files"
	"damier/internal/publish"
)

// Pruned is the effect of a limit of disk space.
type Pruned struct {
	Removed []ShardInfo // removed shards, oldest first
	Inside  int         // how many of them were within the rows to keep
}

// Prune takes the oldest shards off the list until all together have at most maxBytes bytes. It
// first takes those beyond the newest keepRows searched rows. If that is not enough it continues
// with newer ones, which Inside counts, but never takes the newest shard. maxBytes of 0 or less
// means no limit. Removed shards still count in the totals. Their files stay until
// [Store.DeletePruned], because a manifest on the disk may still name them.
func (s *Store) Prune(keepRows int, maxBytes int64) Pruned {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p Pruned
	if maxBytes <= 0 {
		return p
	}
	bytes := int64(0)
	for _, info := range s.state.Shards {
		bytes += info.Bytes
	}
	keep := s.since(keepRows)
	for bytes > maxBytes && len(s.state.Shards) > 1 {
		info := s.state.Shards[0]
		if len(p.Removed) >= keep {
			p.Inside++
		}
		p.Removed = append(p.Removed, info)
		s.state.Removed.add(info)
		s.state.Shards = s.state.Shards[1:]
		bytes -= info.Bytes
	}
	s.state.Going = append(s.state.Going, p.Removed...)
	return p
}

// DeletePruned deletes the files of the shards that [Store.Prune] took off the list. The caller
// must first save a manifest with [Store.State]. It does not delete a file that is no longer the
// listed shard.
func (s *Store) DeletePruned() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.state.Going) == 0 {
		return nil
	}
	for _, info := range s.state.Going {
		path := s.Path(info.Name)
		text, err := files.Read(path, maxShard)
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
			continue
		case err != nil:
			return advise("remove", path, err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != info.SHA256 {
			continue
		}
		if err := publish.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return advise("remove", path, err)
		}
	}
	if err := publish.SyncDir(s.dir); err != nil {
		return advise("remove old shards from", s.dir, err)
	}
	s.state.Going = nil
	return nil
}
