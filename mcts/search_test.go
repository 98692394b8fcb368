package mcts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"damier/rules"
)

var roots = []Root{Gumbel, PUCT}

// run searches g to the end of the budget and checks the tree.
func run(t *testing.T, s *Search, g *rules.Game, b Budget, rng *rand.Rand, eval func(*Leaf), batch int) Result {
	t.Helper()
	if len(s.nodes) == 0 {
		s.roots = true // to check the draws and the value of every node
	}
	s.Start(g, b, rng)
	r, err := s.Run(context.Background(), evalFunc(eval), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.only) == 0 {
		if err := s.check(g); err != nil {
			t.Fatalf("%s: %v", rules.International.FEN(g.Position()), err)
		}
	}
	checkResult(t, g, r)
	return r
}

// checkResult checks what holds for every result.
func checkResult(t *testing.T, g *rules.Game, r Result) {
	t.Helper()
	n := len(g.Legal())
	if !slices.Equal(r.Moves, g.Legal()) || len(r.Visits) != n || len(r.Priors) != n || len(r.Values) != n || len(r.Policy) != n {
		t.Fatalf("%d moves, %d visits, %d priors, %d values, %d of policy; want %d", len(r.Moves), len(r.Visits), len(r.Priors), len(r.Values), len(r.Policy), n)
	}
	priors, policy := 0.0, 0.0
	for i := range n {
		priors += float64(r.Priors[i])
		policy += float64(r.Policy[i])
		if r.Policy[i] < 0 || math.IsNaN(float64(r.Values[i])) != (r.Visits[i] == 0) || r.Values[i] < 0 || r.Values[i] > 1 {
			t.Fatalf("move %d: policy %g, value %g at %d visits", i, r.Policy[i], r.Values[i], r.Visits[i])
		}
	}
	if math.Abs(priors-1) > 1e-4 || math.Abs(policy-1) > 1e-4 {
		t.Fatalf("priors sum to %g, policy to %g", priors, policy)
	}
	if w := r.Root; n > 1 && math.Abs(float64(w.Win+w.Draw+w.Loss)-1) > 1e-4 {
		t.Fatalf("root %v", w)
	}
	if len(r.PV) == 0 || r.PV[0] != r.Moves[r.Best] {
		t.Fatalf("variation %v does not begin with %v", r.PV, r.Moves[r.Best])
	}
	line := rules.NewGameFrom(g.Variant(), g.Start())
	for _, m := range slices.Concat(g.Moves(), r.PV) {
		if err := line.Play(m); err != nil {
			t.Fatalf("variation %v: %v", r.PV, err)
		}
	}
}

// TestTwin compares whole trees with those of the slow search, node by node.
func TestTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	proved, shared, offers := 0, 0, 0
	for i := range 120 {
		g := randomGame(rng, 40)
		if i%2 == 1 {
			g = randomEnding(rng, 1+rng.IntN(4), 1+rng.IntN(4))
			playRandom(g, rng, rng.IntN(8))
		}
		if len(g.Legal()) == 1 {
			continue
		}
		cfg := Config{Root: roots[i/2%2], Candidates: 2 + rng.IntN(8), RepetitionDraw: 2 + rng.IntN(2), Contempt: []float64{0, 0.2, 0.5}[i%3],
			Forcing: []float64{0, 0.25, 0.7, 1}[i/3%4], Best: []float64{0, 0, 0.3, 0.6}[i%4], Share: i%3 > 0, Scout: []int{0, 2, 9}[i/4%3]}
		n := 1 + rng.IntN(200)
		scatter := scatter
		if i%5 > 2 {
			scatter = valued
		}
		s := NewSearch(rules.International, cfg)
		forcing := rng.IntN(6)
		run(t, s, g, Budget{Simulations: n, Forcing: forcing}, nil, scatter, 1)
		w := newTwin(cfg, g, scatter, n, forcing)
		if err := s.compare(w, rootID, w.root, "root"); err != nil {
			t.Fatalf("%s, %+v, %d simulations: %v", rules.International.FEN(g.Position()), cfg, n, err)
		}
		parents := map[int32]int{}
		for i := range s.nodes {
			for _, e := range s.edgesOf(&s.nodes[i]) {
				if e.move&offerBit != 0 {
					offers++
				}
				if e.child() == noNode {
					continue
				}
				if parents[e.child()]++; parents[e.child()] == 2 {
					shared++
				}
			}
			if s.nodes[i].proof != NotProved && s.nodes[i].state == expanded {
				proved++
			}
		}
	}
	if proved < 100 || shared < 50 || offers < 20 {
		t.Errorf("only %d proved and %d shared nodes and %d offers of the scout were compared", proved, shared, offers)
	}
}

