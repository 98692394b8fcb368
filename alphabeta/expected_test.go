package alphabeta

import (
	"math"
	"testing"

	"damier/rules"
)

// halved is an evaluation that says what its scores mean.
type halved struct{}

func (halved) Score(rules.Position) Score { return 0 }

func (halved) Expected(s Score) float64 { return 0.5 + float64(s)/1000 }

// A score means what its maker says: the evaluation by hand holds a man ahead for 0.73.
func TestExpected(t *testing.T) {
	byHand, err := New(rules.International, Config{TableBits: 8})
	if err != nil {
		t.Fatal(err)
	}
	given, err := New(rules.International, Config{TableBits: 8, Evaluator: halved{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		engine *Engine
		score  Score
		want   float64
	}{
		{byHand, 0, 0.5}, {byHand, 100, 0.731}, {byHand, -100, 0.269}, {byHand, Mate - 3, 1}, {byHand, -Mate + 3, 0},
		{given, 100, 0.6}, {given, Mate - 3, 1},
	} {
		if got := x.engine.Expected(x.score); math.Abs(got-x.want) > 0.001 {
			t.Errorf("%d points are %.3f, want %.3f", x.score, got, x.want)
		}
	}
}
