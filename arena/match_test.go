package arena

import (
	"context"
	"errors"
	"fmt"
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

var international = rules.International

func randomFactory() (Player, error) { return NewRandom(7), nil }

func depth(n int) Factory {
	return func() (Player, error) {
		return engine.NewAlphaBetaPlayer(international, alphabeta.Config{TableBits: 12}, engine.Limits{Depth: n})
	}
}

func mustOpenings(t *testing.T) []Opening {
	t.Helper()
	o, err := Openings(international)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestPlayersKeepTheContract(t *testing.T) {
	for name, f := range map[string]Factory{
		"random": randomFactory,
		"depth":  depth(3),
		"nodes": func() (Player, error) {
			return engine.NewAlphaBetaPlayer(international, alphabeta.Config{TableBits: 12}, engine.Limits{Nodes: 500})
		},
		"with ties": func() (Player, error) {
			return engine.NewAlphaBetaPlayer(international, alphabeta.Config{TableBits: 12, RandomTies: 5}, engine.Limits{Depth: 3})
		},
	} {
		if err := TestPlayer(t.Context(), international, f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// scripted is a player whose faults can be chosen.
type scripted struct {
	Random
	name     string
	illegal  int // at this ply of the game it plays an illegal move
	fail     int // at this ply of the game it fails
	slow     time.Duration
	changes  bool
	games    int
	deafness bool
}

func (s *scripted) Name() string            { return s.name }
func (s *scripted) NewGame()                { s.games++ }
func (s *scripted) MoveTime() time.Duration { return time.Nanosecond }

var errFault = errors.New("engine died")

func (s *scripted) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	switch {
	case s.illegal > 0 && g.Ply() >= s.illegal:
		return rules.NewMove(1, 50, rules.Set{}), nil
	case s.fail > 0 && g.Ply() >= s.fail:
		return rules.Move{}, errFault
	case s.changes:
		if err := g.Play(g.Legal()[0]); err != nil {
			return rules.Move{}, err
		}
	}
	if s.deafness {
		ctx = context.Background()
	}
	time.Sleep(s.slow)
	return s.Random.Play(ctx, g)
}

func script(s scripted) Factory {
	return func() (Player, error) {
		p := s
		p.Seed(3)
		return &p, nil
	}
}

func TestTestPlayerFindsFaults(t *testing.T) {
	for want, s := range map[string]scripted{
		"illegal move":     {name: "x", illegal: 4},
		"engine died":      {name: "x", fail: 4},
		"no name":          {},
		"changed the game": {name: "x", changes: true},
		"context":          {name: "x", deafness: true},
	} {
		if err := TestPlayer(t.Context(), international, script(s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
	// A player that ignores its seed.
	var n uint64
	err := TestPlayer(t.Context(), international, func() (Player, error) { return &unseeded{n: &n}, nil })
	if err == nil || !strings.Contains(err.Error(), "seeded alike") {
		t.Errorf("error %v, want one about the seed", err)
	}
}

type unseeded struct {
	Random
	n *uint64
}

func (u *unseeded) Seed(uint64) { *u.n++; u.Random.Seed(*u.n) }
func (u *unseeded) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if u.rng == nil {
		u.Seed(0)
	}
	return u.Random.Play(ctx, g)
}

func TestMatchDoesNotDependOnScheduling(t *testing.T) {
	openings := mustOpenings(t)
	m := Match{Variant: international, A: depth(2), B: randomFactory, Openings: openings[:8], Games: 12, Seed: 5}
	var first Result
	var firstGames []string
	for _, concurrency := range []int{1, 2, 12} {
		m.Concurrency = concurrency
		var games []string
		m.OnGame = func(r GameRecord) error {
			games = append(games, fmt.Sprint(r.Number, r.Opening, r.A, r.White, r.Black, r.Game.Moves()))
			return nil
		}
		r, err := m.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if concurrency == 1 {
			first, firstGames = r, games
			continue
		}
		if !reflect.DeepEqual(r, first) || !slices.Equal(games, firstGames) {
			t.Errorf("%d games at a time: %+v, want %+v", concurrency, r, first)
		}
	}
	if first.Games() != 12 || first.Distinct != 12 || len(first.Duplicates) != 0 || first.Score() < 0.75 {
		t.Errorf("%+v", first)
	}
	if first.Wins+first.Draws+first.Losses != 12 || first.Pairs.Pairs() != 6 || first.A != "alphabeta-1:depth=2" {
		t.Errorf("%+v", first)
	}
}

func TestMatchColoursAndOpenings(t *testing.T) {
	openings := mustOpenings(t)
	m := Match{Variant: international, A: script(scripted{name: "a"}), B: script(scripted{name: "b"}), Openings: openings[:2], Games: 6, Seed: 1}
	m.OnGame = func(r GameRecord) error {
		o := openings[r.Number/2%2]
		if r.Prefix != len(o.Moves) || !slices.Equal(r.Game.Moves()[:r.Prefix], o.Moves) {
			t.Errorf("game %d does not begin with its opening", r.Number)
		}
		white, black := "a", "b"
		if r.Number%2 == 1 {
			white, black = black, white
		}
		if r.White != white || r.Black != black {
			t.Errorf("game %d: %s against %s", r.Number, r.White, r.Black)
		}
		return nil
	}
	if _, err := m.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestMatchReportsFaults(t *testing.T) {
	m := Match{Variant: international, A: randomFactory, B: script(scripted{name: "b", illegal: 20}), Games: 4, Seed: 1}
	r, err := m.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Wins != 4 || r.Illegal != [2]int{0, 4} {
		t.Errorf("an illegal move must lose: %+v", r)
	}
	m.B = script(scripted{name: "b", slow: 30 * time.Millisecond})
	m.MaxPlies, m.Games, m.Concurrency = 6, 2, 2
	if r, err = m.Play(t.Context()); err != nil || r.Overruns != [2]int{0, 6} || r.PlyLimits != 2 || r.Draws != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	m.B = script(scripted{name: "b", fail: 5})
	m.MaxPlies = 0
	if _, err = m.Play(t.Context()); !errors.Is(err, errFault) || !strings.Contains(err.Error(), "b: engine died") {
		t.Errorf("error %v, want the player's", err)
	}
	m.B = func() (Player, error) { return nil, errFault }
	if _, err = m.Play(t.Context()); !errors.Is(err, errFault) || !strings.Contains(err.Error(), "player B") {
		t.Errorf("error %v, want the factory's", err)
	}
}

func TestMatchDuplicates(t *testing.T) {
	// Two deterministic players and the same opening twice: the second pair repeats the first.
	openings := mustOpenings(t)[:1]
	m := Match{Variant: international, A: depth(1), B: depth(2), Openings: openings, Games: 4}
	r, err := m.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Distinct != 2 || !reflect.DeepEqual(r.Duplicates, [][2]int{{0, 2}, {1, 3}}) {
		t.Errorf("distinct %d, duplicates %v", r.Distinct, r.Duplicates)
	}
}

func TestMatchSPRTStopsAndCountsAPrefix(t *testing.T) {
	m := Match{
		Variant: international, A: depth(3), B: randomFactory, Openings: mustOpenings(t), Games: 400,
		SPRT: &SPRT{Elo0: 0, Elo1: 50}, Concurrency: 3, MaxPlies: 80,
	}
	next := 0
	m.OnGame = func(r GameRecord) error {
		if r.Number != next {
			t.Errorf("game %d comes when %d is due", r.Number, next)
		}
		next++
		return nil
	}
	r, err := m.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Accepted || r.Games() >= 100 || r.Games() != next || r.Interrupted {
		t.Errorf("%+v after %d games", r, next)
	}
	m.Concurrency, m.OnGame = 1, nil
	if again, err := m.Play(t.Context()); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("one game at a time: %+v, %v", again, err)
	}
}

// starter calls a function at the beginning of each game.
type starter struct {
	Player
	begin func()
}

func (s starter) NewGame() {
	s.begin()
	s.Player.NewGame()
}

func TestMatchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var late atomic.Int64 // games begun after the interruption
	first := func() (Player, error) {
		p, err := depth(2)()
		return starter{p, func() {
			if ctx.Err() != nil {
				late.Add(1)
			}
		}}, err
	}
	m := Match{Variant: international, A: first, B: depth(1), Openings: mustOpenings(t), Games: 2000, Concurrency: 3}
	count := 0
	m.OnGame = func(GameRecord) error {
		if count++; count == 6 {
			cancel()
		}
		return nil
	}
	r, err := m.Play(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// The number of games finished by then depends on timing, so the count begins when the first
	// one ends.
	if !r.Interrupted || r.Games() < 6 || r.Games()%2 != 0 || r.Games() != count {
		t.Errorf("%+v, %d games told", r, count)
	}
	if n := late.Load(); n > int64(m.Concurrency) {
		t.Errorf("%d games begun after the interruption, and at most %d were about to begin", n, m.Concurrency)
	}
	// An error of OnGame ends the match.
	m.OnGame = func(GameRecord) error { return errFault }
	if _, err := m.Play(t.Context()); !errors.Is(err, errFault) {
		t.Errorf("error %v, want that of OnGame", err)
	}
}

func TestMatchValidate(t *testing.T) {
	good := Match{Variant: international, A: randomFactory, B: randomFactory, Games: 2}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Match){
		"variant":     func(m *Match) { m.Variant = nil },
		"player":      func(m *Match) { m.B = nil },
		"at least 2":  func(m *Match) { m.Games = 0 },
		"odd":         func(m *Match) { m.Games = 7 },
		"concurrency": func(m *Match) { m.Concurrency = -1 },
		"SPRT":        func(m *Match) { m.SPRT = &SPRT{} },
	} {
		m := good
		change(&m)
		if _, err := m.Play(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// closing counts how many players are open.
type closing struct {
	Random
	open *atomic.Int32
}

func (c *closing) Close() error { c.open.Add(-1); return nil }

func TestMatchClosesPlayers(t *testing.T) {
	var open, made atomic.Int32
	f := func() (Player, error) {
		open.Add(1)
		made.Add(1)
		return &closing{*NewRandom(1), &open}, nil
	}
	m := Match{Variant: international, A: f, B: f, Games: 8, Concurrency: 3, MaxPlies: 20}
	if _, err := m.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open.Load() != 0 || made.Load() > 6 {
		t.Errorf("%d players made, %d still open", made.Load(), open.Load())
	}
}

func TestReferee(t *testing.T) {
	rng := NewRandom(1)
	g := rules.NewGame(international)
	for !g.Over() {
		m, err := rng.Play(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := Referee(international, g); err != nil {
		t.Error(err)
	}
	o, r := g.Outcome()
	g.End(rules.Draw, rules.Threefold)
	if err := Referee(international, g); err == nil {
		t.Errorf("a game that ended %s by %s passes as a draw", o, r)
	}
	g.End(rules.Draw, rules.PlyLimit)
	if err := Referee(international, g); err == nil {
		t.Error("a game that was over passes as drawn at the limit")
	}
	g.Undo()
	g.End(o, r)
	if err := Referee(international, g); err == nil {
		t.Error("a game without its last move passes")
	}
}

// quitter is a player that ends its games itself, and records how they ended.
type quitter struct {
	Random
	reasons []rules.Reason // of its games in their order
	game    int
	heard   *[]rules.Reason
}

type quitting rules.Reason

func (q quitting) Error() string        { return "I quit: " + string(q) }
func (q quitting) Ending() rules.Reason { return rules.Reason(q) }

func (q *quitter) Name() string { return "quitter" }
func (q *quitter) NewGame()     { q.game++ }

func (q *quitter) GameOver(g *rules.Game) {
	_, reason := g.Outcome()
	*q.heard = append(*q.heard, reason)
}

func (q *quitter) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if g.Ply() >= 6 {
		return rules.Move{}, fmt.Errorf("wrapped: %w", quitting(q.reasons[q.game-1]))
	}
	return q.Random.Play(ctx, g)
}

// A player that ends its game loses that game, for the reason it gives, and the match continues.
func TestEnding(t *testing.T) {
	var heard []rules.Reason
	reasons := []rules.Reason{rules.PlayerFailure, rules.TimeForfeit, rules.Resignation, rules.PlayerFailure}
	var faults []string
	m := Match{
		Variant: international, Games: 4, Concurrency: 1,
		A: func() (Player, error) { return &quitter{Random: *NewRandom(1), reasons: reasons, heard: &heard}, nil },
		B: randomFactory,
		OnGame: func(g GameRecord) error {
			faults = append(faults, g.Fault)
			return nil
		},
	}
	r, err := m.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Losses != 4 || r.Failures != [2]int{2, 0} || r.Forfeits != [2]int{1, 0} {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(heard, reasons) {
		t.Errorf("heard %q, want %q", heard, reasons)
	}
	if want := "ply 6: quitter: wrapped: I quit: player failure"; len(faults) != 4 || faults[0] != want {
		t.Errorf("faults %q, want first %q", faults, want)
	}
}