// compare returns the first difference between the subtree of node id and the twin's.
func (s *Search) compare(t *twin, id int32, w *twinNode, path string) error {
	n := &s.nodes[id]
	if worth := t.worth(w); int(n.visits) != w.visits() || math.Abs(float64(n.q-worth)) > 1e-5 || math.Abs(s.draws[id]-w.draws) > 1e-5 || (n.state == terminal) != (w.result != nil) || n.proof != w.proof {
		return fmt.Errorf("%s: %d visits, worth %g, draws %g, state %d, proof %d; the twin has %d, %g, %g, result %v, proof %d", path,
			n.visits, n.q, s.draws[id], n.state, n.proof, w.visits(), worth, w.draws, w.result, w.proof)
	}
	if int(s.nodes[id].count) != len(w.moves) {
		return fmt.Errorf("%s: moves differ", path)
	}
	for _, e := range s.edgesOf(n) {
		i := e.number()
		if (e.child() == noNode) != (w.edges[i].child == nil) || int(e.visits) != w.edges[i].visits {
			return fmt.Errorf("%s: move %d has child %d and %d visits, the twin's is %+v", path, i, e.child(), e.visits, w.edges[i])
		}
		if e.child() == noNode {
			continue
		}
		if err := s.compare(t, e.child(), w.edges[i].child, path+" "+rules.International.FormatMove(w.moves[i])); err != nil {
			return err
		}
	}
	return nil
}

// TestContempt: what the player at the root thinks of a draw moves its scores and leaves the win,
// draw and loss as they are.
func TestContempt(t *testing.T) {
	g := rules.NewGame(rules.International)
	want := rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
	even := func(l *Leaf) {
		uniform(l)
		l.Value = want
	}
	for _, root := range roots {
		for _, contempt := range []float64{0, 0.2, 0.5} {
			r := run(t, NewSearch(rules.International, Config{Root: root, Contempt: contempt}), g, Budget{Simulations: 64}, nil, even, 1)
			if math.Abs(float64(r.Root.Win-want.Win))+math.Abs(float64(r.Root.Draw-want.Draw)) > 1e-6 || r.Raw != want {
				t.Errorf("%s, contempt %g: root %+v, raw %+v, want %+v", root, contempt, r.Root, r.Raw, want)
			}
			for i, v := range r.Values {
				if r.Visits[i] > 0 && math.Abs(float64(v)-(0.5-contempt/2)) > 1e-6 {
					t.Errorf("%s, contempt %g: %v has the value %g", root, contempt, r.Moves[i], v)
				}
			}
		}
	}
}

// TestWinAtOnce: a move that ends the game is played whatever its prior, with any budget.
func TestWinAtOnce(t *testing.T) {
	g := gameFrom("W:W35,41,47:B36") // 35-30 leaves Black's man on 36 without a move
	against := func(l *Leaf) {
		uniform(l)
		if l.Moves[0].From != 35 || len(l.Moves) != 3 {
			return
		}
		copy(l.Priors, []float32{0.0001, 0.5, 0.4999})
	}
	for _, root := range roots {
		for _, n := range []int{1, 2, 3, 8, 50} {
			for _, noise := range []float64{0, 1} {
				s := NewSearch(rules.International, Config{Root: root, Candidates: 2})
				r := run(t, s, g, Budget{Simulations: n, Noise: noise}, rand.New(rand.NewPCG(1, uint64(n))), against, 1)
				if m := r.Moves[r.Best]; m.From != 35 || r.Visits[r.Best] == 0 || r.Values[r.Best] != 1 {
					t.Errorf("%s, %d simulations: plays %d-%d, visits %v", root, n, m.From, m.To, r.Visits)
				}
				if i := r.Sample(rand.New(rand.NewPCG(1, 1)), 5); i != r.Best {
					t.Errorf("%s: samples %d instead of the win", root, i)
				}
				if len(r.PV) != 1 {
					t.Errorf("%s: variation %v goes beyond the end", root, r.PV)
				}
			}
		}
	}
}

