package play

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/engine"
	"damier/internal/cli"
	"damier/rules"
	"damier/tui"
)

// hopeful plays the first legal move and always expects the same score.
type hopeful struct {
	engine.Engine
	expected float64
}

func (h hopeful) Think(_ context.Context, g *rules.Game, _ engine.Limits, _ func(engine.Thought)) (engine.Thought, error) {
	m := g.Legal()[0]
	return engine.Thought{Move: m, Line: []rules.Move{m}, Expected: h.expected}, nil
}

// lateGame returns a game of 66 plies that is not over for another 40 if the first legal move is
// played each time.
func lateGame(t *testing.T) *rules.Game {
	t.Helper()
	for seed := range uint64(1000) {
		g, random := rules.NewGame(rules.International), rand.New(rand.NewPCG(seed, 1))
		for g.Ply() < 106 && !g.Over() {
			n := 0
			if g.Ply() < 66 {
				n = random.IntN(len(g.Legal()))
			}
			if err := g.Play(g.Legal()[n]); err != nil {
				t.Fatal(err)
			}
		}
		if g.Over() {
			continue
		}
		for g.Ply() > 66 {
			g.Undo()
		}
		return g
	}
	t.Fatal("no such game")
	return nil
}

// TestEngineOffersDraw: late in a game that it expects to be drawn the engine offers a draw, in both
// terminals, and not where it hopes for more.
func TestEngineOffersDraw(t *testing.T) {
	for _, c := range []struct {
		expected float64
		offer    bool
	}{{0.5, true}, {0.6, false}} {
		e := hopeful{engine.NewRandom(rules.International, 1), c.expected}
		var out strings.Builder
		s := &session{
			v: rules.International, title: "international", game: lateGame(t), people: people{rules.White: true},
			engine: e, out: &errWriter{w: &out},
		}
		if err := s.run(t.Context(), strings.NewReader(strings.Repeat("go\n", 7)+"accept\n")); cli.Code(err) != cli.OK {
			t.Fatal(err)
		}
		if _, reason := s.game.Outcome(); (reason == rules.Agreement) != c.offer || strings.Count(out.String(), "offers a draw") > 1 {
			t.Errorf("expecting %g the game ends by %q after %d plies\n%s", c.expected, reason, s.game.Ply(), &out)
		}

		screen := &screenEngine{Engine: e}
		g := lateGame(t)
		play := func() {
			if err := g.Play(g.Legal()[0]); err != nil {
				t.Fatal(err)
			}
		}
		play() // the person, and then the two in turn
		for g.Ply() < 80 {
			x, err := screen.Think(t.Context(), g, tui.Play, func(tui.Thought) {})
			if err != nil {
				t.Fatal(err)
			}
			if want := c.offer && g.Ply() == 79; x.Offer != want {
				t.Errorf("on the screen, expecting %g: offer %t with ply %d", c.expected, x.Offer, g.Ply()+1)
			}
			play()
			play()
		}
	}
}
