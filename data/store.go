package data

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"damier/internal/files"
	"damier/internal/publish"
	"damier/rules"
)

// Totals are sums over shards.
type Totals struct {
	Shards    int   `json:"shards"`
	Games     int   `json:"games"`
	Plies     int   `json:"plies"`
	Rows      int   `json:"rows"` // policy rows
	Bytes     int64 `json:"bytes"`
	WhiteWins int   `json:"white_wins"`
	BlackWins int   `json:"black_wins"`
	Draws     int   `json:"draws"`
	Cut       int   `json:"cut"` // among the draws
}

// add counts a shard.
func (t *Totals) add(i ShardInfo) {
	t.Shards++
	t.Games += i.Games
	t.Plies += i.Plies
	t.Rows += i.Rows
	t.Bytes += i.Bytes
	t.WhiteWins += i.WhiteWins
	t.BlackWins += i.BlackWins
	t.Draws += i.Draws
	t.Cut += i.Cut
}

// StoreState is what a manifest keeps of a store.
type StoreState struct {
	Shards  []ShardInfo `json:"shards"`  // there, oldest first
	Removed Totals      `json:"removed"` // of shards that were there once
	// Going are shards that [Store.Prune] has taken off the list. They are deleted when a manifest says so, and by the
	// next process if this one has not come to it.
	Going []ShardInfo `json:"going,omitempty"`
}

// Store is the folder of a run's shards and the list of them, oldest first. Other processes may put
// shards into the folder at any time; [Store.Scan] finds them. It is safe for concurrent use.
type Store struct {
	dir string
	v   *rules.Variant

	mu    sync.Mutex
	state StoreState
	told  map[string]bool // foreign files already reported
	ids   gameIDs         // of all games that are or were in the list; nil until a shard comes from outside
}

// Refused is a file that is not used, and why.
type Refused struct {
	Name  string // in the folder, when it was found
	Moved string // its name now, "" if it was left alone
	Err   error  // wraps ErrDamaged or ErrForeign
}

// Found is what a look into the folder brought.
type Found struct {
	Adopted []ShardInfo // whole shards that were not known, in the order in which they entered the list
	Damaged []Refused   // set aside: renamed to NAME.damaged
	Foreign []Refused   // left alone and not used; each is reported once
	Missing []ShardInfo // known and gone; they still count in the totals
	Temp    []string    // left by killed writers, deleted
}

// damagedMark is added to the name of a shard that is set aside.
const damagedMark = ".damaged"

// staleAfter is the age from which a temporary file has no writer any more. A shard is built in memory
// and written in one go, which takes well under a second.
const staleAfter = 2 * time.Minute

// OpenStore opens the folder, which it creates if need be, and brings the list from a manifest (zero for
// a new run) in line with it: a known shard of another size is set aside, one that is gone is counted as
// removed, and then it does what [Store.Scan] does. Known shards are read when they are used
// ([Store.Read]), not here.
func OpenStore(dir string, v *rules.Variant, state StoreState) (*Store, Found, error) {
	if err := publish.MkdirAll(dir); err != nil {
		return nil, Found{}, advise("create", dir, err)
	}
	s := &Store{dir: dir, v: v, told: map[string]bool{}}
	s.state.Removed = state.Removed
	var found Found
	for _, info := range state.Shards {
		path := filepath.Join(dir, info.Name)
		stat, err := os.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			found.Missing = append(found.Missing, info)
			s.state.Removed.add(info)
		case err != nil:
			return nil, Found{}, advise("open", path, err)
		case stat.Size() != info.Bytes:
			refused, err := s.setAside(info.Name, fmt.Errorf("%w: %s has %d bytes, and had %d when it was written", ErrDamaged, path, stat.Size(), info.Bytes))
			if err != nil {
				return nil, Found{}, err
			}
			found.Damaged = append(found.Damaged, refused)
			s.state.Removed.add(info)
		default:
			s.state.Shards = append(s.state.Shards, info)
		}
	}
	if s.state.Going = state.Going; len(state.Going) > 0 {
		if err := s.DeletePruned(); err != nil {
			return nil, Found{}, err
		}
	}
	more, err := s.Scan()
	more.Missing, more.Damaged = append(found.Missing, more.Missing...), append(found.Damaged, more.Damaged...)
	if err != nil {
		return nil, more, err
	}
	return s, more, nil
}