// winsIn reports whether the side to move can force the opponent to be without a move within that
// many plies, by trying everything. Draws by rule are only too long to matter here.
func winsIn(p rules.Position, plies int) bool {
	v := rules.International
	if plies < 1 {
		return false
	}
	for _, m := range v.AppendMoves(nil, p) {
		if losesIn(v.Play(p, m), plies-1) {
			return true
		}
	}
	return false
}

// losesIn reports whether the side to move cannot avoid to be without a move within that many
// plies.
func losesIn(p rules.Position, plies int) bool {
	v := rules.International
	for _, m := range v.AppendMoves(nil, p) {
		if plies < 1 || !winsIn(v.Play(p, m), plies-1) {
			return false
		}
	}
	return true
}

// TestSolved: on random endings a win in three plies is found, and a loss in two is avoided,
// without any knowledge in the evaluator. What is a win is decided by exhaustion.
func TestSolved(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	wins, escapes := 0, 0
	for wins < 25 || escapes < 25 {
		g := randomEnding(rng, 2+rng.IntN(3), 2+rng.IntN(3))
		p := g.Position()
		// Not more pieces than the opponent: else nearly every move wins in the end, and none is
		// wrong.
		if len(g.Legal()) < 3 || winsIn(p, 1) || p.Pieces(p.Turn).Len() > p.Pieces(p.Turn.Opponent()).Len() {
			continue
		}
		winning, lost := 0, 0
		for _, m := range g.Legal() {
			q := rules.International.Play(p, m)
			if losesIn(q, 2) {
				winning++
			}
			if winsIn(q, 1) {
				lost++
			}
		}
		win, escape := winning > 0 && 3*winning <= len(g.Legal()), lost > 0 && lost < len(g.Legal())
		if !(win && wins < 25) && !(escape && escapes < 25) {
			continue
		}
		for _, root := range roots {
			s := NewSearch(rules.International, Config{Root: root})
			r := run(t, s, g, Budget{Simulations: 600}, nil, uniform, 1)
			q := rules.International.Play(p, r.Moves[r.Best])
			if win && !losesIn(q, 6) {
				t.Errorf("%s: %s played %s, which does not win", rules.International.FEN(p), root, rules.International.FormatMove(r.Moves[r.Best]))
			}
			if escape && winsIn(q, 1) {
				t.Errorf("%s: %s played %s, which loses at once", rules.International.FEN(p), root, rules.International.FormatMove(r.Moves[r.Best]))
			}
		}
		if win {
			wins++
		}
		if escape {
			escapes++
		}
	}
}

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

// TestForced: single legal moves cost no evaluation, and values change sides as often as the plies
// say.
func TestForced(t *testing.T) {
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{})
	single := 0
	run(t, s, g, Budget{Simulations: 2000}, nil, func(l *Leaf) {
		if len(l.Moves) == 1 {
			single++
		}
		scatter(l)
	}, 1)
	odd, even := 0, 0
	for i := range s.nodes[1:] {
		if n := int(s.nodes[1+i].ply) - 1; n%2 == 1 {
			odd++
		} else if n > 0 {
			even++
		}
	}
	if single != 0 || odd == 0 || even == 0 {
		t.Errorf("%d evaluations of forced positions, %d odd and %d even forced lines", single, odd, even)
	}

	// At the root there is nothing to search: 28x17 is compulsory.
	g = gameFrom("W:W28,50:B22,1")
	r := run(t, s, g, Budget{Simulations: 100}, nil, uniform, 1)
	if r.Simulations != 0 || r.Best != 0 || r.Policy[0] != 1 || r.Root != (rules.WDL{}) {
		t.Errorf("forced root: %+v", r)
	}
}

