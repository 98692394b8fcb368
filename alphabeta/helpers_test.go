package alphabeta

import (
	"context"
	"errors"
	"testing"
	"time"

	"damier/rules"
)

// Several goroutines must find what one finds where that is certain, wins and losses, and lines of
// legal moves everywhere.
func TestCores(t *testing.T) {
	proved := 0
	for i, v := range []*rules.Variant{rules.International, rules.Russian, rules.Canadian, rules.International} {
		version := []string{"alphabeta-1", "alphabeta-2"}[i/2]
		one, err := New(v, Config{Version: version, TableBits: 14})
		if err != nil {
			t.Fatal(err)
		}
		many, err := New(v, Config{Version: version, TableBits: 14, Cores: 4})
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range randomGames(v, 40, 11) {
			one.NewGame()
			many.NewGame()
			a, err := one.Search(t.Context(), g, Limits{Depth: 7}, nil)
			if err != nil {
				t.Fatal(err)
			}
			sure := max(a.Score, -a.Score) >= MateBound
			if !sure && i >= 5 {
				continue
			}
			limit := 20 * time.Millisecond
			if sure {
				limit = 10 * time.Second // a proof ends the search
			}
			b, err := many.Search(t.Context(), g, Limits{Time: limit}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if sure {
				proved++
				if (a.Score > 0) != (b.Score > 0) || max(b.Score, -b.Score) < MateBound {
					t.Errorf("%s: score %d, of four cores %d", v.FEN(g.Position()), a.Score, b.Score)
				}
			}
			line := g.Clone()
			for _, m := range b.PV {
				if line.Over() {
					t.Errorf("%s: the line goes on after the end of the game", v.FEN(g.Position()))
					break
				}
				if err := line.Play(m); err != nil {
					t.Errorf("%s: the line of four cores: %v", v.FEN(g.Position()), err)
					break
				}
			}
		}
	}
	if proved == 0 {
		t.Error("no win or loss among the positions: the test says nothing")
	}
}

// Helpers stop with the engine, whatever stops that, and are counted.
func TestCoresStop(t *testing.T) {
	v := rules.International
	e, err := New(v, Config{TableBits: 14, Cores: 3})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(v)
	var all, own uint64
	for limit := 20 * time.Millisecond; all <= own && limit < 5*time.Second; limit *= 2 { // a busy machine lets helpers wait
		r, err := e.Search(t.Context(), g, Limits{Time: limit, Whole: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, own = r.Nodes, e.nodes
	}
	if all <= own {
		t.Errorf("%d nodes, %d of them the engine's own", all, own)
	}
	var nodes [2]uint64
	for i := range nodes {
		e.NewGame()
		r, err := e.Search(t.Context(), g, Limits{Depth: 7}, nil)
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = r.Nodes
	}
	if nodes[0] != nodes[1] {
		t.Errorf("two searches to one depth visit %d and %d nodes", nodes[0], nodes[1])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if r, err := e.Search(ctx, g, Limits{}, nil); !errors.Is(err, context.DeadlineExceeded) || len(r.PV) == 0 {
		t.Errorf("cancelled: %v, line %v", err, r.PV)
	}
	// Between searches nobody works.
	before := e.team.nodes.Load()
	time.Sleep(5 * time.Millisecond)
	if after := e.team.nodes.Load(); after != before {
		t.Errorf("helpers visited %d nodes after the search", after-before)
	}
	for _, c := range []Config{{Cores: -1}, {Cores: 1000}, {Cores: 2, NoTable: true}, {Cores: 2, NoReductions: true}} {
		if _, err := New(v, c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
