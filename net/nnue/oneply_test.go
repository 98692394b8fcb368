package nnue

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"damier/alphabeta"
	"damier/internal/simd"
	"damier/mcts"
	"damier/rules"
)

// plainSettle is OnePly.settle written the obvious way: all captures to their end, every position
// evaluated from nothing.
func plainSettle(e *Evaluator, v *rules.Variant, p rules.Position, ply int) alphabeta.Score {
	moves := v.ReferenceMoves(p)
	if len(moves) == 0 {
		if outcome, _ := v.Stuck(p); outcome == rules.Win(p.Turn) {
			return alphabeta.Mate - alphabeta.Score(ply)
		}
		return -alphabeta.Mate + alphabeta.Score(ply)
	}
	if !moves[0].IsCapture() {
		return e.Cursor().Score(p)
	}
	best := -alphabeta.Mate
	for _, m := range moves {
		best = max(best, -plainSettle(e, v, v.Play(p, m), ply+1))
	}
	return best
}

// leafOf returns a leaf with room for what an evaluator says.
func leafOf(v *rules.Variant, p rules.Position) mcts.Leaf {
	moves := v.AppendMoves(nil, p)
	return mcts.Leaf{
		Position: p, Moves: moves,
		Priors: make([]float32, len(moves)), Values: make([]float32, len(moves)),
	}
}

// TestOnePly compares what is said of each move with the obvious way, in every variant and at
// every level.
func TestOnePly(t *testing.T) {
	variants(t, func(t *testing.T, v *rules.Variant) {
		rng := rand.New(rand.NewPCG(11, 7))
		model := New(v, 64, 3)
		for _, level := range simd.Levels() {
			e := model.evaluator(level)
			o := e.OnePly(OnePlyConfig{Temperature: 0.8})
			captures, quiet := 0, 0
			for range 6 {
				g := rules.NewGame(v)
				for !g.Over() && g.Ply() < 120 {
					if p := g.Position(); len(g.Legal()) > 1 {
						leaves := []mcts.Leaf{leafOf(v, p)}
						if err := o.Evaluate(context.Background(), leaves); err != nil {
							t.Fatal(err)
						}
						l := leaves[0]
						checkOnePly(t, e, v, l)
						for _, m := range l.Moves {
							if v.HasCaptures(v.Play(p, m)) {
								captures++
							} else {
								quiet++
							}
						}
					}
					if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
						t.Fatal(err)
					}
				}
			}
			if captures < 100 || quiet < 100 {
				t.Errorf("%v: only %d moves into captures and %d others were compared", level, captures, quiet)
			}
		}
	})
}

// checkOnePly checks an evaluated leaf, at temperature 0.8.
func checkOnePly(t *testing.T, e *Evaluator, v *rules.Variant, l mcts.Leaf) {
	t.Helper()
	best, scores := alphabeta.Score(math.MinInt), []alphabeta.Score{}
	for _, m := range l.Moves {
		s := -plainSettle(e, v, v.Play(l.Position, m), 1)
		scores = append(scores, s)
		best = max(best, s)
	}
	expected := func(s alphabeta.Score) float64 {
		switch {
		case s >= alphabeta.MateBound:
			return 1
		case s <= -alphabeta.MateBound:
			return 0
		}
		return 1 / (1 + math.Exp(-max(min(float64(s)/Points, 16), -16)))
	}
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(-float64(best-s) / (Points * 0.8))
	}
	if !l.Valued || math.Abs(float64(l.Value.Score())-expected(best)) > 1e-5 {
		t.Fatalf("%s: %s is worth %v, want %g", v, v.FEN(l.Position), l.Value, expected(best))
	}
	for i, s := range scores {
		if math.Abs(float64(l.Values[i])-expected(s)) > 1e-5 {
			t.Fatalf("%s: %s, %s is worth %g, want %g", v, v.FEN(l.Position), v.FormatMove(l.Moves[i]), l.Values[i], expected(s))
		}
		if want := math.Exp(-float64(best-s)/(Points*0.8)) / sum; math.Abs(float64(l.Priors[i])-want) > 1e-5 {
			t.Fatalf("%s: %s, %s has the prior %g, want %g", v, v.FEN(l.Position), v.FormatMove(l.Moves[i]), l.Priors[i], want)
		}
	}
}

// TestOnePlyCrowded: a position with more pieces than a game begins with, set up by hand, is
// judged by the float32 twin.
func TestOnePlyCrowded(t *testing.T) {
	v := rules.International
	var white, black rules.Set
	for s := rules.Square(1); s <= 20; s++ {
		black = black.Or(v.Board.Set(s))
	}
	for s := rules.Square(26); s <= 50; s++ {
		white = white.Or(v.Board.Set(s))
	}
	p := rules.NewPosition(white, black, rules.Set{}, rules.White)
	e := New(v, 64, 3).Evaluator()
	leaves := []mcts.Leaf{leafOf(v, p)}
	if err := e.OnePly(OnePlyConfig{Temperature: 0.8}).Evaluate(context.Background(), leaves); err != nil {
		t.Fatal(err)
	}
	checkOnePly(t, e, v, leaves[0])
}

// TestOnePlyAllocations: a look allocates nothing.
func TestOnePlyAllocations(t *testing.T) {
	v := rules.International
	g := rules.NewGame(v)
	o := New(v, 64, 3).Evaluator().OnePly(OnePlyConfig{})
	rng := rand.New(rand.NewPCG(12, 7))
	for !g.Over() && g.Ply() < 60 {
		leaves := []mcts.Leaf{leafOf(v, g.Position())}
		look := func() {
			if err := o.Evaluate(context.Background(), leaves); err != nil {
				t.Fatal(err)
			}
		}
		look()
		if n := testing.AllocsPerRun(3, look); n != 0 {
			t.Fatalf("%s: %g allocations", v.FEN(g.Position()), n)
		}
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			t.Fatal(err)
		}
	}
}