// Scan looks for files that came since: it adopts whole shards (in the order of generation and name),
// sets damaged ones aside, tells of foreign ones and deletes what killed writers left. On an error, which
// is the file system's, what was found before it still holds.
func (s *Store) Scan() (Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found Found
	var err error
	if found.Temp, err = publish.Sweep(s.dir, staleAfter); err != nil {
		return found, advise("list", s.dir, err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return found, advise("list", s.dir, err)
	}
	known := make(map[string]bool, len(s.state.Shards))
	for _, info := range s.state.Shards {
		known[info.Name] = true
	}
	for _, info := range s.state.Going {
		known[info.Name] = true
	}
	found.Missing = s.dropMissing(entries)
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(s.dir, name)
		if e.IsDir() || known[name] || s.told[name] || !strings.HasSuffix(name, Extension) {
			continue
		}
		info, err := Verify(path, s.v)
		switch {
		case err == nil && info.Unfinished > 0:
			s.told[name] = true
			found.Foreign = append(found.Foreign, Refused{Name: name, Err: errUnfinished})
		case err == nil:
			found.Adopted = append(found.Adopted, info)
		case errors.Is(err, ErrForeign):
			s.told[name] = true
			found.Foreign = append(found.Foreign, Refused{Name: name, Err: err})
		case errors.Is(err, ErrDamaged):
			refused, err := s.setAside(name, err)
			if err != nil {
				return found, err
			}
			found.Damaged = append(found.Damaged, refused)
		case errors.Is(err, os.ErrNotExist): // gone since the folder was listed
		default:
			return found, err
		}
	}
	slices.SortFunc(found.Adopted, func(a, b ShardInfo) int {
		return cmp.Or(cmp.Compare(a.MinGeneration, b.MinGeneration), cmp.Compare(a.Name, b.Name))
	})
	found.Adopted = slices.DeleteFunc(found.Adopted, func(info ShardInfo) bool {
		err := s.enter(info)
		if err != nil {
			s.told[info.Name] = true
			found.Foreign = append(found.Foreign, Refused{Name: info.Name, Err: err})
		}
		return err != nil
	})
	s.state.Shards = append(s.state.Shards, found.Adopted...)
	return found, nil
}

// dropMissing takes the shards off the list that are not among the entries of the folder any more. They still count in
// the totals.
func (s *Store) dropMissing(entries []os.DirEntry) []ShardInfo {
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		there[e.Name()] = true
	}
	var missing []ShardInfo
	s.state.Shards = slices.DeleteFunc(s.state.Shards, func(info ShardInfo) bool {
		if !there[info.Name] {
			missing = append(missing, info)
			s.state.Removed.add(info)
		}
		return !there[info.Name]
	})
	return missing
}

// enter enters the games of a shard that is to be adopted. A game may be in a store once: if one is there already, as
// in a shard that was copied under another name, the error wraps [ErrForeign] and none is entered.
func (s *Store) enter(info ShardInfo) error {
	if s.ids == nil {
		s.ids = gameIDs{}
		for _, known := range s.state.Shards {
			// One that cannot be read is set aside when it is used.
			if ids, err := GameIDs(s.Path(known.Name)); err == nil {
				s.ids.add(ids, known.Name)
			}
		}
	}
	ids, err := GameIDs(s.Path(info.Name))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	for _, id := range ids {
		if other, ok := s.ids[hashID(id)]; ok {
			return fmt.Errorf("%w: game %s of it is in the run already, in %s; every game counts once", ErrForeign, id, other)
		}
	}
	s.ids.add(ids, info.Name)
	return nil
}

// setAside renames a damaged shard so that it is not met again.
func (s *Store) setAside(name string, reason error) (Refused, error) {
	to := name + damagedMark
	for i := 2; ; i++ {
		if _, err := os.Lstat(filepath.Join(s.dir, to)); err != nil {
			break
		}
		to = fmt.Sprintf("%s%s-%d", name, damagedMark, i)
	}
	if err := publish.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, to)); err != nil {
		return Refused{}, advise("set aside", filepath.Join(s.dir, name), err)
	}
	return Refused{Name: name, Moved: to, Err: reason}, publish.SyncDir(s.dir)
}

