package web

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"damier/alphabeta"
	"damier/rules"
)

// counting is an evaluation that counts pieces, and how often it is asked.
type counting struct{ asked atomic.Int64 }

func (c *counting) Score(p rules.Position) alphabeta.Score {
	c.asked.Add(1)
	own, other := p.Pieces(p.Turn), p.Pieces(p.Turn.Opponent())
	return alphabeta.Score(100 * (own.Len() - other.Len()))
}

// nnueFor returns a Config.NNUE that has e for a variant and nothing for the others.
func nnueFor(name string, e alphabeta.Evaluator) func(*rules.Variant) alphabeta.Evaluator {
	return func(v *rules.Variant) alphabeta.Evaluator {
		if v.Name == name {
			return e
		}
		return nil
	}
}

// player returns who sits at a side of a state.
func player(s body, side string) any {
	return s["seats"].(map[string]any)[side].(map[string]any)["player"]
}

// Where there is a trained evaluation, it is the opponent and analyses, though there be a model.
func TestNNUE(t *testing.T) {
	e := &counting{}
	p := serve(t, Config{Models: withModel, NNUE: nnueFor("russian", e)})
	s := p.open(body{"variant": "russian"})
	if player(s, "white") != person || player(s, "black") != trained || s["nnue"] != true || s["best"] != trained {
		t.Errorf("the board begins with %v, nnue %v, best %v", s["seats"], s["nnue"], s["best"])
	}
	p.act("move", body{"index": 0})
	p.until("answered", func(s map[string]any) bool { return s["ply"] == 2.0 && s["thinking"] == false })
	if e.asked.Load() == 0 {
		t.Error("the opponent has not asked the network")
	}
	for _, asked := range []string{model, alphaBeta, trained} {
		if s = p.act("seats", body{"seats": body{"black": body{"player": asked}}}); player(s, "black") != asked {
			t.Errorf("%s does not sit down: %v", asked, s["seats"])
		}
	}

	e.asked.Store(0)
	p.act("analyse", body{"on": true})
	p.listen(func(event string, data map[string]any) bool {
		if event != "analysis" {
			return false
		}
		if data["engine"] != trained || data["wdl"] != nil {
			t.Errorf("it is analysed so: %v", data)
		}
		return true
	})
	if e.asked.Load() == 0 {
		t.Error("the analysis has not asked the network")
	}
	p.act("analyse", body{"on": false})

	s = p.act("new", body{"variant": "thai"})
	if player(s, "black") != model || s["nnue"] != nil || s["best"] != model {
		t.Errorf("a variant without one has %v, nnue %v, best %v", s["seats"], s["nnue"], s["best"])
	}
	if _, state := p.get(tacticPath(tacticsOf("russian")[0])); !strings.Contains(state, `"engine":"model"`) {
		t.Errorf("a tactic is not watched by the model: %s", state)
	}
}

// The review and the threat are the network's, too, in points of their own.
func TestNNUEJudges(t *testing.T) {
	e := &counting{}
	w := &worker{nnue: nnueFor("russian", e), points: 128, rng: rand.New(rand.NewPCG(1, 1))}
	v, err := rules.Lookup("russian", nil)
	if err != nil {
		t.Fatal(err)
	}
	for engine, points := range map[string]float64{trained: 128, alphaBeta: handPoints} {
		e.asked.Store(0)
		if _, err := w.judge(t.Context(), rules.NewGameFrom(v, v.Start()), engine, effort{Depth: 3}); err != nil {
			t.Fatal(err)
		}
		if asked := e.asked.Load() > 0; asked != (engine == trained) {
			t.Errorf("%s has asked the nnue: %v", engine, asked)
		}
		ab, err := w.depthFirst(v, engine, alphabeta.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ab.expected(100), 1/(1+math.Exp(-100/points)); got != want {
			t.Errorf("%s expects %.3f of 100 points, want %.3f", engine, got, want)
		}
	}
}

// Nothing is said of a network that is not there, and who wants it gets another engine.
func TestNoNNUE(t *testing.T) {
	for best, models := range map[string]func(*rules.Variant) (Model, error){model: withModel, alphaBeta: nil} {
		p := serve(t, Config{Models: models})
		for _, asked := range []body{nil, {"black": body{"player": trained}}} {
			if s := p.open(body{"seats": asked}); player(s, "black") != best || s["nnue"] != nil || s["best"] != best {
				t.Errorf("%v asked, there are %v, nnue %v, best %v; want %s", asked, s["seats"], s["nnue"], s["best"], best)
			}
		}
	}
}

// A model that was asked for is the opponent in its variant.
func TestModelFirst(t *testing.T) {
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, Config{Models: withModel, NNUE: func(*rules.Variant) alphabeta.Evaluator { return &counting{} }, ModelFirst: true, Variant: english})
	if s := p.open(body{}); player(s, "black") != model || s["best"] != model || s["nnue"] != true {
		t.Errorf("a model that was asked for is not the opponent: %v, best %v", s["seats"], s["best"])
	}
	if s := p.open(body{"variant": "thai"}); player(s, "black") != trained || s["best"] != trained {
		t.Errorf("in another variant: %v, best %v", s["seats"], s["best"])
	}
}

// Of a network that somebody has brought along no Elo is told: what was measured are those of the program.
func TestOwnNetworkHasNoElo(t *testing.T) {
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Models: withModel, NNUE: func(*rules.Variant) alphabeta.Evaluator { return &counting{} }, Variant: english}
	own, first := c, c
	own.OwnNNUE = "mine"
	first.ModelFirst = true
	for _, x := range []struct {
		name   string
		c      Config
		engine string // that has no Elo
		called string // the NNUE
	}{{"as it comes", c, "", ""}, {"own NNUE", own, trained, "mine"}, {"own model", first, model, ""}} {
		s := New(x.c)
		if got := s.ownNNUE(english); got != x.called {
			t.Errorf("%s: the NNUE is called %q, want %q", x.name, got, x.called)
		}
		for _, engine := range []string{trained, alphaBeta} {
			if rated := len(s.elo(english)[engine]) > 0; rated == (engine == x.engine) {
				t.Errorf("%s: %s is rated: %v", x.name, engine, rated)
			}
		}
		if s.elo(rules.International)[model] == nil || s.ownNNUE(rules.International) != "" {
			t.Errorf("%s: in another variant what comes with the program is not rated, or the NNUE is called another's name", x.name)
		}
		s.Close()
	}
	first.Variant = rules.International
	s := New(first)
	defer s.Close()
	if s.elo(rules.International)[model] != nil {
		t.Error("a model that somebody has chosen is rated as that of the program")
	}
}
