package tournament

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"damier/arena"
	"damier/notation"
	"damier/rules"
)

var v = rules.International

func settings() Settings {
	return Settings{Version: Version, Variant: v.String(), Openings: "start", MaxPlies: 60, Seed: 1}
}

var players = []Player{{Name: "a", Spec: "random"}, {Name: "b", Spec: "random"}, {Name: "c", Spec: "model:c", Hash: "1234"}}

// randomGame plays a game of random moves, which is drawn if it reaches the limit of plies.
func randomGame(seed uint64, plies int) *rules.Game {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := rules.NewGame(v)
	for !g.Over() && g.Ply() < plies {
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			panic(err)
		}
	}
	if !g.Over() {
		g.End(rules.Draw, rules.PlyLimit)
	}
	return g
}

func game(control, white, black string, pair int, g *rules.Game) Game {
	return Game{Control: control, White: white, Black: black, Pair: pair, Opening: pair, Game: g, Date: "2026.01.02",
		Elapsed: [2]time.Duration{1500 * time.Millisecond, time.Second}, Overruns: [2]int{1, 0}}
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	st, err := Open(dir, v, settings(), players)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// fill adds some games of every kind.
func fill(t *testing.T, st *Store) {
	t.Helper()
	for i := range 4 {
		lost := randomGame(uint64(90+i), 20)
		lost.End(rules.BlackWins, rules.TimeForfeit)
		failed := game("0.1s", "c", "a", i, randomGame(uint64(70+i), 10))
		failed.Game.End(rules.BlackWins, rules.PlayerFailure)
		failed.Failure = "engine died"
		for _, g := range []Game{
			game("0.1s", "a", "b", i, randomGame(uint64(i), 200)), game("0.1s", "b", "a", i, lost),
			game("0.1s", "a", "c", i, randomGame(uint64(10+i), 60)), failed,
			game("60s+1s", "b", "c", i, randomGame(uint64(30+i), 60)),
		} {
			if err := st.Add(g); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func same(t *testing.T, got, want []Game) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d games, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if !reflect.DeepEqual(g.Game.Moves(), w.Game.Moves()) {
			t.Errorf("game %d has other moves", i)
		}
		o1, r1 := g.Game.Outcome()
		if o2, r2 := w.Game.Outcome(); o1 != o2 || r1 != r2 {
			t.Errorf("game %d: %s by %s, want %s by %s", i, o1, r1, o2, r2)
		}
		g.Game, w.Game = nil, nil
		if !reflect.DeepEqual(g, w) {
			t.Errorf("game %d: %+v, want %+v", i, g, w)
		}
	}
}

func TestStoreKeepsGames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if Exists(dir) {
		t.Error("it exists before")
	}
	st := open(t, dir)
	fill(t, st)
	if _, err := Open(dir, v, settings(), players); !errors.Is(err, ErrBusy) {
		t.Errorf("a second time: %v", err)
	}
	want := st.Games
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = open(t, dir)
	same(t, st.Games, want)
	if !st.Played(Key{"0.1s", "b", "a", 3}) || st.Played(Key{"0.1s", "b", "a", 4}) || st.Played(Key{"60s+1s", "b", "a", 3}) {
		t.Error("Played is wrong")
	}
	st.Close()
	s, found, err := Peek(dir)
	if err != nil || s != settings() || !reflect.DeepEqual(found, players) {
		t.Errorf("peek: %+v, %v, %v", s, found, err)
	}
	// A player may be added, but the description of a player may not change.
	more := append(players[:3:3], Player{Name: "d", Spec: "random"})
	st, err = Open(dir, v, settings(), more)
	if err != nil || len(st.Players) != 4 {
		t.Fatalf("%v", err)
	}
	st.Close()
	for want, change := range map[string]func(*Settings, []Player){
		"its openings is start, not mine":      func(s *Settings, _ []Player) { s.Openings = "mine" },
		"its seed is 1, not 2":                 func(s *Settings, _ []Player) { s.Seed = 2 },
		"its max plies is 60, not 80":          func(s *Settings, _ []Player) { s.MaxPlies = 80 },
		`a is "random" there, not "alphabeta"`: func(_ *Settings, p []Player) { p[0].Spec = "alphabeta" },
		"NAME=model:c":                         func(_ *Settings, p []Player) { p[2].Hash = "5678" },
	} {
		s, p := settings(), append([]Player{}, players...)
		change(&s, p)
		if _, err := Open(dir, v, s, p); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
	if _, err := Open(dir, rules.Frisian, settings(), players); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "frisian") {
		t.Errorf("another variant: %v", err)
	}
}

// TestStoreCutAnywhere: wherever a process was killed while it wrote, all complete lines are read,
// and the next game is appended to them.
func TestStoreCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	st := open(t, dir)
	for i := range 3 {
		if err := st.Add(game("x", "a", "b", i, randomGame(uint64(i), 12))); err != nil {
			t.Fatal(err)
		}
	}
	want := st.Games
	st.Close()
	name := filepath.Join(dir, ResultsFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(text, '\n') + 1
	for cut := first; cut <= len(text); cut += 31 {
		if err := os.WriteFile(name, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		st := open(t, dir)
		whole := bytes.Count(text[:cut], []byte(`{"game"`))
		if text[cut-1] != '\n' && bytes.Contains(text[bytes.LastIndexByte(text[:cut], '\n')+1:cut], []byte(`{"game"`)) {
			whole--
		}
		same(t, st.Games, want[:whole])
		if err := st.Add(game("x", "c", "b", 0, randomGame(9, 12))); err != nil {
			t.Fatal(err)
		}
		st.Close()
		again := open(t, dir)
		if len(again.Games) != whole+1 || len(again.Players) != 3 {
			t.Fatalf("cut at %d: %d games, %d players", cut, len(again.Games), len(again.Players))
		}
		again.Close()
	}
}

func TestStoreRefusesDamage(t *testing.T) {
	dir := t.TempDir()
	st := open(t, dir)
	fill(t, st)
	st.Close()
	name := filepath.Join(dir, ResultsFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for want, change := range map[string]func() string{
		"empty":         func() string { return "" },
		":1:":           func() string { return strings.Join(lines[1:], "") },
		"is not over":   func() string { return strings.Replace(string(text), `"ply limit"`, `"no legal move"`, 1) },
		"result":        func() string { return strings.Replace(string(text), `"result":"draw"`, `"result":"won"`, 1) },
		"the same game": func() string { return string(text) + lines[len(lines)-2] },
		"move 2":        func() string { return strings.Replace(string(text), `"moves":"`, `"moves":"32-28 32-28 `, 1) },
		"invalid":       func() string { return strings.Replace(string(text), `{"game"`, `{game"`, 1) },
		"unknown field": func() string { return strings.Replace(string(text), `"pair"`, `"pear"`, 1) },
		"neither":       func() string { return string(text) + "{}\n" },
		"make no sense": func() string { return strings.Replace(string(text), `"opening_plies":0`, `"opening_plies":900`, 1) },
		"settings of ver": func() string {
			return strings.Replace(string(text), `"damier_tournament":1`, `"damier_tournament":7`, 1)
		},
	} {
		if err := os.WriteFile(name, []byte(change()), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, v, settings(), players); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// ended returns a game with a result and moves that no other game has.
func ended(seed uint64, o rules.Outcome) *rules.Game {
	g := randomGame(seed, 14)
	if o != rules.Draw {
		g.End(o, rules.Resignation)
	}
	return g
}

func TestReport(t *testing.T) {
	st := open(t, t.TempDir())
	defer st.Close()
	seed := uint64(0)
	add := func(control, white, black string, pair int, o rules.Outcome) {
		t.Helper()
		seed++
		if err := st.Add(game(control, white, black, pair, ended(seed, o))); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := Make(st, nil); err != nil || len(r.Sections) != 0 || !strings.Contains(r.Text(), "no game") {
		t.Errorf("empty: %+v, %v", r, err)
	}
	// a beats b 3-1 in every two pairs, b beats c likewise; a and c draw one and a wins one; c
	// adds no cycle.
	for i := range 20 {
		for _, m := range [][2]string{{"a", "b"}, {"b", "c"}, {"a", "c"}} {
			strong, weak := m[0], m[1]
			if i%2 == 0 {
				add("0.1s", strong, weak, i, rules.WhiteWins)
				add("0.1s", weak, strong, i, rules.Draw)
			} else {
				add("0.1s", strong, weak, i, rules.Draw)
				add("0.1s", weak, strong, i, rules.Draw)
			}
		}
		// With more time b is the better one; only half of the last pair was played.
		add("1s", "b", "a", i, rules.WhiteWins)
		if i < 19 {
			add("1s", "a", "b", i, rules.Outcome(1+i%3))
		}
	}
	r, err := Make(st, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sections) != 2 || r.Sections[0].Control != "0.1s" || r.Sections[1].Control != "1s" {
		t.Fatalf("sections: %+v", r.Sections)
	}
	s := r.Sections[0]
	var names []string
	for _, p := range s.Standings {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, ""); got != "abc" || s.Games != 120 || s.Unpaired != 0 || s.Distinct != 120 || len(s.Duplicates) != 0 {
		t.Errorf("order %s, %+v", got, s)
	}
	a := s.Standings[0]
	if a.Games != 80 || a.Wins != 20 || a.Draws != 60 || a.Losses != 0 || a.Score != 0.625 || a.Pairs != [5]int{0, 0, 20, 20, 0} || a.Seconds != 1.25 || a.Overruns != 40 {
		t.Errorf("a: %+v", a)
	}
	if c := s.Table[0][1]; c != (Cell{40, 10, 30, 0, 0.625, c.Expected}) || math.Abs(float64(c.Expected)-0.625) > 0.06 {
		t.Errorf("a against b: %+v", c)
	}
	if s.Table[1][1].Games != 0 || a.Above < 0.9 || !math.IsNaN(float64(s.Standings[2].Above)) {
		t.Errorf("table %+v, above %v", s.Table[1][1], a.Above)
	}
	if !(a.Elo.Low < a.Elo.Estimate && a.Elo.Estimate < a.Elo.High && a.Elo.Low > 0) {
		t.Errorf("Elo of a: %+v", a.Elo)
	}
	one := r.Sections[1]
	if one.Games != 38 || one.Unpaired != 1 || one.Standings[0].Name != "b" {
		t.Errorf("the other section: %+v", one)
	}
	if c := s.Standings[2]; c.Split { // it drew, so it is connected
		t.Errorf("c: %+v", c)
	}
	text := r.Text()
	for _, want := range []string{"0.1s: 120 games\n", "1s: 38 games (1 more wait", "1  a ", "distinct games  120 of 120", "score of the row", "40 time overruns"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	blob, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(blob), `"above_next":null`) {
		t.Errorf("JSON: %s", blob)
	}
	// With an anchor.
	if r, err = Make(st, &Anchor{"c", 1500}); err != nil || r.Sections[0].Standings[2].Elo != (Bounds{1500, 1500, 1500}) {
		t.Errorf("anchored: %+v, %v", r.Sections[0].Standings, err)
	}
	if _, err = Make(st, &Anchor{"x", 0}); err == nil {
		t.Error("an anchor that nobody is")
	}
	picture, err := r.Picture()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil || img.Bounds().Dx() < 800 {
		t.Errorf("picture: %v", err)
	}
	if out := os.Getenv("DAMIER_PICTURE"); out != "" {
		if err := os.WriteFile(out, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pdn, err := st.PDN()
	if err != nil {
		t.Fatal(err)
	}
	games, err := notation.ParsePDN(v, string(pdn))
	if err != nil || len(games) != 159 {
		t.Fatalf("%d games in the PDN, %v", len(games), err)
	}
	if g := games[0]; g.Tags.Get("White") != "a" || g.Tags.Get("Black") != "b" || g.Tags.Get("Round") != "1" || g.Result != notation.WhiteWin || g.Tags.Get("TimeControl") != "-" || g.Tags.Get("Control") != "0.1s" {
		t.Errorf("the first game has the tags %v", g.Tags)
	}
}

// TestReportFaults: the report lists repeated games and the faults of each player.
func TestReportFaults(t *testing.T) {
	st := open(t, t.TempDir())
	defer st.Close()
	for pair := range 3 {
		for i, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
			g := game("x", names[0], names[1], pair, randomGame(uint64(i), 20))
			if i == 1 && pair == 2 {
				g.Game.End(rules.WhiteWins, rules.PlayerFailure)
				g.Failure = "engine died"
			}
			if err := st.Add(g); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := Make(st, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sections[0]
	if s.Distinct != 2 || len(s.Duplicates) != 2 || len(s.Duplicates[0]) != 3 || s.PlyLimits != 5 {
		t.Errorf("%+v", s)
	}
	text := r.Text()
	for _, want := range []string{"distinct games  2 of 6", "the same: a - b, pair 1; a - b, pair 2; a - b, pair 3", "1 failures (engine died)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestRecord: a stored game of the arena equals the game that was played.
func TestRecord(t *testing.T) {
	st := open(t, t.TempDir())
	defer st.Close()
	random := func() (arena.Player, error) { return arena.NewRandom(1), nil }
	openings, err := arena.Openings(v)
	if err != nil {
		t.Fatal(err)
	}
	tt := arena.Tournament{Variant: v, Entrants: []arena.Entrant{{Name: "a", New: random}, {Name: "b", New: random}}, Pairs: 2, Openings: openings, MaxPlies: 40}
	tt.OnGame = func(g arena.TournamentGame) error {
		r := Record("own", g)
		if r.White != g.White || (r.White == "a") != (g.Meeting.Side == rules.White) || r.Prefix != len(openings[r.Pair].Moves) {
			return fmt.Errorf("%+v of %+v", r, g)
		}
		return st.Add(r)
	}
	if err := tt.Play(t.Context()); err != nil || len(st.Games) != 4 {
		t.Errorf("%d games, %v", len(st.Games), err)
	}
}

func TestTimeControlTag(t *testing.T) {
	for control, want := range map[string]string{
		"1m0s+500ms": "60+0.5", "5m0s+0s": "300", "40/5m0s": "40/300", "40/5m0s+1s": "?", "100ms": "-", "visits=200": "-", "own limits": "-",
	} {
		if got := timeControl(control); got != want {
			t.Errorf("%s: %q, want %q", control, got, want)
		}
	}
}

// A results file that cannot be read is not taken for one that ends there.
func TestStoreReadError(t *testing.T) {
	name := filepath.Join(t.TempDir(), ResultsFile)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644) // reading it fails
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st := &Store{Dir: filepath.Dir(name), variant: v, file: f}
	if err := st.read(name); !errors.Is(err, fs.ErrPermission) && !strings.Contains(fmt.Sprint(err), "bad file descriptor") || errors.Is(err, ErrDamaged) {
		t.Errorf("reading fails, and it says %v", err)
	}
}
