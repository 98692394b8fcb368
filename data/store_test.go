package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"damier/rules"
)

func openStore(t *testing.T, dir string, state StoreState) (*Store, Found) {
	t.Helper()
	s, found, err := OpenStore(dir, international(), state)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s)
	return s, found
}

// check compares a store with its folder.
func check(t *testing.T, s *Store) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	size := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), Extension) && !s.told[e.Name()] {
			size[e.Name()] = info.Size()
		}
	}
	var sum Totals
	for _, info := range s.List() {
		if size[info.Name] != info.Bytes {
			t.Errorf("%s has %d bytes, and is listed with %d", info.Name, size[info.Name], info.Bytes)
		}
		delete(size, info.Name)
		sum.add(info)
	}
	if len(size) > 0 {
		t.Errorf("not listed: %v", size)
	}
	if state := s.State(); (StoreState{Shards: state.Shards}).Totals() != sum {
		t.Errorf("state %+v, want %+v", state, sum)
	}
}

func names(list []ShardInfo) []string {
	var n []string
	for _, info := range list {
		n = append(n, info.Name)
	}
	return n
}

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "games")
	s, found := openStore(t, dir, StoreState{})
	if diff := cmp.Diff(Found{}, found); diff != "" || s.Totals() != (Totals{}) {
		t.Errorf("a new store found %s", diff)
	}
	a, err := writeGames(s, "a.parquet", randomGames(1, 3, 30))
	if err != nil {
		t.Fatal(err)
	}
	b, err := writeGames(s, "b.parquet", randomGames(2, 2, 30))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.List(); !slices.Equal(got, []ShardInfo{a, b}) {
		t.Fatalf("listed: %v", names(got))
	}
	state := s.State()

	// Another process writes c and d, one of which is damaged; somebody puts other files into the
	// folder.
	c := writeRandom(t, dir, "c.parquet", 3, 2)
	writeRandom(t, dir, "d.parquet", 4, 2)
	flip(t, filepath.Join(dir, "d.parquet"))
	must(os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o644))
	other, err := rules.Lookup("international", rules.Options{"equal": "king-first"})
	must(err)
	games := randomGames(5, 1, 10)
	games[0].Options = other.Options.String()
	if _, err := WriteShard(dir, "other.parquet", other, games); err != nil {
		t.Fatal(err)
	}
	fresh, stale := filepath.Join(dir, ".e.parquet.1.tmp"), filepath.Join(dir, ".f.parquet.2.tmp")
	must(os.WriteFile(fresh, []byte("PAR1half"), 0o600))
	must(os.WriteFile(stale, []byte("PAR1half"), 0o600))
	must(os.Chtimes(stale, time.Time{}, time.Now().Add(-time.Hour)))

	s, found = openStore(t, dir, state)
	if !slices.Equal(names(found.Adopted), []string{"c.parquet"}) || found.Adopted[0] != c {
		t.Errorf("adopted %v", names(found.Adopted))
	}
	if len(found.Damaged) != 1 || found.Damaged[0].Name != "d.parquet" || found.Damaged[0].Moved != "d.parquet.damaged" || !errors.Is(found.Damaged[0].Err, ErrDamaged) {
		t.Errorf("damaged %v", found.Damaged)
	}
	if _, err := os.Stat(filepath.Join(dir, "d.parquet.damaged")); err != nil {
		t.Error(err)
	}
	if len(found.Foreign) != 1 || found.Foreign[0].Name != "other.parquet" || !errors.Is(found.Foreign[0].Err, ErrForeign) {
		t.Errorf("foreign %v", found.Foreign)
	}
	if !slices.Equal(found.Temp, []string{".f.parquet.2.tmp"}) {
		t.Errorf("temporary files removed: %v", found.Temp)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("the temporary file of a live writer was removed")
	}
	if found, err := s.Scan(); err != nil || !cmp.Equal(found, Found{}) {
		t.Errorf("the second look found %+v, %v", found, err)
	}

	// A known shard disappears, another changes its length, a third its bytes.
	total := s.Totals()
	state = s.State()
	must(os.Remove(filepath.Join(dir, "a.parquet")))
	must(os.Truncate(filepath.Join(dir, "b.parquet"), b.Bytes-1))
	flip(t, filepath.Join(dir, "c.parquet"))
	s, found = openStore(t, dir, state)
	if !slices.Equal(found.Missing, []ShardInfo{a}) || len(found.Damaged) != 1 || found.Damaged[0].Name != "b.parquet" {
		t.Errorf("missing %v, damaged %v", names(found.Missing), found.Damaged)
	}
	if _, err := s.Read(c); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "set aside as c.parquet.damaged") {
		t.Errorf("reading a changed shard: %v", err)
	}
	check(t, s)
	if len(s.List()) != 0 || s.Totals() != total {
		t.Errorf("left %v, totals %+v, want %+v", names(s.List()), s.Totals(), total)
	}

	// An intact shard under the name of another one is not the listed one.
	d, err := writeGames(s, "d.parquet", randomGames(6, 1, 30))
	must(err)
	must(os.Remove(s.Path("d.parquet")))
	writeRandom(t, dir, "d.parquet", 7, 1)
	if _, err := s.Read(d); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "set aside as d.parquet.damaged-2") {
		t.Errorf("reading an exchanged shard: %v", err)
	}
}

