package play

import (
	"context"
	"errors"
	"strings"
	"testing"

	"damier/engine"
	"damier/internal/cli"
	"damier/rules"
)

// failing is an engine whose searches fail after the first `left` ones.
type failing struct {
	engine.Engine
	left int
}

var errSearch = errors.New("the evaluation is no number")

func (f *failing) Think(ctx context.Context, g *rules.Game, l engine.Limits, report func(engine.Thought)) (engine.Thought, error) {
	if f.left == 0 {
		return engine.Thought{}, errSearch
	}
	f.left--
	return f.Engine.Think(ctx, g, l, report)
}

// TestFailingSearch: a failing search ends the session with its error and exit code 1, and no
// other move is played instead.
func TestFailingSearch(t *testing.T) {
	for _, c := range []struct {
		left   int
		people people
		lines  string
		plies  int
	}{
		{0, people{}, "", 0},
		{3, people{}, "", 3},
		{0, people{rules.White: true}, "32-28\n", 1},
		{0, people{rules.White: true, rules.Black: true}, "hint\n", 0},
		{0, people{rules.White: true, rules.Black: true}, "go\n", 0},
	} {
		var out strings.Builder
		s := &session{
			v: rules.International, title: "international", game: rules.NewGame(rules.International), people: c.people,
			engine: &failing{engine.NewRandom(rules.International, 1), c.left}, out: &errWriter{w: &out},
		}
		err := s.run(t.Context(), strings.NewReader(c.lines))
		if !errors.Is(err, errSearch) || cli.Code(err) != cli.Failure {
			t.Errorf("%d searches, %q: the session ends with %v, code %d", c.left, c.lines, err, cli.Code(err))
		}
		if s.game.Ply() != c.plies {
			t.Errorf("%d searches, %q: %d plies were played, want %d\n%s", c.left, c.lines, s.game.Ply(), c.plies, &out)
		}
	}
}
