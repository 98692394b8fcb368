package notation_test

import (
	"errors"
	"fmt"
	"io"
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
