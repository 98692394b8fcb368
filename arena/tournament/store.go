package tournament

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"damier/arena"
	"damier/internal/files"
	"damier/internal/publish"
	"damier/rules"
)

// The files of a tournament's folder.
const (
	ResultsFile = "results.jsonl" // settings, players and games; everything else is made from it
	lockFile    = "lock"
)

// Version is the version of the results file.
const Version = 1

// ErrDamaged is wrapped by errors about the content of a results file.
var ErrDamaged = errors.New("damaged results")

// ErrOther is wrapped by the error of [Open] for settings other than those of the folder.
var ErrOther = errors.New("another tournament")

// ErrBusy is wrapped by the error of [Open] while another process uses the folder.
var ErrBusy = errors.New("in use by another process")

// Settings are the settings that all games of a folder share.
type Settings struct {
	Version      int    `json:"damier_tournament"` // Version
	Variant      string `json:"variant"`           // with its options
	Openings     string `json:"openings"`          // a hash of the openings
	Unbalanced   bool   `json:"unbalanced"`        // the openings favour one side on purpose
	MaxPlies     int    `json:"max_plies"`         // negative means no limit
	Seed         uint64 `json:"seed"`
	Adjudication string `json:"adjudication"` // "" for none
}

// Player is a player of the tournament.
type Player struct {
	Name string `json:"name"`
	Spec string `json:"spec"`           // as the user described it
	Hash string `json:"hash,omitempty"` // of its network and the settings of its level
}

// Game is a finished game.
type Game struct {
	Control string
	White   string
	Black   string
	Pair    int // number of the pair, from 0, among those of the two players under this control
	Opening int // index of the opening, from 0; -1 for none
	Prefix  int // number of plies of the opening
	Game    *rules.Game

	Elapsed  [2]time.Duration // by colour
	Overruns [2]int           // by colour
	Failure  string           // text of the error of a player that did not move
	Date     string           // 2006.01.02
}

// Key identifies a game within a folder.
type Key struct {
	Control, White, Black string
	Pair                  int
}

// Key returns the game's key.
func (g Game) Key() Key { return Key{g.Control, g.White, g.Black, g.Pair} }

// Record converts a game of an arena.Tournament, played under a control, to a Game.
func Record(control string, t arena.TournamentGame) Game {
	g := Game{
		Control: control, White: t.White, Black: t.Black, Pair: t.Meeting.Pair, Opening: t.Opening, Prefix: t.Prefix,
		Game: t.Game, Elapsed: t.Elapsed, Date: time.Now().Format("2006.01.02"),
	}
	g.Overruns[t.A], g.Overruns[t.A.Opponent()] = t.Overruns[0], t.Overruns[1]
	if t.Failure != nil {
		g.Failure = t.Failure.Error()
	}
	return g
}

// Store is an open folder. One goroutine at a time may call its methods.
type Store struct {
	Dir      string
	Settings Settings
	Players  []Player
	Games    []Game

	variant *rules.Variant
	lock    *flock.Flock
	file    *os.File
	played  map[Key]bool
	synced  time.Time
}

// Exists reports whether a folder has results.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ResultsFile))
	return err == nil
}

// Peek returns the settings and players of a folder, without its games. It does not need the
// variant.
func Peek(dir string) (Settings, []Player, error) {
	name := filepath.Join(dir, ResultsFile)
	text, err := files.Read(name, maxResults)
	if err != nil {
		return Settings{}, nil, fmt.Errorf("results: %w", err)
	}
	var s Settings
	var players []Player
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, l := range lines {
		var parsed line
		if !bytes.HasSuffix(l, []byte("\n")) || bytes.HasPrefix(l, []byte(`{"game"`)) {
			continue
		}
		if err := json.Unmarshal(l, &parsed); err != nil {
			return s, nil, fmt.Errorf("%s:%d: %w: %v", name, i+1, ErrDamaged, err)
		}
		if parsed.Settings != nil {
			s = *parsed.Settings
		}
		if parsed.Player != nil {
			players = append(players, *parsed.Player)
		}
	}
	if s.Version != Version {
		return s, nil, fmt.Errorf("%s: %w: it begins with no settings of version %d", name, ErrDamaged, Version)
	}
	return s, players, nil
}

// Open opens the folder of a tournament, or makes it. It replays every game with the slow
// generator of package rules, and cuts off an incomplete last line of a killed process. It adds
// players that are new. The error wraps ErrOther if the settings, or the description or network of
// a player, differ; ErrBusy while another process uses the folder; and ErrDamaged if a line is
// wrong.
func Open(dir string, v *rules.Variant, s Settings, players []Player) (*Store, error) {
	s.Version, s.Variant = Version, v.String()
	if err := publish.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	st := &Store{Dir: dir, Settings: s, variant: v, played: map[Key]bool{}, lock: flock.New(filepath.Join(dir, lockFile))}
	if err := files.Free(st.lock.Path()); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	locked, err := st.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("results: %s is %w", dir, ErrBusy)
	}
	if err := st.load(filepath.Join(dir, ResultsFile), s, players); err != nil {
		st.Close()
		return nil, err
	}
	return st, nil
}

