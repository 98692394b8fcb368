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

// The shortest program that plays a move: a shot that gives two men and takes three.
func Example() {
	v := rules.International
	p, err := rules.ParseFEN(v, "W:W32,37,38,42,48:B16,17,18,23,26,28")
	if err != nil {
		panic(err)
	}
	game := rules.NewGameFrom(v, p)
	search := mcts.NewSearch(v, mcts.Config{})
	search.Start(game, mcts.Budget{Simulations: 400}, nil)
	result, err := search.Run(context.Background(), material{}, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(v.FormatMove(result.Moves[result.Best]), result.Simulations)
	// Output: x
}
