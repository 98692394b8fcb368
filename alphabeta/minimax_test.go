package alphabeta

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"damier/rules"
)

// minimax is the plain twin of Engine.visit with NoReductions: no bounds, no table, no order. The
// value of a position is by definition
//
//   - 0 if it occurred before on the path from the root, or in the game once less often than the
//     rule asks for, or a move-count rule draws it and there is a move;
//   - a loss, or a win where the rules have it so, if there is no move;
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
		if o, _ := t.v.Stuck(p); o == rules.Win(p.Turn) {
			return Mate - Score(ply)
		}
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
	return t.v.Draws.Repetition > 0 && n >= t.v.Draws.Repetition-1
}

// memo is minimax for greater depths: it remembers values. What a value depends on, and so its
// key, is the position with its counters, the depth, and those earlier positions that can come
// again within the depth. Wins and losses are counted from the position, not from the root. It is
// itself compared with minimax.
type memo struct {
	v     *rules.Variant
	eval  scorer
	often []rules.Position // in the game, so often that the next time is a draw
	path  []rules.Position // from the root
	known map[memoKey]Score
	moves []rules.Move // of all positions of the path
}

type memoKey struct {
	p     rules.Position
	depth int
	past  uint64
}

// newMemo returns a memo for the positions after a game's earlier ones.
func newMemo(v *rules.Variant, eval scorer, game []rules.Position) *memo {
	t := &memo{v: v, eval: eval, known: map[memoKey]Score{}}
	for i, p := range game {
		n := 0
		for _, q := range game[:i+1] {
			if q.Same(p) {
				n++
			}
		}
		if n == v.Draws.Repetition-1 {
			t.often = append(t.often, p)
		}
	}
	return t
}

func (t *memo) value(p rules.Position, depth int) Score {
	ply, first := len(t.path), len(t.moves)
	capturing := t.v.HasCaptures(p)
	leaf := depth <= 0 && !capturing && ply > 0
	if leaf && p.Quiet == 0 && p.Endgame == 0 && t.v.CountMoves(p) > 0 && t.v.DrawByCount(p) == rules.NoReason {
		return t.eval.score(p)
	}
	t.moves = t.v.AppendMoves(t.moves, p)
	last := len(t.moves)
	defer func() { t.moves = t.moves[:first] }()
	if first == last {
		if o, _ := t.v.Stuck(p); o == rules.Win(p.Turn) {
			return Mate
		}
		return -Mate
	}
	if ply > 0 {
		if t.occurred(p) || t.v.DrawByCount(p) != rules.NoReason {
			return 0
		}
		if leaf {
			return t.eval.score(p)
		}
	}
	key := memoKey{p, depth, t.past(p, depth)}
	// The root is no value of the memo: it is not asked whether it occurred.
	if depth > 0 && ply > 0 {
		if s, ok := t.known[key]; ok {
			return s
		}
	}
	best := -infinite
	t.path = append(t.path, p)
	for i := first; i < last; i++ {
		s := -t.value(t.v.Play(p, t.moves[i]), depth-1)
		switch {
		case s > MateBound:
			s--
		case s < -MateBound:
			s++
		}
		best = max(best, s)
	}
	t.path = t.path[:ply]
	if depth > 0 && ply > 0 {
		t.known[key] = best
	}
	return best
}

func (t *memo) occurred(p rules.Position) bool {
	if p.Quiet == 0 {
		return false
	}
	for _, list := range [2][]rules.Position{t.path, t.often} {
		for _, q := range list {
			if q.Same(p) {
				return true
			}
		}
	}
	return false
}

// past sums up the earlier positions that p can lead back to in depth plies: those from which no
// more pieces of a side stand elsewhere than it has moves.
func (t *memo) past(p rules.Position, depth int) uint64 {
	sum := uint64(0)
	if p.Quiet == 0 && len(t.often) == 0 {
		return 0
	}
	for _, list := range [2][]rules.Position{t.path[max(0, len(t.path)-int(p.Quiet)):], t.often} {
		for _, q := range list {
			plies := depth
			if (q.Turn == p.Turn) == (plies%2 != 0) {
				plies--
			}
			own := p.Pieces(p.Turn).AndNot(q.Pieces(p.Turn)).Len()
			their := p.Pieces(p.Turn.Opponent()).AndNot(q.Pieces(p.Turn.Opponent())).Len()
			if plies > 0 && own <= (plies+1)/2 && their <= plies/2 {
				k := q.Key()
				k = (k ^ k>>31) * 0x9fb21c651e98df25
				sum += k ^ k>>29
			}
		}
	}
	return sum
}

