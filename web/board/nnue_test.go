package board

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"damier/engine"
	"damier/rules"
	"damier/web/searches"
)

// player returns the player of a side in a state.
func player(s body, side string) any {
	return s["seats"].(map[string]any)[side].(map[string]any)["player"]
}

// With a network the opponent is the variant's stronger search over it. The other search can be
// chosen. A tree search analyses.
func TestNetwork(t *testing.T) {
	p := serve(t, networkConfig(evens, "russian", "turkish"))
	s := p.open(body{"variant": "turkish"})
	if player(s, "black") != searches.Trained || s["best"] != searches.Trained {
		t.Errorf("the board begins with %v, best %v", s["seats"], s["best"])
	}
	s = p.open(body{"variant": "russian"})
	if player(s, "white") != person || player(s, "black") != searches.Trained || s["nnue"] != true || s["search"] != true || s["best"] != searches.Trained {
		t.Errorf("the board begins with %v, nnue %v, best %v", s["seats"], s["nnue"], s["best"])
	}
	p.act("move", body{"index": 0})
	p.until("answered", func(s map[string]any) bool { return s["ply"] == 2.0 && s["thinking"] == false })
	for _, asked := range []string{searches.AlphaBeta, searches.Trained, searches.TreeSearch} {
		if s = p.act("seats", body{"seats": body{"black": body{"player": asked}}}); player(s, "black") != asked {
			t.Errorf("%s does not sit down: %v", asked, s["seats"])
		}
	}
	p.act("analyse", body{"on": true})
	p.listen(func(event string, data map[string]any) bool {
		if event != "analysis" {
			return false
		}
		visits := 0.0
		for _, m := range data["moves"].([]any) {
			m := m.(map[string]any)
			visits += m["visits"].(float64)
			if score, ok := m["score"].(float64); ok && !(score >= 0 && score <= 1) {
				t.Errorf("a move scores %g", score)
			}
		}
		if data["engine"] != searches.TreeSearch || visits < 1 || visits > data["nodes"].(float64) {
			t.Errorf("the analysis is %v", data)
		}
		return true
	})
	p.act("analyse", body{"on": false})
	if s = p.act("new", body{"variant": "thai"}); player(s, "black") != searches.AlphaBeta || s["nnue"] != nil || s["best"] != searches.AlphaBeta {
		t.Errorf("a variant without one has %v, nnue %v, best %v", s["seats"], s["nnue"], s["best"])
	}
}

// A request for a network that does not exist gets another engine.
func TestNoNetwork(t *testing.T) {
	p := serve(t, networkConfig(evens, "russian"))
	for _, asked := range []string{searches.Trained, searches.TreeSearch} {
		s := p.open(body{"variant": "thai", "seats": body{"black": body{"player": asked}}})
		if player(s, "black") != searches.AlphaBeta || s["search"] != nil || s["nnue"] != nil {
			t.Errorf("asked for %s: the seats are %v, search %v", asked, s["seats"], s["search"])
		}
	}
}

// No Elo is shown for a user's own network, because only the program's networks were measured.
func TestOwnNetworkHasNoElo(t *testing.T) {
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	own := evensConfig()
	own.Network = func(v *rules.Variant) (string, bool) {
		if v == english {
			return "mine", true
		}
		return "", true
	}
	for name, c := range map[string]Config{"": evensConfig(), "mine": own} {
		s := New(c)
		if got := s.config.Own(english); got != name {
			t.Errorf("the network is called %q, want %q", got, name)
		}
		if rated := len(s.elo(english)[searches.Trained]) > 0; rated != (name == "") {
			t.Errorf("%q is rated: %v", name, rated)
		}
		if len(s.elo(rules.International)[searches.Trained]) == 0 || len(s.elo(english)[searches.AlphaBeta]) == 0 {
			t.Errorf("%q: what comes with the program is not rated", name)
		}
		s.Close()
	}
}

// Every level answers with a legal move, with and without a clock, and so does a search without
// any time.
func TestLevels(t *testing.T) {
	w := &searches.Worker{Networks: networkConfig(evens).Networks, Rand: rand.New(rand.NewPCG(1, 1))}
	for _, name := range []string{"international", "turkish", "antidraughts"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(v)
		for n := 1; n < engine.Levels(); n += 2 {
			for _, limit := range []time.Duration{searches.MoveTime, 20 * time.Millisecond, time.Nanosecond} {
				found, err := play(t.Context(), w, g, seat{Player: searches.TreeSearch, Level: n}, limit)
				if err != nil {
					t.Fatalf("%s, level %d, %s: %v", name, n, limit, err)
				}
				if next := g.Clone(); next.Play(found.Move) != nil {
					t.Errorf("%s, level %d, %s: %v is no move", name, n, limit, found.Move)
				}
			}
		}
	}
}

// The analysis reports proved results, of the position and of its moves.
func TestTreeProves(t *testing.T) {
	w := &searches.Worker{Networks: networkConfig(evens).Networks, Rand: rand.New(rand.NewPCG(1, 1))}
	v := rules.International
	p, err := rules.ParseFEN(v, "B:W32:B27,28")
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGameFrom(v, p)
	var last engine.Thought
	if err := analyse(t.Context(), w, g, searches.TreeSearch, func(found engine.Thought) { last = found }); err != nil {
		t.Fatal(err)
	}
	if last.Proof != engine.ProvedWin || len(last.Moves) == 0 || last.Moves[0].Proof != engine.ProvedWin || last.Expected != 1 {
		t.Fatalf("proof %d, score %g, moves %+v", last.Proof, last.Expected, last.Moves)
	}
	var told map[string]any
	if err := json.Unmarshal(analysisOf(g, 1, searches.TreeSearch, last), &told); err != nil {
		t.Fatal(err)
	}
	if first := told["moves"].([]any)[0].(map[string]any); told["proof"] != "black" || first["proof"] != "black" || told["score"] != 0.0 {
		t.Errorf("the analysis is %v", told)
	}
}