// flip changes one bit in the middle of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)/2] ^= 4
	must(os.WriteFile(path, file, 0o644))
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	s, _ := openStore(t, dir, StoreState{})
	var all []ShardInfo
	total := int64(0)
	for i := range 6 {
		info, err := writeGames(s, fmt.Sprintf("%d.parquet", i), randomGames(uint64(i), 2, 30))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info)
		total += info.Bytes
	}
	sum := s.Totals()
	for _, cap := range []int64{0, total} {
		if p := s.Prune(0, cap); len(p.Removed) > 0 || len(s.List()) != 6 {
			t.Fatalf("cap %d removed %v", cap, names(p.Removed))
		}
	}
	// Two must be removed, and the last five are needed.
	keep := 0
	for _, info := range all[1:] {
		keep += info.Rows
	}
	p := s.Prune(keep, total-all[0].Bytes-1)
	if !slices.Equal(p.Removed, all[:2]) || p.Inside != 1 {
		t.Errorf("removed %v, %d inside", names(p.Removed), p.Inside)
	}
	if found, err := s.Scan(); err != nil || !cmp.Equal(found, Found{}) || filesOf(dir) != 6 {
		t.Errorf("before they are deleted: %+v, %v, %d files", found, err, filesOf(dir))
	}
	// The process was killed before it deleted them, so the next one does.
	for i := range 2 {
		after, found := openStore(t, dir, s.State())
		if !cmp.Equal(found, Found{}) || after.Totals() != sum || filesOf(dir) != 4 || len(after.State().Going) != 0 {
			t.Errorf("opened %d times: %+v, %+v, %d files", i+1, found, after.Totals(), filesOf(dir))
		}
	}
	must(s.DeletePruned())
	check(t, s)
	if s.Totals() != sum {
		t.Errorf("totals %+v, want %+v", s.Totals(), sum)
	}
	// The newest is never removed.
	p = s.Prune(0, 1)
	if !slices.Equal(s.List(), all[5:]) || p.Inside != 0 {
		t.Errorf("left %v, %+v", names(s.List()), p)
	}
	// Another file with the name of a shard to be removed stays.
	must(os.WriteFile(s.Path(all[4].Name), []byte("of somebody"), 0o644))
	must(s.DeletePruned())
	if text, err := os.ReadFile(s.Path(all[4].Name)); err != nil || string(text) != "of somebody" {
		t.Errorf("a file of somebody else: %q, %v", text, err)
	}
	must(os.Remove(s.Path(all[4].Name)))
	check(t, s)
	s, found := openStore(t, dir, s.State())
	if !cmp.Equal(found, Found{}) || s.Totals() != sum {
		t.Errorf("opened again: %+v, %+v", found, s.Totals())
	}
	// Somebody has deleted them: the old list names missing shards.
	s, found = openStore(t, dir, StoreState{Shards: all})
	if len(found.Missing) != 5 || s.Totals() != sum {
		t.Errorf("opened with the old list: %+v, %+v", found, s.Totals())
	}
}