// randomGames returns n unfinished games, some moves before their end or at any time, so that
// every phase is there: openings, captures, kings, lone kings, repetitions.
func randomGames(v *rules.Variant, n int, seed uint64) []*rules.Game {
	rng := rand.New(rand.NewPCG(seed, 7))
	var games []*rules.Game
	for len(games) < n {
		g := rules.NewGame(v)
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
	e, err := New(g.Variant(), c)
	if err != nil {
		t.Fatal(err)
	}
	var s []Score
	if _, err := e.Search(context.Background(), g, Limits{Depth: depth}, func(i Info) { s = append(s, i.Score) }); err != nil {
		t.Fatal(err)
	}
	return s
}

// checkExact compares the engine's values at depths 1 to depth, with the table, without, and with
// ties, with the twins: plain minimax up to plainDepth, beyond it the memo, which up to there is
// compared too.
func checkExact(t *testing.T, g *rules.Game, depth, plainDepth int) []Score {
	v, p := g.Variant(), g.Position()
	table := values(t, Config{NoReductions: true, TableBits: 16}, g, depth)
	plain := values(t, Config{NoReductions: true, NoTable: true}, g, depth)
	ties := values(t, Config{NoReductions: true, TableBits: 10, RandomTies: 15}, g, depth)
	selective := values(t, Config{Version: "alphabeta-2", NoReductions: true, TableBits: 14}, g, depth)
	selectivePlain := values(t, Config{Version: "alphabeta-2", NoReductions: true, NoTable: true}, g, depth)
	eval := newScorer(v, weightsOf(v))
	positions := g.Positions()
	game := positions[:len(positions)-1]
	remembered := newMemo(v, eval, game)
	for d := 1; d <= depth; d++ {
		want := remembered.value(p, d)
		if d <= plainDepth {
			twin := minimax{v: v, eval: eval, game: game}
			if x := twin.value(p, d); x != want {
				t.Fatalf("%s, Quiet %d, depth %d: minimax %d, with its memo %d", v.FEN(p), p.Quiet, d, x, want)
			}
		}
		if table[d-1] != want || plain[d-1] != want || ties[d-1] != want {
			t.Fatalf("%s, %s, Quiet %d, depth %d: %d with the table, %d without, %d with ties; minimax %d",
				v.Name, v.FEN(p), p.Quiet, d, table[d-1], plain[d-1], ties[d-1], want)
		}
		if selective[d-1] != want || selectivePlain[d-1] != want {
			t.Fatalf("%s, %s, Quiet %d, depth %d: alphabeta-2 finds %d with the table, %d without; minimax %d",
				v.Name, v.FEN(p), p.Quiet, d, selective[d-1], selectivePlain[d-1], want)
		}
	}
	return table
}

// TestExactlyMinimax compares 1,000 positions with the twins at depths 1 to 3, and some of them
// deeper. With DAMIER_LONG=1 it is depths 1 to 6 for all of them: by the memo throughout, and by
// plain minimax to depth 4, with fewer than 14 moves to depth 5 and with fewer than 7 to depth 6.
// That takes some minutes.
func TestExactlyMinimax(t *testing.T) {
	if testing.Short() {
		t.Skip("-short is for the race detector, and this test has one goroutine")
	}
	long := os.Getenv("DAMIER_LONG") == "1"
	repeated, drawn, mates, kings := 0, 0, 0, 0
	games := randomGames(rules.International, 1000, 1)
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		const parts = 20
		for part := range parts {
			t.Run(strconv.Itoa(part), func(t *testing.T) {
				t.Parallel()
				for i := part; i < len(games); i += parts {
					g := games[i]
					p := g.Position()
					n := rules.International.CountMoves(p)
					depth, plainDepth := 3, 3
					switch {
					case long && n < 7:
						depth, plainDepth = 6, 6
					case long && n < 14:
						depth, plainDepth = 6, 5
					case long:
						depth, plainDepth = 6, 4
					case i%25 == 0 && n < 7:
						depth = 6
					case i%10 == 0 && n < 12:
						depth, plainDepth = 4, 4
					}
					got := checkExact(t, g, depth, plainDepth)
					mu.Lock()
					for _, s := range got {
						if s == 0 {
							drawn++
						}
						if max(s, -s) > MateBound {
							mates++
						}
					}
					if p.Quiet > 4 {
						repeated++
					}
					if !p.Kings(rules.White).Empty() && !p.Kings(rules.Black).Empty() {
						kings++
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d positions: %d after king moves only, %d with kings of both sides; %d values drawn, %d won or lost",
		len(games), repeated, kings, drawn, mates)
	if repeated < 15 || kings < 40 || mates < 20 || drawn < 20 {
		t.Error("the positions do not reach every case")
	}
}
