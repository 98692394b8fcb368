package selfplay

import (
	"math"
	"sync"
	"testing"

	"damier/data"
	"damier/rules"
)

// An observer reads the boards all the time while games are played. It sees only positions of the
// games that the boards name, and the games are the same as without an observer.
func TestBoardsWhilePlaying(t *testing.T) {
	want := play(t, newActor(t, small, nil), 0, 6)
	a := newActor(t, small, nil)
	a.Renumber(0, 6)
	// The observer runs once in every round of the actor, which continues meanwhile.
	turn, seen := make(chan struct{}), map[string][]Board{}
	var looker sync.WaitGroup
	looker.Go(func() {
		for range turn {
			if b, ok := a.Board(); ok {
				seen[b.Game] = append(seen[b.Game], b)
			}
		}
	})
	got := map[string]data.Game{}
	look := func() bool { turn <- struct{}{}; return false }
	if err := a.Run(t.Context(), look, func(g data.Game) { got[g.ID] = g }); err != nil {
		t.Fatal(err)
	}
	close(turn)
	looker.Wait()
	if len(got) != len(want) || len(seen) == 0 {
		t.Fatalf("%d games played, %d without a looker, %d seen", len(got), len(want), len(seen))
	}
	for id, boards := range seen {
		game, ok := got[id]
		if !ok || len(game.Plies) != len(want[id].Plies) {
			t.Fatalf("game %s: played %t, %d plies, without a looker %d", id, ok, len(game.Plies), len(want[id].Plies))
		}
		for _, b := range boards {
			if b.Ply < len(game.Plies) && b.Position.Key() != game.Plies[b.Ply].Position.Key() {
				t.Fatalf("game %s, ply %d: another position is seen", id, b.Ply)
			}
			if b.Ply > 0 && b.Last != game.Plies[b.Ply-1].Moves[game.Plies[b.Ply-1].Played] {
				t.Fatalf("game %s, ply %d: another move is seen", id, b.Ply)
			}
			if sum := b.White.Win + b.White.Draw + b.White.Loss; sum != 0 && math.Abs(float64(sum)-1) > 1e-3 {
				t.Fatalf("game %s, ply %d: White is expected to have %v", id, b.Ply, b.White)
			}
		}
	}
}

// A board shows White's expected score, whoever moved last, also after forced moves; the record of
// a game gives the same board.
func TestLookAt(t *testing.T) {
	record := data.Game{ID: "g", Variant: v.Name, Start: v.Start()}
	if b := LookAt(v, &record); b.Ply != 0 || b.White != (rules.WDL{}) || b.Position != v.Start() {
		t.Errorf("a game without a move: %+v", b)
	}
	p := v.Start()
	for i, root := range []rules.WDL{{Win: 0.5, Draw: 0.3, Loss: 0.2}, {Win: 0.1, Draw: 0.2, Loss: 0.7}, {}} {
		moves := v.AppendMoves(nil, p)
		ply := data.Ply{Position: p, Moves: moves, Played: 1, Root: root}
		if root != (rules.WDL{}) {
			ply.Simulations = 8
		}
		record.Plies = append(record.Plies, ply)
		p = v.Play(p, moves[1])
		want := []rules.WDL{{Win: 0.5, Draw: 0.3, Loss: 0.2}, {Win: 0.7, Draw: 0.2, Loss: 0.1}, {Win: 0.7, Draw: 0.2, Loss: 0.1}}[i]
		if b := LookAt(v, &record); b.White != want || b.Last != moves[1] || b.Position != p || b.Ply != i+1 {
			t.Errorf("after %d plies: %+v, want %v", i+1, b, want)
		}
	}
	a := newActor(t, small, nil)
	a.Renumber(0, 6)
	if err := a.Run(t.Context(), after(100), func(data.Game) {}); err != nil {
		t.Fatal(err)
	}
	b, ok := a.Board()
	under := a.Unfinished()
	if !ok || len(under) != 1 {
		t.Fatalf("%d games under way, on a board %t", len(under), ok)
	}
	if c := LookAt(v, &under[0]); c != b {
		t.Errorf("%+v of its record, %+v of the actor", c, b)
	}
}
