package arena

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/engine"
	"damier/rules"
)

// entrants are three players of known order of strength.
func entrants() []Entrant {
	return []Entrant{{"random", randomFactory}, {"one", depth(1)}, {"two", depth(2)}}
}

func TestTournamentSchedule(t *testing.T) {
	tt := Tournament{Variant: international, Entrants: entrants(), Pairs: 2}
	all := tt.Schedule()
	if len(all) != 12 || all[0] != (Meeting{0, 1, 0, rules.White}) || all[1] != (Meeting{0, 1, 0, rules.Black}) || all[6] != (Meeting{0, 1, 1, rules.White}) {
		t.Errorf("round robin: %v", all)
	}
	seen := map[Meeting]bool{}
	for _, m := range all {
		if m.A >= m.B || seen[m] {
			t.Errorf("meeting %v is twice in the schedule, or turned round", m)
		}
		seen[m] = true
	}
	tt.Gauntlet = 1
	for _, m := range tt.Schedule() {
		if m.A != 0 || m.B == 0 {
			t.Errorf("gauntlet: %v", m)
		}
	}
	tt.Gauntlet = 2
	if n := len(tt.Schedule()); n != 8 {
		t.Errorf("a gauntlet of two against one has %d games, want 8", n)
	}
	for want, change := range map[string]func(*Tournament){
		"variant":     func(t *Tournament) { t.Variant = nil },
		"at least 2":  func(t *Tournament) { t.Entrants = t.Entrants[:1] },
		"opponent":    func(t *Tournament) { t.Gauntlet = 3 },
		"pairs":       func(t *Tournament) { t.Pairs = 0 },
		"concurrency": func(t *Tournament) { t.Concurrency = -1 },
		"named":       func(t *Tournament) { t.Entrants = []Entrant{{"x", randomFactory}, {"x", randomFactory}} },
		"no name":     func(t *Tournament) { t.Entrants = []Entrant{{"x", randomFactory}, {"", randomFactory}} },
		"be made":     func(t *Tournament) { t.Entrants = []Entrant{{"x", randomFactory}, {"y", nil}} },
		"above 0":     func(t *Tournament) { t.Clock = &Control{} },
		"moves 0":     func(t *Tournament) { t.Adjudication = &Adjudication{} },
	} {
		bad := Tournament{Variant: international, Entrants: entrants(), Pairs: 2}
		change(&bad)
		if err := bad.Play(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// games plays a tournament and returns the games of each meeting as text.
func games(t *testing.T, tt Tournament) map[Meeting]string {
	t.Helper()
	found := map[Meeting]string{}
	tt.OnGame = func(g TournamentGame) error {
		if _, twice := found[g.Meeting]; twice || g.Failure != nil {
			t.Errorf("%v: twice, or failed: %v", g.Meeting, g.Failure)
		}
		a, b := tt.Entrants[g.Meeting.A].Name, tt.Entrants[g.Meeting.B].Name
		if g.Meeting.Side == rules.Black {
			a, b = b, a
		}
		if g.White != a || g.Black != b || g.A != g.Meeting.Side || g.Opening != g.Meeting.Pair {
			t.Errorf("%v: %s against %s, opening %d", g.Meeting, g.White, g.Black, g.Opening)
		}
		o, r := g.Game.Outcome()
		found[g.Meeting] = fmt.Sprint(g.Game.Moves(), o, r)
		return nil
	}
	if err := tt.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestTournamentGamesAreTheirOwn: a game depends on its two players and the seed only: not on the
// number of games at a time, the games before, or the other players.
func TestTournamentGamesAreTheirOwn(t *testing.T) {
	tt := Tournament{Variant: international, Entrants: entrants(), Pairs: 2, Openings: mustOpenings(t), MaxPlies: 60, Seed: 3}
	tt.Concurrency = 1
	want := games(t, tt)
	if len(want) != 12 {
		t.Fatalf("%d games", len(want))
	}
	tt.Concurrency = 5
	if got := games(t, tt); !maps.Equal(got, want) {
		t.Error("five at a time play other games")
	}
	tt.Played = func(m Meeting) bool { return m.Pair == 0 }
	rest := games(t, tt)
	if len(rest) != 6 {
		t.Errorf("%d games after a resume, want 6", len(rest))
	}
	for m, g := range rest {
		if want[m] != g {
			t.Errorf("%v differs after a resume", m)
		}
	}
	tt.Played = nil
	tt.Entrants = tt.Entrants[:2]
	for m, g := range games(t, tt) {
		if want[m] != g {
			t.Errorf("%v differs without the third player", m)
		}
	}
}

func TestTournamentStopsAndCloses(t *testing.T) {
	var open, made atomic.Int32
	f := func() (Player, error) {
		open.Add(1)
		made.Add(1)
		return &closing{*NewRandom(1), &open}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tt := Tournament{Variant: international, Entrants: []Entrant{{"a", f}, {"b", f}, {"c", f}}, Pairs: 50, Concurrency: 3, MaxPlies: 20}
	count := 0
	tt.OnGame = func(TournamentGame) error {
		if count++; count == 7 {
			cancel()
		}
		return nil
	}
	if err := tt.Play(ctx); !errors.Is(err, context.Canceled) || count < 7 || count > 12 {
		t.Errorf("error %v after %d games", err, count)
	}
	if open.Load() != 0 || made.Load() > 9 {
		t.Errorf("%d players made, %d still open", made.Load(), open.Load())
	}
	tt.OnGame = func(TournamentGame) error { return errFault }
	if err := tt.Play(t.Context()); !errors.Is(err, errFault) || open.Load() != 0 {
		t.Errorf("error %v, want that of OnGame", err)
	}
	tt.OnGame = nil
	tt.Entrants[1].New = func() (Player, error) { return nil, errFault }
	if err := tt.Play(t.Context()); !errors.Is(err, errFault) || !strings.Contains(err.Error(), "player b") {
		t.Errorf("error %v, want the factory's", err)
	}
}

// TestTournamentFailures: a player that fails loses its game; after three failures in a row the
// tournament ends with an error.
func TestTournamentFailures(t *testing.T) {
	tt := Tournament{Variant: international, Pairs: 5, Concurrency: 1, Entrants: []Entrant{
		{"good", randomFactory}, {"bad", script(scripted{name: "x", fail: 9})},
	}}
	count := 0
	tt.OnGame = func(g TournamentGame) error {
		count++
		if _, reason := g.Game.Outcome(); reason != rules.PlayerFailure || !errors.Is(g.Failure, errFault) || g.Points() != 2 {
			t.Errorf("game %d: %s, %v, %d points for A", count, reason, g.Failure, g.Points())
		}
		return nil
	}
	err := tt.Play(t.Context())
	if !errors.Is(err, errFault) || !strings.Contains(err.Error(), "bad failed in 3 games in a row") || count != 3 {
		t.Errorf("%d games, error %v", count, err)
	}
}

// TestTournamentEndings: a player that ends its games itself loses them; one that reports that it
// died is opened again.
func TestTournamentEndings(t *testing.T) {
	var heard []rules.Reason
	made := 0
	reasons := []rules.Reason{rules.Resignation, rules.PlayerFailure, rules.TimeForfeit}
	tt := Tournament{Variant: international, Pairs: 2, Concurrency: 1, Entrants: []Entrant{
		{"bad", func() (Player, error) {
			made++
			return &quitter{Random: *NewRandom(1), reasons: reasons, heard: &heard}, nil
		}},
		{"good", randomFactory},
	}}
	var got []rules.Reason
	tt.OnGame = func(g TournamentGame) error {
		_, reason := g.Game.Outcome()
		got = append(got, reason)
		if g.Points() != 0 || (reason == rules.PlayerFailure) != (g.Failure != nil) {
			t.Errorf("%s: %d points, %v", reason, g.Points(), g.Failure)
		}
		return nil
	}
	want := []rules.Reason{rules.Resignation, rules.PlayerFailure, rules.Resignation, rules.PlayerFailure}
	if err := tt.Play(t.Context()); err != nil || !slices.Equal(got, want) || !slices.Equal(heard, want) || made != 2 {
		t.Errorf("%q, heard %q, %d made, %v; want %q", got, heard, made, err, want)
	}
}

func TestControls(t *testing.T) {
	for text, want := range map[string]Control{
		"60s+0.5s": {Time: time.Minute, Increment: 500 * time.Millisecond},
		"5m+0s":    {Time: 5 * time.Minute},
		"40/5m":    {Time: 5 * time.Minute, Moves: 40},
		"40/5m+1s": {Time: 5 * time.Minute, Moves: 40, Increment: time.Second},
	} {
		c, err := ParseControl(text)
		if err != nil || c != want {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
		if again, err := ParseControl(c.String()); err != nil || again != c {
			t.Errorf("%q is written %q: %v", text, c.String(), err)
		}
	}
	for _, bad := range []string{"", "5s", "x", "0/5s", "-1/5s", "5s+", "5s+x", "0s+1s", "-5s+1s", "5s+-1s", "40/", "/5s+1s"} {
		if c, err := ParseControl(bad); err == nil {
			t.Errorf("%q is taken: %+v", bad, c)
		}
	}
	c := Control{Time: time.Second, Increment: 100 * time.Millisecond, Moves: 2}
	k := c.start()
	for i, step := range []struct {
		spent, left time.Duration
		moves       int
		ok          bool
	}{
		{500 * time.Millisecond, 600 * time.Millisecond, 1, true},
		{600 * time.Millisecond, 1100 * time.Millisecond, 2, true},
		{1100 * time.Millisecond, 100 * time.Millisecond, 1, true},
		{101 * time.Millisecond, -time.Millisecond, 1, false},
	} {
		if ok := c.spend(&k, step.spent); ok != step.ok || k != (clock{step.left, step.moves}) {
			t.Errorf("step %d: %+v, %v", i, k, ok)
		}
	}
	// Whatever time is left, the allotted time is above 0 and never all of it, so a player that
	// uses exactly its allotment never loses on time.
	for _, c := range []Control{{Time: time.Second}, {Time: time.Second, Increment: 50 * time.Millisecond}, {Time: time.Second, Moves: 10}} {
		k := c.start()
		for range 200 {
			d := c.Allot(k.left, k.moves)
			if d <= 0 || !c.spend(&k, d) {
				t.Fatalf("%s: %v allotted, %v left", c, d, k.left)
			}
			if k.left < 30*time.Millisecond {
				break // too short for a scheduler
			}
		}
	}
}

// TestClock: in a match by the clock the slow player loses on time, and a search keeps within its
// time.
func TestClock(t *testing.T) {
	m := Match{Variant: international, A: randomFactory, B: script(scripted{name: "b", slow: 100 * time.Millisecond}), Games: 2,
		Clock: &Control{Time: 600 * time.Millisecond}, Concurrency: 2}
	r, err := m.Play(t.Context())
	if err != nil || r.Forfeits != [2]int{0, 2} || r.Wins != 2 || r.Overruns != [2]int{} {
		t.Errorf("%+v, %v", r, err)
	}
	m.A, m.B, m.MaxPlies = depthOrTime, randomFactory, 24
	m.Clock = &Control{Time: 3 * time.Second}
	if r, err = m.Play(t.Context()); err != nil || r.Forfeits != [2]int{} || r.Plies == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	p, err := depthOrTime()
	if err != nil {
		t.Fatal(err)
	}
	paced := p.(*engine.Player)
	m.Clock = &Control{Time: time.Second}
	m.Clock.setClock(Named{Player: paced, As: "x"}, clock{left: time.Second})
	if paced.MoveTime() != 40*time.Millisecond {
		t.Errorf("told to take %v of a second", paced.MoveTime())
	}
	m.Clock.setClock(Named{Player: Named{Player: paced, Unpaced: true}}, clock{left: time.Hour})
	if paced.MoveTime() != 40*time.Millisecond {
		t.Error("a player with limits of its own was paced")
	}
	stretched := stretched{}
	m.Clock.setClock(&stretched, clock{left: time.Second})
	if stretched.limit != 40*time.Millisecond || stretched.most != 160*time.Millisecond {
		t.Errorf("told %+v", stretched)
	}
	for _, c := range []struct {
		left, increment, most time.Duration
		moves                 int
	}{
		{left: time.Second, moves: 4, most: 500 * time.Millisecond},
		{left: time.Second, moves: 1, most: 900 * time.Millisecond},
		{left: 100 * time.Millisecond, increment: time.Second, most: 80 * time.Millisecond},
	} {
		if most := (Control{Time: time.Minute, Increment: c.increment}).Most(c.left, c.moves); most != c.most {
			t.Errorf("%+v: the longest time is %v", c, most)
		}
	}
	told := &clocked{}
	m.Clock.setClock(told, clock{left: time.Second, moves: 7})
	if told.left != time.Second || told.moves != 7 {
		t.Errorf("told %+v", told)
	}
}

// depthOrTime has a limit of depth until the clock sets one of time.
func depthOrTime() (Player, error) {
	return engine.NewAlphaBetaPlayer(international, alphabeta.Config{TableBits: 12}, engine.Limits{Time: time.Hour})
}

type clocked struct {
	Random
	clock
}

func (c *clocked) SetClock(left, _ time.Duration, moves int) { c.clock = clock{left, moves} }

type stretched struct {
	Random
	limit, most time.Duration
}

func (s *stretched) SetLimits(_ int, limit time.Duration) { s.limit = limit }
func (s *stretched) SetMost(most time.Duration)           { s.most = most }

// hopeful is a player that always expects the same score.
type hopeful struct {
	Random
	expects float64
}

func (h *hopeful) Expectation() (float64, bool) { return h.expects, true }

func TestAdjudication(t *testing.T) {
	hope := func(x float64) Factory { return func() (Player, error) { return &hopeful{*NewRandom(1), x}, nil } }
	m := Match{Variant: international, A: hope(0.99), B: hope(0.01), Games: 2}
	r, err := m.Play(t.Context())
	if err != nil || r.Judged != 0 {
		t.Errorf("adjudicated without being asked: %+v, %v", r, err)
	}
	m.Adjudication = &Adjudication{Moves: 3, Win: 0.98, Draw: 0.05, After: 20}
	if r, err = m.Play(t.Context()); err != nil || r.Judged != 2 || r.Wins != 2 || r.Plies != 12 {
		t.Errorf("%+v, %v", r, err)
	}
	m.A, m.B = hope(0.5), hope(0.46)
	if r, err = m.Play(t.Context()); err != nil || r.Judged != 2 || r.Draws != 2 || r.Plies != 40 {
		t.Errorf("%+v, %v", r, err)
	}
	m.A, m.B = hope(0.99), hope(0.3) // they disagree
	if r, err = m.Play(t.Context()); err != nil || r.Judged != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	m.B = randomFactory // has no opinion
	if r, err = m.Play(t.Context()); err != nil || r.Judged != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for text, want := range map[string]Adjudication{
		"default":                              DefaultAdjudication,
		"moves=4":                              {4, 0.98, 0.02, 80},
		"moves=3,win=0.9,draw=0,after=10":      {3, 0.9, 0, 10},
		Adjudication{5, 1, 0.1, 0}.String():    {5, 1, 0.1, 0},
		DefaultAdjudication.String():           DefaultAdjudication,
		Adjudication{1, 0.75, 0, 1}.String():   {1, 0.75, 0, 1},
		Adjudication{9, 0.51, 0.4, 2}.String(): {9, 0.51, 0.4, 2},
	} {
		if a, err := ParseAdjudication(text); err != nil || a != want {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
	}
	for _, bad := range []string{"", "moves=0", "win=0.5", "win=1.1", "draw=0.5", "draw=-1", "after=-1", "when=3", "moves=x"} {
		if a, err := ParseAdjudication(bad); err == nil {
			t.Errorf("%q is taken: %+v", bad, a)
		}
	}
	ab, err := engine.NewAlphaBetaPlayer(international, alphabeta.Config{TableBits: 12}, engine.Limits{Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := ab.Expectation(); ok {
		t.Error("an engine that has not searched expects something")
	}
	if _, err := ab.Play(t.Context(), rules.NewGame(international)); err != nil {
		t.Fatal(err)
	}
	if x, ok := ab.Expectation(); !ok || x < 0.4 || x > 0.6 {
		t.Errorf("at the start it expects %v", x)
	}
	if !reflect.DeepEqual(Named{Player: ab, As: "x"}.Name(), "x") {
		t.Error("Named has another name")
	}
}
