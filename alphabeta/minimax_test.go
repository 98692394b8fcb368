package alphabeta

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"damier/rules"
)

// minimax is the plain twin of Engine.visit with NoReductions: no bounds, no table, no order. The value of a
// position is by definition
//
//   - 0 if it occurred before on the path from the root, or twice in the game, or a move-count rule draws it
//     and there is a move;
//   - a loss if there is no move;
//   - its static evaluation if the depth is used up and no capture is pending;
//   - else the best of its moves, each a ply deeper; captures go on where the depth is used up.
type minimax struct {
	v    *rules.Variant
	eval scorer
	game []rules.Position // before the root
	path []rules.Position // from the root
}

func (t *minimax) value(p rules.Position, depth int) Score {
	ply := len(t.path)
	moves := t.v.AppendMoves(nil, p)
	if len(moves) == 0 {
		return -Mate + Score(ply)
	}
	if ply > 0 {
		if t.occurred(p) || t.v.DrawByCount(p) != rules.NoReason {
			return 0
		}
		if depth <= 0 && !moves[0].IsCapture() {
			return t.eval.score(p)
		}
	}
	best := -infinite
	t.path = append(t.path, p)
	for _, m := range moves {
		best = max(best, -t.value(t.v.Play(p, m), depth-1))
	}
	t.path = t.path[:ply]
	return best
}

func (t *minimax) occurred(p rules.Position) bool {
	for _, q := range t.path {
		if q.Same(p) {
			return true
		}
	}
	n := 0
	for _, q := range t.game {
		if q.Same(p) {
			n++
		}
	}
	return n >= 2
}

// randomGames returns n unfinished games, some moves before their end or at any time, so that every phase
// is there: openings, captures, kings, lone kings, repetitions.
func randomGames(n int, seed uint64) []*rules.Game {
	rng := rand.New(rand.NewPCG(seed, 7))
	var games []*rules.Game
	for len(games) < n {
		g := rules.NewGame(rules.International)
		for stop := rng.IntN(240); !g.Over() && g.Ply() < stop; {
			legal := g.Legal()
			m := legal[rng.IntN(len(legal))]
			if k := len(g.Moves()); k >= 2 && rng.IntN(3) == 0 {
				// Back where it came from, if it can: that makes repetitions.
				if back := rules.NewMove(g.Moves()[k-2].To, g.Moves()[k-2].From, rules.Set{}); contains(legal, back) {
					m = back
				}
			}
			if err := g.Play(m); err != nil {
				panic(err)
			}
		}
		for back := 1 + rng.IntN(15); g.Over() || back > 0 && rng.IntN(2) == 0; back-- {
			g.Undo()
		}
		if !g.Over() {
			games = append(games, g)
		}
	}
	return games
}

func contains(moves []rules.Move, m rules.Move) bool {
	for _, x := range moves {
		if x == m {
			return true
		}
	}
	return false
}

// values returns the scores of the iterations 1 to depth.
func values(t testing.TB, c Config, g *rules.Game, depth int) []Score {
	t.Helper()
	e, err := New(rules.International, c)
	if err != nil {
		t.Fatal(err)
	}
	var s []Score
	if _, err := e.Search(context.Background(), g, Limits{Depth: depth}, func(i Info) { s = append(s, i.Score) }); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestExactlyMinimax compares 1,000 positions with the twin at depths 1 to 3, and some of them deeper. With
// DAMIER_LONG=1 it is depths 1 to 6 for all of them, which takes an hour.
func TestExactlyMinimax(t *testing.T) {
	long := os.Getenv("DAMIER_LONG") == "1"
	repeated, drawn, mates, kings := 0, 0, 0, 0
	games := randomGames(1000, 1)
	for i, g := range games {
		p := g.Position()
		depth := 3
		switch n := rules.International.CountMoves(p); {
		case long || i%25 == 0 && n < 7:
			depth = 6
		case i%10 == 0 && n < 12:
			depth = 4
		}
		table := values(t, Config{NoReductions: true, TableBits: 16}, g, depth)
		plain := values(t, Config{NoReductions: true, NoTable: true}, g, depth)
		ties := values(t, Config{NoReductions: true, TableBits: 10, RandomTies: 15}, g, depth)
		eval := newScorer(rules.International, weights1)
		positions := g.Positions()
		for d := 1; d <= depth; d++ {
			twin := minimax{v: rules.International, eval: eval, game: positions[:len(positions)-1]}
			want := twin.value(p, d)
			if table[d-1] != want || plain[d-1] != want || ties[d-1] != want {
				t.Fatalf("position %d, %s, Quiet %d, depth %d: %d with the table, %d without, %d with ties; minimax %d",
					i, rules.International.FEN(p), p.Quiet, d, table[d-1], plain[d-1], ties[d-1], want)
			}
			if want == 0 {
				drawn++
			}
			if max(want, -want) > MateBound {
				mates++
			}
		}
		if p.Quiet > 4 {
			repeated++
		}
		if !p.Kings(rules.White).Empty() && !p.Kings(rules.Black).Empty() {
			kings++
		}
	}
	t.Logf("%d positions: %d after king moves only, %d with kings of both sides; %d values drawn, %d won or lost",
		len(games), repeated, kings, drawn, mates)
	if repeated < 15 || kings < 40 || mates < 20 || drawn < 20 {
		t.Error("the positions do not reach every case")
	}
}
