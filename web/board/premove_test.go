package board

import (
	"math/rand/v2"
	"testing"
	"time"

	"damier/engine"
	"damier/rules"
)

// The premoves of a position are the paths of all moves after all replies, each once.
func TestPremovesOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	captures := 0
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(v)
		for range 60 {
			if g.Over() {
				break
			}
			want := map[string]bool{}
			for _, reply := range g.Legal() {
				next := rules.NewGameFrom(v, g.Position())
				if err := next.Play(reply); err != nil {
					t.Fatal(err)
				}
				for _, m := range next.Legal() {
					if next.Over() {
						break
					}
					paths := v.CapturePaths(next.Position(), m)
					if m.Captured().Len() > premoveJumps {
						paths = nil
					}
					for _, path := range paths {
						want[string(path)] = true
						captures++
					}
					if len(paths) == 0 {
						want[string([]rules.Square{m.From, m.To})] = true
					}
				}
			}
			before := g.Position()
			got := premovesOf(g.Clone(), time.Now().Add(time.Minute))
			for _, path := range got {
				if !want[string(path)] {
					t.Errorf("%s %s: %v is no move, or twice there", name, v.FEN(before), path)
				}
				delete(want, string(path))
			}
			if len(want) > 0 {
				t.Errorf("%s %s: %d moves are missing", name, v.FEN(before), len(want))
			}
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if captures < 100 {
		t.Errorf("only %d captures were among them", captures)
	}
}

// Premoves are sent while an engine thinks against a person, and at no other time.
func TestPremovesOfState(t *testing.T) {
	c := evensConfig()
	c.Networks.Open = func(v *rules.Variant, _, _ string) (engine.Engine, error) {
		return engine.NewBaseline(v, 12)
	}
	p := serve(t, c)
	s := p.open(body{"seats": people})
	if s["premoves"] != nil {
		t.Errorf("against a person there are premoves: %v", s["premoves"])
	}
	p.open(body{"seats": body{"white": body{"player": "person"}, "black": body{"player": "tree", "level": 10}}})
	b, err := p.board()
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	list := b.premoves()
	b.mu.Unlock()
	if list != nil {
		t.Errorf("the person is to move and has premoves: %v", list)
	}
	s = p.act("text", body{"text": "32-28"})
	if list, _ := s["premoves"].([]any); len(list) == 0 {
		t.Error("the engine thinks, and there are no premoves")
	}
	s = p.until("answered", func(s map[string]any) bool { return s["ply"] == 2.0 })
	if s["premoves"] != nil {
		t.Errorf("after the answer there are premoves: %v", s["premoves"])
	}
}

// A position with very many captures does not hold the board up.
func TestPremovesAreBounded(t *testing.T) {
	p, err := rules.ParseFEN(rules.Frisian, "B:WK5:B30,24,17,7,21,10,4,28,26,13,44,33,20,22,37,43,29,15,8,9")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	list := premovesOf(rules.NewGameFrom(rules.Frisian, p), began.Add(premoveTime))
	if took := time.Since(began); len(list) > maxPremoves || took > time.Minute {
		t.Errorf("%d premoves after %v", len(list), took)
	}
}