// TestEach compares the window of a run that was stopped and resumed with that of an uninterrupted
// run.
func TestEach(t *testing.T) {
	v := international()
	s, _ := openStore(t, t.TempDir(), StoreState{})
	config := WindowConfig{MinRows: 40, Growth: .3, Cap: 400}
	through := NewWindow(v, config, targets(ValueRule{RootShare: .5, Blunder: .15}, true))
	for i := range 10 {
		info, err := writeGames(s, fmt.Sprintf("%d.parquet", i), randomGames(uint64(i), 5, 30))
		if err != nil {
			t.Fatal(err)
		}
		games, err := s.Read(info) // as rounded on disk
		must(err)
		for _, g := range games {
			through.Add(g)
		}
	}
	// fill fills the window as a resumed run does, and returns the errors of the shards.
	fill := func(w *Window) (errs []error) {
		shards, before := s.Recent(config.Size(s.Totals().Rows))
		w.Skip(before)
		must(s.Each(t.Context(), shards, func(info ShardInfo, games []Game, err error) {
			if err != nil {
				errs = append(errs, err)
				w.Skip(info.Rows)
			}
			for _, g := range games {
				w.Add(g)
			}
		}))
		return errs
	}
	wanted, _ := s.Recent(config.Size(s.Totals().Rows))
	least := int64(0) // what the window needs
	for _, info := range wanted {
		least += info.Bytes
	}
	for _, cap := range []int64{0, least} {
		p := s.Prune(config.Size(s.Totals().Rows), cap)
		must(s.DeletePruned())
		if p.Inside > 0 || cap > 0 && len(p.Removed) == 0 {
			t.Fatalf("cap %d: %+v", cap, p)
		}
		again := NewWindow(v, config, targets(ValueRule{RootShare: .5, Blunder: .15}, true))
		if errs := fill(again); len(errs) > 0 {
			t.Fatal(errs)
		}
		sameRows(t, again, through)
	}

	list := s.List()
	bad := list[len(list)-2]
	flip(t, s.Path(bad.Name))
	w := NewWindow(v, config, targets(ValueRule{}, true))
	if errs := fill(w); len(errs) != 1 || !errors.Is(errs[0], ErrDamaged) || !strings.Contains(errs[0].Error(), "set aside as "+bad.Name+".damaged") {
		t.Errorf("with a damaged shard: %v", errs)
	}
	if w.Len() == 0 || w.Total() != through.Total() {
		t.Errorf("%d rows of %d, want a total of %d", w.Len(), w.Total(), through.Total())
	}
	check(t, s)

	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	err := s.Each(ctx, s.List(), func(ShardInfo, []Game, error) {
		if seen++; seen == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || seen != 2 {
		t.Errorf("stopped in the second of %d shards: %d seen, %v", len(s.List()), seen, err)
	}
}

// filesOf counts the files in dir.
func filesOf(dir string) int {
	entries, err := os.ReadDir(dir)
	must(err)
	return len(entries)
}

// TestKilledWriter kills a process that writes shards, again and again: it leaves only complete
// shards and temporary files.
func TestKilledWriter(t *testing.T) {
	const asked = "DAMIER_TEST_WRITE_SHARDS"
	if dir := os.Getenv(asked); dir != "" {
		games := randomGames(1, 2, 20)
		for i := 0; ; i++ {
			for k := range games { // no game may be in a store twice
				games[k].ID = fmt.Sprintf("%d-%d-%d", os.Getpid(), i, k)
			}
			_, err := WriteShard(dir, fmt.Sprintf("%d-%d.parquet", os.Getpid(), i), international(), games)
			must(err)
		}
	}
	dir := t.TempDir()
	for i := range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), asked+"="+dir)
		must(cmd.Start())
		for before, tries := filesOf(dir), 0; filesOf(dir) == before && tries < 1000; tries++ {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(7*i) * time.Millisecond)
		must(cmd.Process.Kill())
		cmd.Wait()
	}
	temps := 0
	entries, err := os.ReadDir(dir)
	must(err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			temps++
			must(os.Chtimes(filepath.Join(dir, e.Name()), time.Time{}, time.Now().Add(-time.Hour)))
		}
	}
	_, found := openStore(t, dir, StoreState{})
	if len(found.Damaged)+len(found.Foreign) > 0 {
		t.Errorf("damaged %v, foreign %v", found.Damaged, found.Foreign)
	}
	if len(found.Adopted) == 0 || len(found.Temp) != temps {
		t.Errorf("adopted %d shards, removed %d temporary files of %d", len(found.Adopted), len(found.Temp), temps)
	}
	t.Logf("5 kills left %d shards and %d temporary files", len(found.Adopted), temps)
}

