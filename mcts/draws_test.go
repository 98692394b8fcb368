package mcts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"damier/rules"
)

// shuffle is a game in which both sides have moved a king there and back so often, and White moved
// another time; Black is to move and repeats the position with 6-1.
func shuffle(t *testing.T, rounds int) *rules.Game {
	t.Helper()
	g := gameFrom("W:WK46,K47,35:BK1,15,25")
	for i := range 4*rounds - 1 {
		play(t, g, [][2]rules.Square{{46, 41}, {1, 6}, {41, 46}, {6, 1}}[i%4])
	}
	return g
}

// play plays the first legal move of that origin and destination.
func play(t *testing.T, g *rules.Game, squares ...[2]rules.Square) {
	t.Helper()
	for _, s := range squares {
		i := slices.IndexFunc(g.Legal(), func(m rules.Move) bool { return m.From == s[0] && m.To == s[1] })
		if i < 0 {
			t.Fatalf("no move %d-%d in %s", s[0], s[1], rules.International.FEN(g.Position()))
		}
		if err := g.Play(g.Legal()[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRepetitionPreferred: the losing side repeats, at the second occurrence or, by the letter, at
// the third.
func TestRepetitionPreferred(t *testing.T) {
	for _, c := range []struct {
		rounds, rule int
		draw         bool
	}{{1, 2, true}, {1, 3, false}, {2, 2, true}, {2, 3, true}} {
		for _, root := range roots {
			g := shuffle(t, c.rounds)
			s := NewSearch(rules.International, Config{Root: root, RepetitionDraw: c.rule, Candidates: 64})
			r := run(t, s, g, Budget{Simulations: 300}, nil, whiteWins, 1)
			i := slices.IndexFunc(r.Moves, func(m rules.Move) bool { return m.From == 6 && m.To == 1 })
			e := s.edge(step{rootID, int32(i)})
			if e.child() == noNode {
				t.Fatalf("%s, %+v: 6-1 was not tried", root, c)
			}
			n := &s.nodes[e.child()]
			if (n.state == terminal) != c.draw {
				t.Errorf("%s, %+v: 6-1 leads to state %d", root, c, n.state)
			}
			if c.draw && (r.Best != i || r.Values[i] != 0.5) {
				t.Errorf("%s, %+v: plays %s, 6-1 is worth %g", root, c, rules.International.FormatMove(r.Moves[r.Best]), r.Values[i])
			}
			if !c.draw && n.occurs != 2 {
				t.Errorf("%s, %+v: after 6-1 the position has occurred %d times, want 2", root, c, n.occurs)
			}
		}
	}
}

// TestTrail: what a new node is compared with for repetition is what was played, forced plies
// included. A king's move is seldom forced, so half of the positions are chosen for it.
func TestTrail(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	forced := 0
	for i := 0; i < 20; {
		g := randomEnding(rng, 1+rng.IntN(4), 1+rng.IntN(4))
		p := g.Position()
		p.Turn = p.Turn.Opponent()
		if reply := rules.International.AppendMoves(nil, p); i%2 == 0 &&
			(len(reply) != 1 || reply[0].IsCapture() || !rules.International.Board.Has(p.Kings(p.Turn), reply[0].From)) {
			continue
		}
		p = g.Position()
		p.Quiet = uint8(2 + i%4) // the fourth quiet ply, with which comparing begins, is free or forced
		g = rules.NewGameFrom(rules.International, p)
		playRandom(g, rng, i%2*rng.IntN(8))
		if g.Over() || len(g.Legal()) == 1 {
			continue
		}
		i++
		s := NewSearch(rules.International, Config{Root: PUCT})
		run(t, s, g, Budget{Simulations: 300}, nil, uniform, 1)
		var visit func(id int32, path []step, played []rules.Position)
		visit = func(id int32, path []step, played []rules.Position) {
			n := &s.nodes[id]
			for i, e := range s.edgesOf(n) {
				if e.child() == noNode {
					continue
				}
				at, c := s.position(id), s.position(e.child())
				m := rules.International.AppendMoves(nil, at)[e.number()]
				before := slices.Clone(played)
				before = append(before, at)
				p := rules.International.Play(at, m)
				lines := 0
				for ; p != c; lines++ {
					before = append(before, p)
					p = rules.International.Play(p, rules.International.AppendMoves(nil, p)[0])
				}
				if c.Quiet >= 4 && s.nodes[e.child()].state != terminal {
					s.trail = s.trail[:0]
					s.advance(path, id, m)
					if len(s.trail) < min(int(c.Quiet), len(before)) || !slices.Equal(s.trail, before[len(before)-len(s.trail):]) {
						t.Fatalf("node %d after %d forced plies: %d positions before it, want the last of %d", e.child(), lines, len(s.trail), len(before))
					}
					if lines > 0 {
						forced++
					}
				}
				visit(e.child(), append(slices.Clone(path), step{id, int32(i)}), before)
			}
		}
		all := g.Positions()
		visit(rootID, nil, slices.Clone(all[:len(all)-1]))
	}
	if forced < 5 {
		t.Errorf("only %d nodes after forced plies", forced)
	}
}

// TestMoveCountDraw: with one ply left to the 25-move rule every king move draws and only a man's
// move goes on.
func TestMoveCountDraw(t *testing.T) {
	g := gameFrom("W:WK46,K47,35:BK1,15,25:H49")
	if q := g.Position().Quiet; q != 49 {
		t.Fatalf("quiet %d", q)
	}
	s := NewSearch(rules.International, Config{Root: PUCT})
	r := run(t, s, g, Budget{Simulations: 200}, nil, whiteWins, 1)
	for i, m := range r.Moves {
		king := m.From != 35
		e := s.edge(step{rootID, int32(i)})
		if e.child() == noNode {
			continue
		}
		if (s.nodes[e.child()].state == terminal) != king || king && r.Values[i] != 0.5 {
			t.Errorf("%s: state %d, value %g", rules.International.FormatMove(m), s.nodes[e.child()].state, r.Values[i])
		}
	}
	if m := r.Moves[r.Best]; m.From != 35 {
		t.Errorf("White, who is winning, plays %s", rules.International.FormatMove(m))
	}
}
