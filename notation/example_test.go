package notation_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"damier/notation"
	"damier/rules"
)

// Games of a PDN file, one after the other; a bad one does not end the file.
func ExampleReader() {
	file := strings.NewReader(`
[White "Anna"]
1. 32-28 19-23 2. 28x19 14x23 1-1
[White "Bert"]
1. 32-27 19-23 2. 28x50 *
`)
	r := notation.NewReader(file, rules.International)
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if bad := (*notation.ParseError)(nil); errors.As(err, &bad) {
			fmt.Println("game", bad.Game, "is bad after", bad.Ply, "moves")
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(g.Tags.Get("White"), g.Ply(), "moves", g.Result)
	}
	// Output:
	// Anna 4 moves 1-1
	// game 2 is bad after 2 moves
}

// A game is written with its tags; its result is the last word.
func ExampleWrite() {
	v := rules.International
	g := rules.NewGame(v)
	for _, text := range []string{"32-28", "19-23", "28x19", "14x23"} {
		m, err := notation.ParseMove(v, g.Position(), text)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := g.Play(m); err != nil {
			fmt.Println(err)
			return
		}
	}
	g.End(rules.Draw, rules.Agreement)
	tags := notation.Tags{{Name: "White", Value: "Anna"}, {Name: "Black", Value: "Bert"}}
	if err := notation.Write(os.Stdout, notation.NewGame(g, tags)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [Event "?"]
	// [Site "?"]
	// [Date "?"]
	// [Round "?"]
	// [White "Anna"]
	// [Black "Bert"]
	// [Result "1-1"]
	// [GameType "20"]
	// [PlyCount "4"]
	// [Termination "agreement"]
	//
	// 1. 32-28 19-23 2. 28x19 14x23 1-1
}
