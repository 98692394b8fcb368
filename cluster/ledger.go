package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"damier/data"
	"damier/internal/files"
	"damier/internal/publish"
)

// ledger is the set of the games on the learner's disk. An actor numbers its games consecutively,
// so a few ranges of numbers describe all games of an actor.
type ledger struct {
	Next  int   `json:"next"` // number of the next shard
	Games int64 `json:"games"`
	// Actors has the ranges [first, last] of game numbers of each actor, ascending.
	Actors map[string][][2]uint64 `json:"actors"`
}

// maxRanges limits the ranges of an actor. An honest actor has only about as many as it has games
// in progress.
const maxRanges = 8192

// maxLedger is the largest size of a ledger, in bytes; larger files are not read.
const maxLedger = 1 << 28

// has reports whether the game was accepted.
func (l *ledger) has(actor string, number uint64) bool {
	ranges := l.Actors[actor]
	i, found := slices.BinarySearchFunc(ranges, number, func(r [2]uint64, n uint64) int {
		switch {
		case r[1] < n:
			return -1
		case r[0] > n:
			return 1
		}
		return 0
	})
	return found && i < len(ranges)
}

// add adds a game. It returns false if the game was there before.
func (l *ledger) add(actor string, number uint64) bool {
	if l.has(actor, number) {
		return false
	}
	l.Games++
	ranges := l.Actors[actor]
	i, _ := slices.BinarySearchFunc(ranges, number, func(r [2]uint64, n uint64) int {
		if r[0] < n {
			return -1
		}
		return 1
	})
	before := i > 0 && ranges[i-1][1]+1 == number
	after := i < len(ranges) && ranges[i][0] == number+1
	switch {
	case before && after:
		ranges[i-1][1] = ranges[i][1]
		ranges = slices.Delete(ranges, i, i+1)
	case before:
		ranges[i-1][1] = number
	case after:
		ranges[i][0] = number
	default:
		ranges = slices.Insert(ranges, i, [2]uint64{number, number})
	}
	l.Actors[actor] = ranges
	return true
}

// ledgerFile is the name of the ledger in the hub's folder.
const ledgerFile = "accepted.json"

// shardName is the format of the names of the hub's shards.
const shardName = "cluster-%08d" + data.Extension

// openLedger reads the ledger in dir and adds the games of later shards in the folder games: a hub
// that was killed may have written a shard and not yet the ledger.
func openLedger(dir, games string) (*ledger, error) {
	l := &ledger{Next: 1}
	path := filepath.Join(dir, ledgerFile)
	text, err := files.Read(path, maxLedger)
	switch {
	case err == nil:
		if err := json.Unmarshal(text, l); err != nil {
			return nil, fmt.Errorf("%w: %s: %w; move the file away: the hub then makes it again from the shards",
				data.ErrDamaged, path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if l.Actors == nil {
		l.Actors = map[string][][2]uint64{}
	}
	names, err := data.Shards(games)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		var n int
		_, err := fmt.Sscanf(name, shardName, &n)
		if err != nil || name != fmt.Sprintf(shardName, n) || n < l.Next {
			continue // not a shard of the hub, or the ledger has its games
		}
		ids, err := data.GameIDs(filepath.Join(games, name))
		if err != nil {
			continue // damaged: the learner deals with it
		}
		for _, id := range ids {
			if g, err := parseID(id); err == nil {
				l.add(g.actor, g.number)
			}
		}
		l.Next = n + 1
	}
	return l, nil
}

// save writes the ledger into dir.
func (l *ledger) save(dir string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, ledgerFile), append(text, '\n'))
}

// writeFile replaces the file in one step.
func writeFile(path string, content []byte) error {
	return publish.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