// TestSimulations: budgets are kept to the simulation, by every rule and batch.
func TestSimulations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range 80 {
		g := randomGame(rng, 60)
		if i%2 == 1 {
			g = randomEnding(rng, 1+rng.IntN(4), 1+rng.IntN(4))
		}
		if len(g.Legal()) == 1 {
			continue
		}
		n := rng.IntN(100)
		s := NewSearch(rules.International, Config{Root: roots[i/2%2]})
		r := run(t, s, g, Budget{Simulations: n, Noise: float64(rng.IntN(2))}, rng, scatter, 1+rng.IntN(2)*rng.IntN(32))
		visits := int32(0)
		for _, v := range r.Visits {
			visits += v
		}
		if r.Simulations != int(visits) || r.Simulations > n || r.Simulations < n && r.Proof == NotProved {
			t.Errorf("%d simulations and %d visits, want %d", r.Simulations, visits, n)
		}
		if n > 0 && r.Depth < 1 || n == 0 && r.Depth != 0 {
			t.Errorf("depth %d after %d simulations", r.Depth, n)
		}
	}
}

// TestBatch: leaves of a batch are different, the tree holds while they are in flight and after,
// and the batches are not much smaller than asked for.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, root := range roots {
		for _, batch := range []int{2, 7, 32} {
			g := randomGame(rng, 30)
			for len(g.Legal()) == 1 {
				g.Undo()
			}
			s := NewSearch(rules.International, Config{Root: root})
			s.Start(g, Budget{Simulations: 800, Noise: 0}, nil)
			var leaves []Leaf
			gathers, total := 0, 0
			for !s.Done() {
				leaves = s.Gather(leaves[:0], batch)
				if len(leaves) > batch {
					t.Fatalf("%d leaves, asked for %d", len(leaves), batch)
				}
				if err := s.check(g); err != nil {
					t.Fatalf("%s, batch %d, in flight: %v", root, batch, err)
				}
				if h := &s.root.halving; root == Gumbel && s.counted && s.started-len(leaves) < h.start {
					t.Fatalf("batch %d: candidates were halved at %d with leaves in flight", batch, h.start)
				}
				for i := range leaves {
					for j := range leaves[:i] {
						if s.flight[i] == s.flight[j] || &leaves[i].Priors[0] == &leaves[j].Priors[0] {
							t.Fatalf("leaves %d and %d are the same", j, i)
						}
					}
				}
				// Written in the other order, as an evaluator may.
				for i := len(leaves) - 1; i >= 0; i-- {
					if !slices.Equal(leaves[i].Moves, rules.International.AppendMoves(nil, leaves[i].Position)) {
						t.Fatalf("leaf %d has the moves of another", i)
					}
					scatter(&leaves[i])
				}
				s.Backup(leaves)
				gathers++
				total += len(leaves)
			}
			if err := s.check(g); err != nil {
				t.Fatalf("%s, batch %d: %v", root, batch, err)
			}
			t.Logf("%s: batches of %d hold %.1f leaves", root, batch, float64(total)/float64(gathers))
			if mean := float64(total) / float64(gathers); mean < 0.4*float64(batch) {
				t.Errorf("%s: batches of %d hold %.1f leaves", root, batch, mean)
			}
		}
	}
}

// TestDeterminism: one seed, one tree; another seed, another choice now and then.
func TestDeterminism(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(11, 1)), 16)
	for _, root := range roots {
		visits := map[string]bool{}
		for i := range 20 {
			s := NewSearch(rules.International, Config{Root: root})
			seed := uint64(i / 2)
			r := run(t, s, g, Budget{Simulations: 64, Noise: 1}, rand.New(rand.NewPCG(seed, 1)), scatter, 1)
			visits[fmt.Sprint(r.Visits, r.Best, r.Values, r.Policy)] = true
			if i%2 == 1 && len(visits) > i/2+1 {
				t.Fatalf("%s: seed %d gave two trees", root, seed)
			}
		}
		if len(visits) < 5 {
			t.Errorf("%s: ten seeds gave %d trees", root, len(visits))
		}
	}
}

