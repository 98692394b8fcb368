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

// ledger knows the games that are on the learner's disk. Actors number their games in turn, so that ranges
// of moveIndexes say it in a few words for each actor, whatever the number of games.
type ledger struct {
	Next   int                    `json:"next"` // number of the next shard
	Games  int64                  `json:"games"`
	Actors map[string][][2]uint64 `json:"actors"` // ascending ranges of moveIndexes, both ends included
}

// maxRanges bounds the ranges of an actor: an honest one has hardly more than it plays games at once.
const maxRanges = 8192

// maxLedger is the size in bytes from which a ledger is refused unread.
const maxLedger = 1 << 28

// has reports whether a game was accepted.
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

// add enters a game. It reports false for one that is there.
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

// ledgerFile is its name in the folder of the hub.
const ledgerFile = "accepted.json"

// shardName is the pattern of the names of the hub's shards.
const shardName = "cluster-%08d" + data.Extension

// openLedger reads the ledger in dir and brings it in line with the shards in games: one may have been
// written that the ledger does not know, by a hub that was killed in between.
func openLedger(dir, games string) (*ledger, error) {
	l := &ledger{Next: 1}
	path := filepath.Join(dir, ledgerFile)
	text, err := files.Read(path, maxLedger)
	switch {
	case err == nil:
		if err := json.Unmarshal(text, l); err != nil {
			return nil, fmt.Errorf("%w: %s: %w; move it away, and it is made again from the shards", data.ErrDamaged, path, err)
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
		if _, err := fmt.Sscanf(name, shardName, &n); err != nil || name != fmt.Sprintf(shardName, n) || n < l.Next {
			continue
		}
		ids, err := data.GameIDs(filepath.Join(games, name))
		if err != nil {
			continue // the learner sets it aside
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

// save writes the ledger.
func (l *ledger) save(dir string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, ledgerFile), append(text, '\n'))
}

func writeFile(path string, content []byte) error {
	return publish.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
