package rules_test

import (
	"fmt"

	"damier/rules"
)

// A game from the start: legal moves, a move, how it stands.
func ExampleGame() {
	v := rules.International
	g := rules.NewGame(v)
	fmt.Println(len(g.Legal()), "legal moves, the first", v.FormatMove(g.Legal()[0]))
	for range 6 {
		if err := g.Play(g.Legal()[0]); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(v.FEN(g.Position()))
	outcome, _ := g.Outcome()
	fmt.Println(outcome, g.Over())
	// Output:
	// 9 legal moves, the first 31-26
	// W:W26,28,33,34,35,36,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,12,13,14,15,16,17,18,19,20
	// * false
}

// A variant by its name, with options.
func ExampleLookup() {
	v, err := rules.Lookup("russian", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := v.Start()
	fmt.Println(len(v.AppendMoves(nil, p)), "moves on", v.Board.Squares(), "squares")
	// Output:
	// 7 moves on 32 squares
}
