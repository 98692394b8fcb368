package data

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"damier/internal/publish"
	"damier/rules"
)

// Totals are sums over shards.
type Totals struct {
	Shards    int   `json:"shards"`
	Games     int   `json:"games"`
	Plies     int   `json:"plies"`
	Rows      int   `json:"rows"` // searched rows
	Bytes     int64 `json:"bytes"`
	WhiteWins int   `json:"white_wins"`
	BlackWins int   `json:"black_wins"`
	Draws     int   `json:"draws"`
	Cut       int   `json:"cut"` // games ended by rules.PlyLimit; they count as draws too
}

// add adds the counts of a shard.
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

// StoreState is the part of a store that a manifest saves.
type StoreState struct {
	Shards  []ShardInfo `json:"shards"`  // present shards, oldest first
	Removed Totals      `json:"removed"` // totals of the shards removed so far
	// Going are shards that [Store.Prune] has taken off the list. Their files are deleted once a
	// manifest with this list is written, by this process or the next one.
	Going []ShardInfo `json:"going,omitempty"`
}

// Store is the folder of a run's shards and the list of them, oldest first. Other processes may
// write shards into the folder at any time; [Store.Scan] finds them. It is safe for concurrent
// use.
type Store struct {
	dir string
	v   *rules.Variant

	mu    sync.Mutex
	state StoreState
	told  map[string]bool // foreign files already reported
	// Of all games in the list, also of removed shards; nil until a shard from outside comes.
	ids gameIDs
}

// Refused is a file that the store does not use, and the reason.
type Refused struct {
	Name  string // name in the folder when it was found
	Moved string // new name, "" if the file was left alone
	Err   error  // wraps ErrDamaged or ErrForeign
}

// Found is the result of a scan of the folder.
type Found struct {
	// Sound shards that were not in the list, in the order in which they were added.
	Adopted []ShardInfo
	Damaged []Refused   // damaged files, renamed to NAME.damaged
	Foreign []Refused   // files left alone and not used; each is reported once
	Missing []ShardInfo // shards of the list whose files are gone; they still count in the totals
	Temp    []string    // deleted temporary files of killed writers
}

// damagedMark is appended to the name of a damaged shard.
const damagedMark = ".damaged"

// staleAfter is the age at which a temporary file no longer has a writer. A shard is built in
// memory and written at once, which takes well under a second.
const staleAfter = 2 * time.Minute

// OpenStore opens the folder, which it creates if necessary, and updates the list from a manifest
// (zero for a new run): it renames a listed shard whose size has changed, and counts one whose
// file is gone as removed. Then it does the same as [Store.Scan]. It does not read listed shards;
// [Store.Read] does that.
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

// Scan looks for new files: it adopts sound shards (in the order of generation and name), renames
// damaged ones, reports foreign ones and deletes temporary files of killed writers. On an error,
// which is one of the file system, the returned Found is still valid.
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
		case errors.Is(err, os.ErrNotExist): // deleted since the folder was listed
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

// dropMissing removes from the list the shards that are not among the entries of the folder. They
// still count in the totals.
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

// enter records the ids of the games of a new shard. A game may be in a store only once. If one is
// already there, for example because a shard was copied under another name, the error wraps
// [ErrForeign] and no id is recorded.
func (s *Store) enter(info ShardInfo) error {
	if s.ids == nil {
		s.ids = gameIDs{}
		for _, known := range s.state.Shards {
			// A shard that cannot be read is renamed when it is used.
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

// setAside renames a damaged shard so that no later scan finds it.
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

// Path returns the path of the shard with that name.
func (s *Store) Path(name string) string { return filepath.Join(s.dir, name) }

// errUnfinished refuses unfinished games in a store.
var errUnfinished = fmt.Errorf("%w: it holds games under way", ErrForeign)

// Write writes the games of w as a shard and adds it to the list.
func (s *Store) Write(name string, w *Writer) (ShardInfo, error) {
	if w.info.Unfinished > 0 {
		return ShardInfo{}, fmt.Errorf("write %s: %w", s.Path(name), errUnfinished)
	}
	// Hold the lock, so that no Scan adopts the shard before it is in the list.
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := w.Write(s.dir, name)
	if err == nil {
		s.state.Shards = append(s.state.Shards, info)
		if s.ids != nil {
			for id := range w.check.seen {
				s.ids[hashID(id)] = name
			}
		}
	}
	return info, err
}

func (s *Store) index(name string) int {
	return slices.IndexFunc(s.state.Shards, func(i ShardInfo) bool { return i.Name == name })
}

// List returns the present shards, oldest first.
func (s *Store) List() []ShardInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.state.Shards)
}

// State returns the state to save in a manifest.
func (s *Store) State() StoreState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return StoreState{Shards: slices.Clone(s.state.Shards), Removed: s.state.Removed, Going: slices.Clone(s.state.Going)}
}

// Totals returns the sums over all shards, including removed ones.
func (s *Store) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Totals()
}

// Totals returns the sums over all shards, including removed ones.
func (s StoreState) Totals() Totals {
	t := s.Removed
	for _, info := range s.Shards {
		t.add(info)
	}
	return t
}

// Recent returns the newest shards that together have at least the given number of searched rows,
// oldest first, and the number of searched rows before them. To fill a window, read the shards and
// pass that number to [Window.Skip].
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

// since returns the index of the newest shard that, with all later ones, has at least the given
// number of searched rows.
func (s *Store) since(rows int) int {
	from := len(s.state.Shards)
	for from > 0 && rows > 0 {
		from--
		rows -= s.state.Shards[from].Rows
	}
	return from
}
