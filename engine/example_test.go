package engine_test

import (
	"context"
	"fmt"

	"damier/engine"
	"damier/notation"
	"damier/rules"
)

// The baseline searches a position: the move, and its expected score for the side to move.
func ExampleEngine() {
	v := rules.International
	p, err := rules.ParseFEN(v, "W:W28,32,37,38,42:B13,18,19,23,24")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := rules.NewGameFrom(v, p)
	e, err := engine.NewBaseline(v, 16)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := e.Think(context.Background(), g, engine.Limits{Depth: 8}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, expected score %.2f\n", notation.FormatMove(v, p, found.Move), found.Expected)
	// Output:
	// 28-22, expected score 0.46
}