// Path returns where the shard of that name lies.
func (s *Store) Path(name string) string { return filepath.Join(s.dir, name) }

// errUnfinished keeps games under way out of a store.
var errUnfinished = fmt.Errorf("%w: it holds games under way", ErrForeign)

// Write writes games as a shard and enters it in the list.
func (s *Store) Write(name string, games []Game) (ShardInfo, error) {
	for i := range games {
		if games[i].Outcome == rules.Ongoing {
			return ShardInfo{}, fmt.Errorf("write %s: game %q: %w", s.Path(name), games[i].ID, errUnfinished)
		}
	}
	// Under the lock, so that a Scan does not adopt the shard in between.
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := WriteShard(s.dir, name, s.v, games)
	if err == nil {
		s.state.Shards = append(s.state.Shards, info)
		if s.ids != nil {
			for i := range games {
				s.ids[hashID(games[i].ID)] = name
			}
		}
	}
	return info, err
}

func (s *Store) index(name string) int {
	return slices.IndexFunc(s.state.Shards, func(i ShardInfo) bool { return i.Name == name })
}

// Read returns the games of a listed shard, as [ReadShard]. A shard that is damaged, or not the file it
// was, is set aside, leaves the list and is counted as removed; the error then wraps [ErrDamaged] and
// says where the file is, and one can go on without it.
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
		// A whole copy of it may come back.
		maps.DeleteFunc(s.ids, func(_ [16]byte, shard string) bool { return shard == info.Name })
	}
	return nil, fmt.Errorf("%w (set aside as %s)", err, refused.Moved)
}

// Each calls use with the games of each of the listed shards, or with the error of [Store.Read], in their
// order and on this goroutine; shards are read ahead on every core. When the context is done it ends with
// the context's error.
func (s *Store) Each(ctx context.Context, shards []ShardInfo, use func(ShardInfo, []Game, error)) error {
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
			games, err := s.Read(shards[i])
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
				<-c // nobody sets a shard aside any more when Each is back
			}
			return err
		}
		start(i + ahead)
		use(info, r.games, r.err)
	}
	return nil
}

// List returns the shards that are there, oldest first.
func (s *Store) List() []ShardInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.state.Shards)
}

// State returns what a manifest should keep.
func (s *Store) State() StoreState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return StoreState{Shards: slices.Clone(s.state.Shards), Removed: s.state.Removed, Going: slices.Clone(s.state.Going)}
}

// Totals returns the sums over all shards ever, removed ones included.
func (s *Store) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Totals()
}

// Totals returns the sums over all shards ever, removed ones included.
func (s StoreState) Totals() Totals {
	t := s.Removed
	for _, info := range s.Shards {
		t.add(info)
	}
	return t
}

// Recent returns the newest shards that together have at least rows policy rows, oldest first, and how
// many policy rows were made before them: what to read, and what to [Window.Skip], to fill a window.
func (s *Store) Recent(rows int) (shards []ShardInfo, before int) {
	before = s.Totals().Rows
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.since(rows)
	for _, info := range s.state.Shards[from:] {
		before -= info.Rows
	}
	return slices.Clone(s.state.Shards[from:]), before
}

// since returns the index of the newest shard that with all later ones has at least rows policy rows.
func (s *Store) since(rows int) int {
	from := len(s.state.Shards)
	for from > 0 && rows > 0 {
		from--
		rows -= s.state.Shards[from].Rows
	}
	return from
}

// Pruned is what a disk cap has cost.
type Pruned struct {
	Removed []ShardInfo // oldest first
	Inside  int         // how many of them were still within the rows to keep
	Over    int64       // bytes that are still above the cap
}

// Prune takes the oldest shards off the list until all together have at most maxBytes bytes. Those beyond the newest
// keepRows policy rows go first; if they are not enough, it goes on into the rows to keep, which Inside
// tells, and leaves only the newest shard alone. Nothing happens below the cap, and maxBytes 0 or less
// is no cap. Shards that go stay in the totals, and on the disk until [Store.DeletePruned]: a manifest that still names
// them as games of the run would be wrong without them.
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
	p.Over = max(bytes-maxBytes, 0)
	return p
}

// DeletePruned deletes the files of the shards that [Store.Prune] took off the list. A manifest with the state
// ([Store.State]) is to be on the disk before. A file that is not the shard it was stays.
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