// load opens the results file, or makes it, and reads it.
func (st *Store) load(name string, want Settings, players []Player) error {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if err := st.create(name); err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	probe, _, err := files.Open(name, maxResults)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	probe.Close()
	if st.file, err = os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0o644); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := st.read(name); err != nil {
		return err
	}
	if st.Settings != want {
		return fmt.Errorf("results: %s belongs to %w: %s", st.Dir, ErrOther, differences(st.Settings, want))
	}
	return st.enter(players)
}

// create makes a results file that holds only the settings. The file appears completely or not at
// all.
func (st *Store) create(name string) error {
	text, err := json.Marshal(line{Settings: &st.Settings})
	if err != nil {
		panic("tournament: settings that are no JSON")
	}
	return publish.Write(name, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// differences names the settings in which two tournaments differ.
func differences(have, want Settings) string {
	var texts []string
	h, w := reflect.ValueOf(have), reflect.ValueOf(want)
	for i := range h.NumField() {
		if a, b := h.Field(i).Interface(), w.Field(i).Interface(); a != b {
			texts = append(texts, fmt.Sprintf("its %s is %v, not %v", strings.ReplaceAll(h.Type().Field(i).Tag.Get("json"), "_", " "), a, b))
		}
	}
	return strings.Join(texts, "; ")
}

// enter adds new players.
func (st *Store) enter(players []Player) error {
	known := map[string]Player{}
	for _, p := range st.Players {
		known[p.Name] = p
	}
	for _, p := range players {
		switch before, ok := known[p.Name]; {
		case !ok:
			if err := st.append(line{Player: &p}); err != nil {
				return err
			}
			st.Players = append(st.Players, p)
		case before.Hash != p.Hash:
			return fmt.Errorf("results: %s belongs to %w: %s is not what played there: its network, its level or its limits have changed; give the new one a name of its own, NAME=%s", st.Dir, ErrOther, p.Name, p.Spec)
		case before.Hash == "" && before.Spec != p.Spec:
			return fmt.Errorf("results: %s belongs to %w: %s is %q there, not %q", st.Dir, ErrOther, p.Name, before.Spec, p.Spec)
		}
	}
	return nil
}

// read reads the file and cuts off an incomplete last line.
func (st *Store) read(name string) error {
	var texts []*gameLine
	var numbers []int
	first := true
	end := int64(0)
	r := bufio.NewReaderSize(st.file, 1<<16)
	for n := 1; ; n++ {
		text, err := readLine(r)
		if errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("%s:%d: %w: a line of more than %d bytes", name, n, ErrDamaged, maxLine)
		}
		if errors.Is(err, io.EOF) {
			break // a last line without line break is incomplete
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		end += int64(len(text))
		var l line
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return fmt.Errorf("%s:%d: %w: %v", name, n, ErrDamaged, err)
		}
		switch {
		case first && (l.Settings == nil || l.Settings.Version != Version):
			return fmt.Errorf("%s:1: %w: it does not begin with settings of version %d", name, ErrDamaged, Version)
		case first:
			st.Settings = *l.Settings
		case l.Player != nil:
			st.Players = append(st.Players, *l.Player)
		case l.Game != nil:
			texts, numbers = append(texts, l.Game), append(numbers, n)
		default:
			return fmt.Errorf("%s:%d: %w: neither a player nor a game", name, n, ErrDamaged)
		}
		first = false
	}
	if first {
		return fmt.Errorf("%s: %w: it is empty", name, ErrDamaged)
	}
	if st.Settings.Variant != st.variant.String() {
		return nil // the settings differ, which Open reports
	}
	games, errs := make([]Game, len(texts)), make([]error, len(texts))
	var work sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for i := worker; i < len(texts); i += runtime.GOMAXPROCS(0) {
				games[i], errs[i] = texts[i].parse(st.variant)
			}
		})
	}
	work.Wait()
	for i, g := range games {
		if err := errs[i]; err != nil {
			return fmt.Errorf("%s:%d: %w: %w", name, numbers[i], ErrDamaged, err)
		}
		if st.played[g.Key()] {
			return fmt.Errorf("%s:%d: %w: the same game as before", name, numbers[i], ErrDamaged)
		}
		st.played[g.Key()] = true
	}
	st.Games = games
	if err := st.file.Truncate(end); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// Played reports whether a game is in the folder.
func (st *Store) Played(k Key) bool { return st.played[k] }

// Add appends a game.
func (st *Store) Add(g Game) error {
	if st.played[g.Key()] {
		panic("tournament: a game is added twice")
	}
	if err := st.append(line{Game: g.text(st.variant)}); err != nil {
		return err
	}
	st.played[g.Key()] = true
	st.Games = append(st.Games, g)
	return nil
}

// append writes a line in one call, so that a killed process leaves complete lines. Once a second
// it syncs the file, in case of a loss of power.
func (st *Store) append(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		panic("tournament: a line that is no JSON")
	}
	if _, err := st.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if time.Since(st.synced) > time.Second {
		st.synced = time.Now()
		if err := st.file.Sync(); err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	return nil
}

// Close syncs the file and unlocks the folder.
func (st *Store) Close() error {
	var err error
	if st.file != nil {
		err = errors.Join(st.file.Sync(), st.file.Close())
		st.file = nil
	}
	if e := st.lock.Unlock(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}
