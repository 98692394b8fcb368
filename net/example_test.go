package net_test

import (
	"context"
	"fmt"
	"log"

	"damier/internal/simd"
	"damier/mcts"
	"damier/net"
	"damier/rules"
)

// A model with random weights judges the start position.
func Example() {
	v := rules.International
	model, err := net.NewModel(v, net.Config{}, 1)
	if err != nil {
		log.Fatal(err)
	}
	evaluator, err := net.NewEvaluator(model, simd.Best())
	if err != nil {
		log.Fatal(err)
	}
	p := v.Start()
	moves := v.AppendMoves(nil, p)
	leaves := []mcts.Leaf{{Position: p, Moves: moves, Occurrences: 1, Priors: make([]float32, len(moves))}}
	if err := evaluator.Evaluate(context.Background(), leaves); err != nil {
		log.Fatal(err)
	}
	fmt.Println(model)
	value := leaves[0].Value
	fmt.Printf("%d moves; win, draw and loss sum to %.3f\n", len(leaves[0].Priors), value.Win+value.Draw+value.Loss)
	// Output:
	// lattice 48x6, 79395 weights
	// 9 moves; win, draw and loss sum to 1.000
}