// No game is in a store twice. A shard that is a copy under another name, or holds one game that
// the store has, is left alone, whether that game was written here, came from outside, or is on
// the manifest's list.
func TestStoreTakesAGameOnce(t *testing.T) {
	dir := t.TempDir()
	s, _ := openStore(t, dir, StoreState{})
	games := randomGames(1, 3, 30)
	if _, err := writeGames(s, "b.parquet", games); err != nil {
		t.Fatal(err)
	}
	copyShard := func(from, to string) {
		file, err := os.ReadFile(filepath.Join(dir, from))
		must(err)
		must(os.WriteFile(filepath.Join(dir, to), file, 0o644))
	}
	refused := func(found Found, err error, name string) {
		t.Helper()
		if err != nil || len(found.Adopted) != 0 || len(found.Foreign) != 1 || found.Foreign[0].Name != name ||
			!errors.Is(found.Foreign[0].Err, ErrForeign) || !strings.Contains(found.Foreign[0].Err.Error(), "b.parquet") {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
	copyShard("b.parquet", "a.parquet")
	found, err := s.Scan()
	refused(found, err, "a.parquet")
	if _, err := WriteShard(dir, "c.parquet", international(), append(randomGames(2, 2, 30), games[1])); err != nil {
		t.Fatal(err)
	}
	found, err = s.Scan()
	refused(found, err, "c.parquet")
	check(t, s)
	if s.Totals().Games != 3 {
		t.Errorf("%d games, want 3", s.Totals().Games)
	}
	must(os.Remove(filepath.Join(dir, "a.parquet")))
	// A store that is opened again knows the ids of the shards on its list.
	s, found, err = OpenStore(dir, international(), s.State())
	refused(found, err, "c.parquet")
	must(os.Remove(filepath.Join(dir, "c.parquet")))

	// Of two copies that arrive together the first is taken.
	writeRandom(t, dir, "d.parquet", 9, 2)
	copyShard("d.parquet", "e.parquet")
	found, err = s.Scan()
	if err != nil || !slices.Equal(names(found.Adopted), []string{"d.parquet"}) || len(found.Foreign) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := s.Scan(); err != nil || !cmp.Equal(found, Found{}) {
		t.Errorf("again: %+v, %v", found, err)
	}
	// Shards written here afterwards count too.
	if _, err := writeGames(s, "f.parquet", randomGames(11, 1, 30)); err != nil {
		t.Fatal(err)
	}
	copyShard("f.parquet", "g.parquet")
	if found, err := s.Scan(); err != nil || len(found.Adopted) != 0 || len(found.Foreign) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	// An intact copy may replace a damaged shard.
	must(os.Rename(filepath.Join(dir, "e.parquet"), filepath.Join(dir, "h")))
	flip(t, filepath.Join(dir, "d.parquet"))
	for _, info := range s.List() {
		if info.Name == "d.parquet" {
			if _, err := s.Read(info); !errors.Is(err, ErrDamaged) {
				t.Errorf("damaged: %v", err)
			}
		}
	}
	must(os.Rename(filepath.Join(dir, "h"), filepath.Join(dir, "i.parquet")))
	if found, err := s.Scan(); err != nil || !slices.Equal(names(found.Adopted), []string{"i.parquet"}) {
		t.Errorf("a copy of a damaged shard: %+v, %v", found, err)
	}
}

// A shard that somebody deletes while the store is open is removed from the list, reported once,
// and still counts in the totals.
func TestStoreGoesOnWithoutAShard(t *testing.T) {
	dir := t.TempDir()
	s, _ := openStore(t, dir, StoreState{})
	a, err := writeGames(s, "a.parquet", randomGames(1, 2, 30))
	must(err)
	b, err := writeGames(s, "b.parquet", randomGames(2, 2, 30))
	must(err)
	total := s.Totals()
	must(os.Remove(s.Path("a.parquet")))
	if _, err := s.Read(a); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("read: %v", err)
	}
	found, err := s.Scan()
	if err != nil || !slices.Equal(found.Missing, []ShardInfo{a}) || !slices.Equal(s.List(), []ShardInfo{b}) || s.Totals() != total {
		t.Errorf("%+v, %v, left %v", found, err, names(s.List()))
	}
	if found, err := s.Scan(); err != nil || !cmp.Equal(found, Found{}) {
		t.Errorf("again: %+v, %v", found, err)
	}
	check(t, s)
}

// A store holds no games under way: they are not those of a run, and nothing is written.
func TestStoreRefusesGamesUnderWay(t *testing.T) {
	dir := t.TempDir()
	s, _ := openStore(t, dir, StoreState{})
	games := randomGames(1, 2, 30)
	g := &games[1]
	g.Plies, g.Outcome, g.Reason = g.Plies[:2], rules.Ongoing, ""
	if _, err := writeGames(s, "a.parquet", games); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "under way") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 || s.Totals() != (Totals{}) {
		t.Errorf("%d files, %+v, %v", len(entries), s.Totals(), err)
	}
}

// writeGames writes games as the next shard of a store.
func writeGames(s *Store, name string, games []Game) (ShardInfo, error) {
	w, err := encodeGames(s.v, games)
	if err != nil {
		return ShardInfo{}, err
	}
	return s.Write(name, w)
}