// TestReuse: along a game the kept tree is the old one's part, and every node of it is what a new
// tree at the same position would have: check judges each by the game that is being played now.
func TestReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	kept, forced := 0, 0
	for i := range 24 {
		g := randomGame(rng, 30)
		if i%2 == 1 {
			g = randomEnding(rng, 2+rng.IntN(3), 1+rng.IntN(3))
		}
		s := NewSearch(rules.International, Config{Root: roots[i/2%2], Reuse: true, RepetitionDraw: 2 + rng.IntN(2)})
		for range 40 {
			if len(g.Legal()) == 1 {
				s.Start(g, Budget{Simulations: 100}, nil)
				if !s.Done() || s.Result().Moves[0] != g.Legal()[0] {
					t.Fatal("a forced move is searched")
				}
				forced++
				play(t, g, [2]rules.Square{g.Legal()[0].From, g.Legal()[0].To})
			} else {
				want := int32(0)
				if len(s.nodes) > 0 && s.ply <= g.Ply() {
					if id := s.find(g.Moves()[s.ply:]); id != noNode && s.nodes[id].state == expanded {
						want = s.nodes[id].visits
					}
				}
				s.Start(g, Budget{Simulations: 100}, nil)
				if got := s.nodes[rootID].visits; got != want {
					t.Fatalf("kept %d visits, want %d", got, want)
				}
				if err := s.check(g); err != nil {
					t.Fatalf("kept tree: %v", err)
				}
				if want > 0 {
					kept++
				}
				r, err := s.Run(context.Background(), evalFunc(scatter), 1)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.check(g); err != nil {
					t.Fatal(err)
				}
				checkResult(t, g, r)
				if r.Simulations != 100 && r.Proof == NotProved || s.nodes[rootID].visits != max(want, 1)+int32(r.Simulations) {
					t.Fatalf("%d simulations, %d visits after %d kept", r.Simulations, s.nodes[rootID].visits, want)
				}
				if err := g.Play(r.Moves[r.Best]); err != nil {
					t.Fatal(err)
				}
			}
			if g.Over() {
				break
			}
		}
	}
	if kept < 100 || forced < 10 {
		t.Errorf("only %d trees were kept, over %d forced positions", kept, forced)
	}
}

// TestReuseRefused: another history makes another tree, even with the same board.
func TestReuseRefused(t *testing.T) {
	start := func() (*Search, *rules.Game) {
		g := shuffle(t, 1)
		s := NewSearch(rules.International, Config{Reuse: true, RepetitionDraw: 3, Candidates: 64})
		run(t, s, g, Budget{Simulations: 400}, nil, uniform, 1)
		return s, g
	}
	kept := func(s *Search, g *rules.Game) bool {
		s.Start(g, Budget{Simulations: 1}, nil)
		return s.nodes[rootID].visits > 0
	}
	s, g := start()
	if !kept(s, g) {
		t.Error("the same position again: dropped")
	}
	s, g = start()
	play(t, g, [2]rules.Square{6, 1})
	if !kept(s, g) {
		t.Error("one ply on: dropped")
	}
	s, g = start()
	g.Undo()
	if kept(s, g) {
		t.Error("a move taken back: kept")
	}
	s, g = start()
	if kept(s, rules.NewGameFrom(rules.International, g.Position())) {
		t.Error("the same position without its history: kept")
	}
	s, _ = start()
	other := shuffle(t, 2)
	if kept(s, other) {
		t.Error("a longer history with other counters: kept")
	}
	s, _ = start()
	other = gameFrom("W:WK46,K47,35:BK1,15,25") // by another way to the same board, ply and counters
	play(t, other, [][2]rules.Square{{46, 37}, {1, 6}, {37, 46}}...)
	if kept(s, other) {
		t.Error("another history of the same length: kept")
	}
	s, g = start()
	s.cfg.Reuse = false
	if kept(s, g) {
		t.Error("kept without Config.Reuse")
	}

	// What the search took for a draw goes on on the board: nothing below can be kept.
	g = shuffle(t, 1)
	s = NewSearch(rules.International, Config{Reuse: true, Candidates: 64})
	run(t, s, g, Budget{Simulations: 100}, nil, whiteWins, 1)
	play(t, g, [2]rules.Square{6, 1})
	if kept(s, g) {
		t.Error("a repeated position: kept")
	}
	run(t, s, g, Budget{Simulations: 100}, nil, whiteWins, 1)
}

