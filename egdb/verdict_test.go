package egdb

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"damier/rules"
)

// TestVerdicts checks that the best verdict of the moves of a position is that of the position,
// with and without running counters, and that every move has a verdict.
func TestVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, name := range []string{"english", "russian", "antidraughts"} {
		v := lookup(t, name, "")
		tables := inMemory(t, v, threePieces(v))
		forbidden := 0
		for _, p := range randomPositions(tables, 300) {
			if p.Kings(rules.White).Len()+p.Kings(rules.Black).Len() == 3 && max(v.Draws.ThreePieces, v.Draws.TwoPieces, v.Draws.ManyKings) > 0 {
				p.Endgame = uint8(r.IntN(10))
				p.Quiet = p.Endgame
			} else if v.Draws.KingPlies > 0 {
				p.Quiet = uint8(v.Draws.KingPlies - 1 - r.IntN(20))
			}
			legal := v.AppendMoves(nil, p)
			verdicts, err := tables.Verdicts(t.Context(), p, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(legal) != len(verdicts) {
				t.Fatalf("%s: %d verdicts of %d moves", v.FEN(p), len(verdicts), len(legal))
			}
			if len(legal) == 0 || v.DrawByCount(p) != rules.NoReason {
				continue
			}
			best := Loss
			for i, d := range verdicts {
				if d.Move != legal[i] || !d.Known || !d.Sure || d.Forbidden != (d.Result != d.Theory) {
					t.Fatalf("%s: %+v", v.FEN(p), d)
				}
				if d.Forbidden {
					forbidden++
				}
				if d.Result == Win || d.Result == Draw && best == Loss {
					best = d.Result
				}
			}
			if want, ok := tables.InPlay(p, 0); !ok || want != best {
				t.Errorf("%s, counts %d and %d: %s, %v; the best of its moves %s",
					v.FEN(p), p.Quiet, p.Endgame, want, ok, best)
			}
		}
		if name != "antidraughts" && forbidden == 0 {
			t.Errorf("%s: no counter forbids a win: nothing is tested", name)
		}
	}
}

// endingContext is a context that ends at the nth look at it, so that a test needs no clock.
type endingContext struct {
	context.Context
	looks int
	done  chan struct{}
}

func (c *endingContext) Err() error {
	if c.looks--; c.looks == 0 {
		close(c.done)
	}
	if c.looks <= 0 {
		return context.Canceled
	}
	return nil
}

func (c *endingContext) Done() <-chan struct{} { return c.done }

// TestVerdictsCancelled holds that a call whose context has ended returns its error and no
// verdicts: before the first move, between two moves, and within the search of a move, which ends
// after at most lookPeriod positions.
func TestVerdictsCancelled(t *testing.T) {
	v := lookup(t, "russian", "")
	tables := inMemory(t, v, 3)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	searched := 0
	for _, p := range randomPositions(tables, 300) {
		if len(v.AppendMoves(nil, p)) < 2 {
			continue
		}
		for _, ctx := range []context.Context{
			cancelled, &endingContext{t.Context(), 2, make(chan struct{})},
		} {
			if got, err := tables.Verdicts(ctx, p, 0); got != nil || !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %d verdicts, %v; want none, and the error of the context",
					v.FEN(p), len(got), err)
			}
		}
		p.Quiet = uint8(max(v.Draws.KingPlies-3, 0))
		has, ok := tables.value(&p)
		if result, _ := has.result(); !ok || result != Win {
			continue
		}
		s := edgeSearch{
			tables: tables, done: cancelled.Done(), left: DefaultNodes,
			known: map[rules.Position]bool{},
		}
		s.winnerMoves(p, has)
		visited := DefaultNodes - s.left
		if visited > lookPeriod {
			t.Errorf("%s: a cancelled search visited %d positions", v.FEN(p), visited)
		}
		if s.gaveUp {
			searched++
		}
	}
	if searched == 0 {
		t.Error("no search was long enough to be stopped: nothing is tested")
	}
}

func TestVerdictWords(t *testing.T) {
	for _, c := range []struct {
		verdict Verdict
		want    string
	}{
		{Verdict{}, "unknown"},
		{Verdict{Known: true, Sure: true}, "draws"},
		{Verdict{Known: true, Sure: true, Result: Win, Theory: Win, Plies: 1}, "wins in 1"},
		{Verdict{Known: true, Sure: true, Result: Win, Theory: Win, Plies: 23}, "wins in 12"},
		{Verdict{Known: true, Sure: true, Result: Loss, Theory: Loss, Plies: 2}, "loses in 1"},
		{Verdict{Known: true, Sure: true, Result: Loss, Theory: Loss, Plies: 10}, "loses in 5"},
		{Verdict{Known: true, Sure: true, Forbidden: true, Theory: Win, Plies: 79}, "draws: wins in 40, but the move count ends it first"},
		{Verdict{Known: true, Result: Loss, Theory: Loss, Plies: 40}, "loses in 20, unless the move count ends it first"},
	} {
		if got := c.verdict.String(); got != c.want {
			t.Errorf("%+v: %q; want %q", c.verdict, got, c.want)
		}
	}
}

// TestGlance compares Glance with Solve, which searches: Glance says the same, or leaves open a win
// of the tables, and does so in each of these variants, which count.
func TestGlance(t *testing.T) {
	for _, name := range []string{"brazilian", "frisian", "international", "russian"} {
		v := lookup(t, name, "")
		tables := inMemory(t, v, threePieces(v))
		open := 0
		for _, p := range randomPositions(tables, 500) {
			theory, plies, _ := tables.Probe(p)
			got, n, sure, ok := tables.Glance(p)
			solved, _, exact, _ := tables.Solve(p)
			switch {
			case !ok || got != theory.outcome(p.Turn) || n != plies:
				t.Errorf("%s: %v in %d, %v; %s in %d", v.FEN(p), got, n, ok, theory, plies)
			case sure && (!exact || solved != got):
				t.Errorf("%s: sure of %v; %v", v.FEN(p), got, solved)
			case !sure && theory == Draw:
				t.Errorf("%s: not sure of a draw", v.FEN(p))
			case !sure:
				open++
			}
		}
		if open == 0 {
			t.Errorf("%s: no win is open", name)
		}
	}
}

// TestSolve compares the answers to a search with InPlay, and checks that an open result is a win.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, name := range []string{"english", "russian", "international"} {
		v := lookup(t, name, "")
		pieces := threePieces(v)
		tables := inMemory(t, v, pieces)
		for _, p := range randomPositions(tables, 500) {
			if p.Kings(rules.White).Len()+p.Kings(rules.Black).Len() == pieces {
				p.Quiet = uint8(r.IntN(12))
				p.Endgame = p.Quiet
			}
			outcome, plies, exact, ok := tables.Solve(p)
			want, settled := tables.InPlay(p, 0)
			theory, n, _ := tables.Probe(p)
			switch {
			case !ok || !settled:
				t.Fatalf("%s: %v, %v", v.FEN(p), ok, settled)
			case exact && (outcome != want.outcome(p.Turn) || want != Draw && plies != n || want == Draw && plies != 0):
				t.Errorf("%s: %v in %d; want %s in %d", v.FEN(p), outcome, plies, want, n)
			case !exact && (theory == Draw || outcome != theory.outcome(p.Turn)):
				t.Errorf("%s: open, %v; %s", v.FEN(p), outcome, theory)
			}
		}
	}
	p, err := rules.ParseFEN(rules.English, "W:WK1,K2:BK32,K31")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, ok := inMemory(t, rules.English, 3).Solve(p); ok {
		t.Error("four pieces are known")
	}
}
