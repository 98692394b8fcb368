package web

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
	"damier/strength"
)

// pieces is an evaluator that counts pieces.
type pieces struct{}

func (pieces) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		l := &leaves[i]
		for j := range l.Priors {
			l.Priors[j] = 1 / float32(len(l.Priors))
		}
		own, other := l.Position.Pieces(l.Position.Turn).Len(), l.Position.Pieces(l.Position.Turn.Opponent()).Len()
		win := float32(1 / (1 + math.Exp(float64(other-own))))
		l.Value = rules.WDL{Win: win, Loss: 1 - win}
	}
	return nil
}

// withTree is a Config with an NNUE and a tree search for every variant.
func withTree() Config {
	return Config{
		NNUE: func(*rules.Variant) alphabeta.Evaluator { return &counting{} },
		Tree: func(_ *rules.Variant, n int) []mcts.Evaluator {
			evs := make([]mcts.Evaluator, n)
			for i := range evs {
				evs[i] = pieces{}
			}
			return evs
		},
		Search: mcts.Config{Share: true, Best: 0.7, Scout: 64},
	}
}

// TestTreeAtTheBoard: the tree search plays where it is asked to, and analyses; who has not chosen plays the NNUE.
func TestTreeAtTheBoard(t *testing.T) {
	p := serve(t, withTree())
	s := p.open(body{"variant": "russian"})
	if player(s, "black") != trained || s["search"] != true || s["best"] != trained {
		t.Errorf("the board begins with %v, search %v, best %v", s["seats"], s["search"], s["best"])
	}
	if s = p.act("seats", body{"seats": body{"black": body{"player": treeSearch, "level": 8}}}); player(s, "black") != treeSearch {
		t.Errorf("it does not sit down: %v", s["seats"])
	}
	p.act("move", body{"index": 0})
	p.until("answered", func(s map[string]any) bool { return s["ply"] == 2.0 && s["thinking"] == false })
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
		if data["engine"] != treeSearch || data["wdl"] != nil || visits < 1 || visits > data["nodes"].(float64) {
			t.Errorf("it is analysed so: %v", data)
		}
		return true
	})
	p.act("analyse", body{"on": false})
	if s = p.act("new", body{"variant": "thai"}); player(s, "black") != treeSearch {
		t.Errorf("in the next game %v sits there", s["seats"])
	}
}

// TestNoTree: without an NNUE there is none, and who wants it gets another engine.
func TestNoTree(t *testing.T) {
	c := withTree()
	c.NNUE = nnueFor("russian", &counting{})
	p := serve(t, c)
	if s := p.open(body{"variant": "thai", "seats": body{"black": body{"player": treeSearch}}}); player(s, "black") != alphaBeta || s["search"] != nil {
		t.Errorf("%v sits there, search %v", s["seats"], s["search"])
	}
}

// TestTreeLevels: every level answers with a legal move, with and without a clock, and a search that is not given any time
// does, too.
func TestTreeLevels(t *testing.T) {
	c := withTree()
	w := &worker{nnue: c.NNUE, tree: c.Tree, constants: c.Search, looks: map[string][]mcts.Evaluator{}, rng: rand.New(rand.NewPCG(1, 1))}
	for _, name := range []string{"international", "turkish", "antidraughts"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(v)
		for n := 1; n <= strength.Count(); n++ {
			for _, limit := range []time.Duration{moveTime, 20 * time.Millisecond, time.Nanosecond} {
				found, err := w.play(t.Context(), g, seat{Player: treeSearch, Level: n}, strength.Of(n), limit)
				if err != nil {
					t.Fatalf("%s, level %d, %s: %v", name, n, limit, err)
				}
				if next := g.Clone(); next.Play(found.best) != nil {
					t.Errorf("%s, level %d, %s: %v is no move", name, n, limit, found.best)
				}
			}
		}
	}
}

// TestTreeProves: what the search has proved is told, of the position and of its moves.
func TestTreeProves(t *testing.T) {
	c := withTree()
	w := &worker{tree: c.Tree, constants: c.Search, looks: map[string][]mcts.Evaluator{}}
	v := rules.International
	p, err := rules.ParseFEN(v, "B:W32:B27,28")
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGameFrom(v, p)
	var last thought
	if err := w.analyseByTree(t.Context(), g, func(found thought) { last = found }); err != nil {
		t.Fatal(err)
	}
	if last.proof != mcts.ProvedWin || len(last.lines) == 0 || last.lines[0].proof != mcts.ProvedWin || last.score != 1 {
		t.Fatalf("proof %d, score %g, moves %+v", last.proof, last.score, last.lines)
	}
	var told map[string]any
	if err := json.Unmarshal(analysisOf(g, 1, treeSearch, last), &told); err != nil {
		t.Fatal(err)
	}
	if first := told["moves"].([]any)[0].(map[string]any); told["proof"] != "black" || first["proof"] != "black" || told["score"] != 0.0 {
		t.Errorf("it is told so: %v", told)
	}
}