// TestMemoryCap: the slab never outgrows the cap, and the search that meets it is done with a
// result.
func TestMemoryCap(t *testing.T) {
	g := rules.NewGame(rules.International)
	for _, root := range roots {
		for _, nodes := range []int{1, 2, 50, 333} {
			s := NewSearch(rules.International, Config{Root: root, MaxNodes: nodes, Reuse: true})
			r := run(t, s, g, Budget{Simulations: 5000}, nil, scatter, 4)
			if len(s.nodes) != nodes || cap(s.nodes) > nodes || r.Simulations < nodes-1 || !s.Done() {
				t.Errorf("%s: %d nodes with room for %d after %d simulations, cap %d", root, len(s.nodes), cap(s.nodes), r.Simulations, nodes)
			}
			next := rules.NewGame(rules.International)
			if err := next.Play(r.Moves[r.Best]); err != nil {
				t.Fatal(err)
			}
			run(t, s, next, Budget{Simulations: 5000}, nil, scatter, 4)
			if cap(s.nodes) > nodes || cap(s.spare.nodes) > nodes {
				t.Errorf("%s: room for %d and %d nodes after reuse, cap %d", root, cap(s.nodes), cap(s.spare.nodes), nodes)
			}
		}
	}
}

// TestStop: a stopped search is done and keeps what it has; one that never began has a legal move
// too.
func TestStop(t *testing.T) {
	g := rules.NewGame(rules.International)
	for _, root := range roots {
		for _, after := range []int{0, 1, 5, 100} {
			s := NewSearch(rules.International, Config{Root: root})
			s.Start(g, Budget{Simulations: 1 << 30}, nil)
			n := 0
			if after == 0 {
				s.Stop()
			}
			r, err := s.Run(context.Background(), evalFunc(func(l *Leaf) {
				scatter(l)
				if n++; n == after {
					done := make(chan bool)
					go func() { s.Stop(); close(done) }()
					<-done
				}
			}), 1)
			if err != nil || n != after || r.Simulations != max(after-1, 0) {
				t.Errorf("%s: %d evaluations and %d simulations before the stop at %d, error %v", root, n, r.Simulations, after, err)
			}
			if err := s.check(g); err != nil {
				t.Error(err)
			}
			for i, p := range r.Policy {
				if math.IsNaN(float64(p)) || r.Moves[i] != g.Legal()[i] {
					t.Errorf("%s: stopped after %d: policy %v", root, after, r.Policy)
				}
			}
		}
	}
}

// TestRunErrors: Run gatherers on the evaluator's error and the context's, and the search can go
// on after.
func TestRunErrors(t *testing.T) {
	g := rules.NewGame(rules.International)
	broken := errors.New("broken")
	for _, root := range roots {
		for _, at := range []int{1, 2, 9} {
			for _, batch := range []int{1, 8} {
				s := NewSearch(rules.International, Config{Root: root})
				s.Start(g, Budget{Simulations: 100}, nil)
				calls := 0
				ev := evaluator(func(_ context.Context, leaves []Leaf) error {
					if calls++; calls == at {
						return broken
					}
					return evalFunc(scatter).Evaluate(context.Background(), leaves)
				})
				if _, err := s.Run(context.Background(), ev, batch); !errors.Is(err, broken) {
					t.Fatalf("error %v", err)
				}
				if err := s.check(g); err != nil {
					t.Fatalf("after the error: %v", err)
				}
				r, err := s.Run(context.Background(), ev, batch)
				if err != nil || r.Simulations != 100 {
					t.Fatalf("going on: %d simulations, error %v", r.Simulations, err)
				}
				if err := s.check(g); err != nil {
					t.Fatal(err)
				}

				ctx, cancel := context.WithCancel(context.Background())
				s.Start(g, Budget{Simulations: 1 << 30}, nil)
				calls = 0
				r, err = s.Run(ctx, evaluator(func(_ context.Context, leaves []Leaf) error {
					if calls++; calls == at {
						cancel()
					}
					return evalFunc(scatter).Evaluate(context.Background(), leaves)
				}), batch)
				cancel()
				if !errors.Is(err, context.Canceled) || calls != at {
					t.Fatalf("%d evaluations, error %v", calls, err)
				}
				checkResult(t, g, r)
			}
		}
	}
}

// evaluator is an Evaluator of whole batches.
type evaluator func(context.Context, []Leaf) error

func (f evaluator) Evaluate(ctx context.Context, leaves []Leaf) error { return f(ctx, leaves) }

