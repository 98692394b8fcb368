package mcts_test

import (
	"context"
	"fmt"

	"damier/mcts"
	"damier/rules"
)

// material judges by the number of men and kings, and likes all moves alike.
type material struct{}

func (material) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		l := &leaves[i]
		for j := range l.Priors {
			l.Priors[j] = 1 / float32(len(l.Priors))
		}
		count := func(c rules.Color) float32 {
			return float32(l.Position.Men(c).Len() + 3*l.Position.Kings(c).Len())
		}
		own, their := count(l.Position.Turn), count(l.Position.Turn.Opponent())
		l.Value = rules.WDL{Win: own / (own + their), Loss: their / (own + their)}
	}
	return nil
}

// The shortest program that plays a move. White gives a man, and the new king takes two and holds
// the third: that is proved soon, and ends the search.
func Example() {
	v := rules.International
	p, err := rules.ParseFEN(v, "W:W8,18,21:B11,16,36")
	if err != nil {
		panic(err)
	}
	search := mcts.NewSearch(v, mcts.Config{})
	search.Start(rules.NewGameFrom(v, p), mcts.Budget{Simulations: 400}, nil)
	result, err := search.Run(context.Background(), material{}, 1)
	if err != nil {
		panic(err)
	}
	for _, m := range result.PV[:5] {
		fmt.Print(v.FormatMove(m), " ")
	}
	fmt.Printf("after %d simulations, value %.2f\n", result.Simulations, result.Values[result.Best])
	// Output: 8-2 16x27 2x32 36-41 32x46 after 6 simulations, value 1.00
}
