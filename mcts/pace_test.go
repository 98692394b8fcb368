package mcts

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"damier/rules"
)

// TestSettled: a choice that is said to be settled for so many simulations is the same after them.
func TestSettled(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	settled, open := 0, 0
	for _, least := range []float64{1, 0.2} {
		for range 30 {
			g := randomGame(rng, 10+rng.IntN(40))
			if g.Over() || len(g.Legal()) < 2 {
				continue
			}
			s := NewSearch(rules.International, Config{Root: PUCT, LeastVisits: least})
			s.Start(g, Budget{Simulations: 1 << 20}, nil)
			run := func(n int) {
				s.budget.Simulations = s.ended + n
				if _, err := s.Run(context.Background(), evalFunc(opinion), 1); err != nil {
					t.Fatal(err)
				}
			}
			run(50)
			for range 20 {
				more := 1 + rng.IntN(60)
				if s.nodes[rootID].proof != NotProved || !s.settled(float64(more)) {
					open++
					run(more)
					continue
				}
				settled++
				before := s.best()
				for range more {
					run(1)
					if now := s.best(); now != before && s.edgesOf(&s.nodes[rootID])[before].value != lost {
						t.Fatalf("least %g: move %d was settled, now it is %d", least, before, now)
					}
				}
			}
		}
	}
	if settled < 20 || open < 20 {
		t.Errorf("only %d choices were settled and %d open", settled, open)
	}
}

// TestPace: a search ends when its time is over, sooner when its choice is settled, later when its
// best move falls.
func TestPace(t *testing.T) {
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{Root: PUCT})
	s.Start(g, Budget{Simulations: 200}, nil)
	if _, err := s.Run(context.Background(), evalFunc(uniform), 1); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	edges := s.edgesOf(&s.nodes[rootID])
	set := func(visits int32, value float32) { // of the move that is best; the others are equal
		for i := range edges {
			edges[i].visits, edges[i].value = 20, 0.4
		}
		edges[3].visits, edges[3].value = visits, value
	}
	for _, c := range []struct {
		name       string
		visits     int32
		half, last float32 // value halfway, and from then on
		must       time.Duration
		over       time.Duration // when it is over, in steps of a tenth
	}{
		{"even", 21, 0.5, 0.5, 4 * time.Second, time.Second},
		{"settled", 230, 0.5, 0.5, 4 * time.Second, 500 * time.Millisecond},
		{"falling", 21, 0.5, 0.45, 4 * time.Second, 2 * time.Second},
		{"falling without more time", 21, 0.5, 0.45, 0, time.Second},
		{"falling with little more time", 21, 0.5, 0.45, 1300 * time.Millisecond, 1300 * time.Millisecond},
		{"rising", 21, 0.5, 0.6, 4 * time.Second, time.Second},
	} {
		p := Pace{Began: began, Should: time.Second, Must: c.must}
		set(c.visits, c.half)
		at := time.Duration(0)
		for !p.Over(s, began.Add(at)) {
			if at += 100 * time.Millisecond; at > time.Minute {
				t.Fatalf("%s: without an end", c.name)
			}
			if at > 500*time.Millisecond {
				set(c.visits, c.last)
			}
		}
		if at != c.over {
			t.Errorf("%s: over after %v, want %v", c.name, at, c.over)
		}
	}
}