// TestAllocations: a search that has its memory allocates nothing, from Start to Result.
func TestAllocations(t *testing.T) {
	for _, cfg := range []Config{{}, {Root: PUCT}, {Reuse: true}} {
		for _, batch := range []int{1, 16} {
			g := randomGame(rand.New(rand.NewPCG(15, 1)), 20)
			next := rules.NewGame(rules.International)
			for _, m := range g.Moves() {
				if err := next.Play(m); err != nil {
					t.Fatal(err)
				}
			}
			s := NewSearch(rules.International, cfg)
			rng := rand.New(rand.NewPCG(1, 1))
			ev := Evaluator(evalFunc(func(l *Leaf) { uniform(l) }))
			search := func(g *rules.Game) Result {
				s.Start(g, Budget{Simulations: 300, Noise: 1}, rng)
				r, err := s.Run(context.Background(), ev, batch)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			r := search(g)
			if err := next.Play(r.Moves[r.Best]); err != nil {
				t.Fatal(err)
			}
			for range 40 { // more than any of the runs below will need
				search(g)
				search(next)
			}
			if n := testing.AllocsPerRun(5, func() { search(g); search(next) }); n != 0 {
				t.Errorf("%+v, batch %d: %g allocations", cfg, batch, n)
			}
		}
	}
}

// A search finds the same whether every node could become the root, or not: the draws and the
// value of the root are the same, and of other nodes nothing is read.
func TestRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for i := range 20 {
		g := randomGame(rng, 10+rng.IntN(50))
		if g.Over() || len(g.Legal()) == 1 {
			continue
		}
		cfg := Config{Root: []Root{Gumbel, PUCT}[i%2], Share: i%3 == 0, Best: 0.5}
		var found [2]Result
		for k := range found {
			s := NewSearch(rules.International, cfg)
			s.roots = k == 1
			s.Start(g, Budget{Simulations: 300}, nil)
			r, err := s.Run(context.Background(), evalFunc(scatter), 1+i%4)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(s.draws); s.roots != (n == len(s.nodes)) || !s.roots && n != 1 {
				t.Errorf("draws of %d of %d nodes are kept", n, len(s.nodes))
			}
			for j, v := range r.Values {
				if v != v { // NaN, which is not equal to itself
					r.Values[j] = -1
				}
			}
			found[k] = r
		}
		if !reflect.DeepEqual(found[0], found[1]) {
			t.Errorf("%s: %+v\nand %+v", rules.International.FEN(g.Position()), found[0], found[1])
		}
	}
}

// TestMostFlying gathers as many leaves as may be in flight. What an edge counts of them must not
// overflow; run and check look at all edges.
func TestMostFlying(t *testing.T) {
	if most := mostFlying + mostFlying/2 + 1; most > mostVirtual {
		t.Errorf("%d simulations may be in flight through an edge, which counts %d", most, mostVirtual)
	}
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{Root: PUCT})
	run(t, s, g, Budget{Simulations: 3000}, nil, scatter, 1000)
	s.Start(g, Budget{Simulations: 3000}, nil)
	leaves := s.Gather(nil, 1)
	for i := range leaves {
		scatter(&leaves[i])
	}
	s.Backup(leaves)
	for len(leaves) <= mostFlying/2 {
		leaves = s.Gather(leaves[:0], 1000)
		if err := s.check(g); err != nil {
			t.Fatal(err)
		}
		if len(leaves) > mostFlying {
			t.Fatalf("%d leaves are in flight", len(leaves))
		}
		if len(leaves) > mostFlying/2 {
			break
		}
		for i := range leaves {
			scatter(&leaves[i])
		}
		s.Backup(leaves)
	}
}

// TestLayout holds the sizes that the drawing above tree speaks of.
func TestLayout(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"node":  {reflect.TypeFor[node]().Size(), nodeBytes},
		"board": {reflect.TypeFor[rules.Packed]().Size(), boardBytes},
		"edge":  {reflect.TypeFor[edge]().Size(), edgeBytes},
		"seed":  {reflect.TypeFor[seed]().Size(), seedBytes},
		"slot":  {reflect.TypeFor[slot]().Size(), slotBytes},
		"high":  {reflect.TypeFor[rules.HighWords]().Size(), highBytes},
	} {
		if size[0] != size[1] {
			t.Errorf("a %s takes %d bytes, want %d", name, size[0], size[1])
		}
	}
}

