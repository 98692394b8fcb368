package play

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
)

// conformance plays a match of a program behind a protocol against the baseline. The program must
// make no illegal move, not fail and not lose on time.
func conformance(t *testing.T, m arena.Match) {
	t.Helper()
	v := rules.International
	openings, err := arena.Openings(v)
	if err != nil {
		t.Fatal(err)
	}
	m.Variant, m.Openings, m.Concurrency = v, openings, 1
	m.B = func() (arena.Player, error) {
		return engine.NewAlphaBetaPlayer(v, alphabeta.Config{TableBits: 16}, engine.Limits{Depth: 2})
	}
	m.OnGame = func(g arena.GameRecord) error {
		if g.Fault != "" {
			t.Errorf("game %d: %s", g.Number+1, g.Fault)
		}
		return nil
	}
	began := time.Now()
	r, err := m.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d games, +%d =%d -%d, %d plies, %d moves late by more than 20 ms, in %s", r.A, r.Games(), r.Wins, r.Draws, r.Losses, r.Plies, r.Overruns[0],
		time.Since(began).Round(time.Second))
	if r.Games() != m.Games || r.Illegal != [2]int{} || r.Failures != [2]int{} || r.Forfeits != [2]int{} {
		t.Errorf("%+v", r)
	}
}

// long reports whether the environment asks for the tests that take minutes: a hundred games by
// each protocol at 20 ms a move.
func long() bool { return os.Getenv("DAMIER_LONG") == "1" }

// The program plays games by Hub as a process of its own against our side of the protocol: with
// the alpha-beta search and with the model, under limits of every kind and by the clock. A few
// quick games; with DAMIER_LONG=1 a hundred.
func TestConformanceHub(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "play") // the test binary under the name of the program
	if err := os.Symlink(binary, program); err != nil {
		t.Fatal(err)
	}
	games, move := 2, hub.Limits{Depth: 1}
	if long() {
		games, move = 100, hub.Limits{Time: 20 * time.Millisecond}
	}
	for _, c := range []struct {
		name   string
		games  int
		args   []string
		limits hub.Limits
		clock  *arena.Control
	}{
		{"alphabeta", games, []string{"--player", "alphabeta"}, move, nil},
		{"model", max(2, games/5), nil, hub.Limits{Nodes: 8}, nil},
		{"clock", max(2, games/5), []string{"--player", "alphabeta"}, hub.Limits{Depth: 3}, &arena.Control{Time: 4 * time.Second, Increment: 20 * time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conformance(t, arena.Match{Games: c.games, Clock: c.clock, A: func() (arena.Player, error) {
				return hub.NewPlayer(t.Context(), hub.PlayerConfig{
					Variant: rules.International, Command: append([]string{program, "hub"}, c.args...), Limits: c.limits,
					Grace:  2 * time.Second, // other programs may use the cores, so late moves are only counted
					Params: []hub.Arg{{Name: "tt-size", Value: "16", HasValue: true}},
				})
			}})
		})
	}
}

// The initiator of DXP plays games against `play dxp` as the follower. A few quick games; with
// DAMIER_LONG=1 a hundred.
func TestConformanceDXP(t *testing.T) {
	games, player := 2, "alphabeta:depth=1"
	if long() {
		games, player = 100, "alphabeta:time=20ms"
	}
	ctx, cancel := context.WithCancel(t.Context())
	address, end := listenDXP(t, ctx, "--player", player)
	conformance(t, arena.Match{Games: games, A: func() (arena.Player, error) {
		return dxp.NewPlayer(t.Context(), dxp.PlayerConfig{Address: address, Time: 2 * time.Minute, Session: dxp.Config{Variant: rules.International, Name: "Damier"}})
	}})
	cancel()
	end()
}