// TestMisuse: promises broken by the caller are refused, not worked with.
func TestMisuse(t *testing.T) {
	panics := func(name string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	g := rules.NewGame(rules.International)
	s := NewSearch(rules.International, Config{})
	panics("Result before Start", func() { s.Result() })
	s.Start(g, Budget{Simulations: 10}, nil)
	leaves := s.Gather(nil, 1)
	panics("Gather before Backup", func() { s.Gather(nil, 1) })
	panics("fewer leaves", func() { s.Backup(nil) })
	leaves[0].Value = rules.WDL{Draw: 1}
	panics("priors not written", func() { s.Backup(leaves) })
	uniform(&leaves[0])
	leaves[0].Value.Win = float32(math.NaN())
	panics("NaN", func() { s.Backup(leaves) })
	panics("a game that is over", func() { s.Start(gameFrom("W:WK1:BK50,49"), Budget{}, nil) })
	g.End(rules.Draw, rules.Agreement)
	panics("a game that was ended", func() { s.Start(g, Budget{}, nil) })
	panics("bad config", func() { NewSearch(rules.International, Config{Root: "minimax"}) })
}

// TestPositions: every position of the tree with enough visits is reported once, with what it is
// worth.
func TestPositions(t *testing.T) {
	g := randomGame(rand.New(rand.NewPCG(41, 1)), 20)
	for len(g.Legal()) == 1 {
		g.Undo()
	}
	s := NewSearch(rules.International, Config{Root: PUCT, Share: true, Reuse: true, LeastVisits: 0.5})
	unlike := 0
	for _, n := range []int{300, 200} {
		s.Start(g, Budget{Simulations: n}, nil)
		if _, err := s.Run(context.Background(), evalFunc(scatter), 1); err != nil {
			t.Fatal(err)
		}
		want := map[rules.Position]float64{}
		for i := 1; i < len(s.nodes); i++ {
			if x := &s.nodes[i]; x.visits >= 5 && x.state != terminal && x.flags&reported == 0 {
				want[s.position(int32(i))] = trusted(s, x)
			}
		}
		for i := range s.nodes {
			if w, ok := want[s.position(int32(i))]; ok && w != float64(s.nodes[i].q) {
				unlike++
			}
		}
		if len(want) < 10 {
			t.Fatalf("only %d positions to tell", len(want))
		}
		s.Positions(5, func(line []uint8, p rules.Position, worth float64) {
			if at := follow(rules.International, g.Position(), line); at != p {
				t.Errorf("line %v leads to %s, reported %s", line, rules.International.FEN(at), rules.International.FEN(p))
			}
			if w, ok := want[p]; !ok || w != worth {
				t.Errorf("reported %s, %g; want %g, %t", rules.International.FEN(p), worth, w, ok)
			}
			delete(want, p)
		})
		if len(want) > 0 {
			t.Errorf("%d positions were not reported", len(want))
		}
		s.Positions(5, func([]uint8, rules.Position, float64) { t.Error("reported twice") })
	}
	if unlike < 10 {
		t.Errorf("the best move of %d positions has another value than the position", unlike)
	}
}

// trusted returns the value that Positions reports of a node. It sorts the moves by their value and
// takes the first with visits enough.
func trusted(s *Search, n *node) float64 {
	if n.proof != NotProved {
		return float64(n.q)
	}
	var edges []edge
	most := int32(0)
	for _, e := range s.edgesOf(n) {
		if e.visits > 0 && e.value >= 0 {
			edges = append(edges, e)
			most = max(most, e.visits)
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(b.value, a.value) })
	for _, e := range edges {
		if float64(e.visits) >= s.cfg.LeastVisits*float64(most) {
			return float64(e.value)
		}
	}
	return float64(n.q)
}

// follow plays a line as Positions tells it.
func follow(v *rules.Variant, p rules.Position, line []uint8) rules.Position {
	for _, n := range line {
		p = v.Play(p, v.AppendMoves(nil, p)[n])
		for moves := v.AppendMoves(nil, p); len(moves) == 1; moves = v.AppendMoves(nil, p) {
			p = v.Play(p, moves[0])
		}
	}
	return p
}
