package rules

import (
	"strings"
	"testing"
)

// TestRefusedPositions: positions of another variant, and those that cannot be, are refused, and
// the error names what is wrong and where.
func TestRefusedPositions(t *testing.T) {
	for _, c := range []struct{ name, fen, want string }{
		// Of a larger board, of one with coordinates, of one that counts king moves.
		{"english", "W:W31-50:B1-20", `byte 3, "31-50": off the board; its squares are 1 to 32 in english; there is a square 50 in antidraughts, breakthrough, canadian, frisian`},
		{"international", "W:W43-72:B1-30", `"43-72": off the board; its squares are 1 to 50 in international; there is a square 72 in canadian`},
		{"canadian", "W:W73:B1", `"73": off the board; its squares are 1 to 72`},
		{"russian", "W:W41-56:B9-24", `"41-56": off the board`},
		{"international", "W:Wa1,c3:Bb8", `byte 3, "a1": not a square; in international squares are numbers, 1 to 50`},
		{"czech", "W:Wa1,i3:Bb8", `byte 6, "i3": no playing square of the board`},
		{"brazilian", "W:Wa1,c4:Bb8", `byte 6, "c4": no playing square of the board`},
		{"turkish", "W:Wa9:Bb7", `byte 3, "a9": no playing square of the board`},
		{"russian", "W:Wc3:Bb6:+0+103", "king moves are counted in frisian and frysk only, this is russian"},

		// Too many pieces.
		{"international", "W:W28-48:B1-3", "white has 21 pieces; in international a side has at most 20"},
		{"english", "B:W20-32:B1-3", "white has 13 pieces; in english a side has at most 12"},
		{"canadian", "W:W43-50:B1-31", "black has 31 pieces; in canadian a side has at most 30"},
		{"turkish", "W:W40-56:B9-24", "white has 17 pieces; in turkish a side has at most 16"},
		{"frysk", "W:W30-50:B1-5", "white has 21 pieces; in frysk a side has at most 20"},
		{"thai", "B:W20-32:B1-3", "white has 13 pieces; in thai a side has at most 12"},
		{"italian", "W:WK1-13:B20", "white has 13 pieces"},

		// Men on their promotion row, named as the variant's players name squares.
		{"english", "B:W21,3:B1", `byte 6, "3": a white man cannot stand on 3, its promotion row; write K3`},
		{"english", "B:W21:B1,30", `"30": a black man cannot stand on 30`},
		{"spanish", "W:W1,30:B20", `"30": a white man cannot stand on 30`},
		{"portuguese", "W:W10:B30,2", `"2": a black man cannot stand on 2`},
		{"italian", "W:W4:B10", "a white man cannot stand on 4"},
		{"german", "W:W10:B29", "a black man cannot stand on 29"},
		{"russian", "W:Wc3,d8:Bb6", "a white man cannot stand on d8, its promotion row; write Kd8"},
		{"turkish", "W:Wa3:Bc1", "a black man cannot stand on c1"},
		{"canadian", "W:W50:B72", "a black man cannot stand on 72"},
		{"thai", "B:W4:B9", "a white man cannot stand on 4"},
		{"breakthrough", "W:W5:B9", "a white man cannot stand on 5"},
		{"killer", "W:W30:B48", "a black man cannot stand on 48"},
	} {
		v := with(t, c.name, "")
		p, err := ParseFEN(v, c.fen)
		if err == nil {
			t.Errorf("%s: %q was read as %s", c.name, c.fen, v.FEN(p))
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: error %q, want %q in it", c.name, c.fen, err, c.want)
		}
		if _, err := ParseDiagram(v, c.fen); err == nil {
			t.Errorf("%s: %q was read as a diagram", c.name, c.fen)
		}
	}
	// Hub strings of every variant fit no board of another size.
	for _, name := range Names() {
		v := with(t, name, "")
		for _, other := range Names() {
			w := with(t, other, "")
			_, err := ParseHub(w, v.HubString(v.Start()))
			if fits := v.Board.Squares() == w.Board.Squares(); !fits && (err == nil || !strings.Contains(err.Error(), "characters; in "+other)) {
				t.Errorf("the start of %s in Hub form, read as %s: error %v", name, other, err)
			}
		}
	}
	if _, err := ParseHub(Thai, "Bbbbe"+strings.Repeat("w", 13)+strings.Repeat("e", 15)); err == nil || !strings.Contains(err.Error(), "at most 12") {
		t.Errorf("thirteen men in Thai: error %v", err)
	}
}

// TestMaxPieces: a start has as many pieces as a side may have, but for the variants that begin
// with few.
func TestMaxPieces(t *testing.T) {
	few := map[string]int{"frysk": 5, "thai": 8}
	for _, name := range Names() {
		v := with(t, name, "")
		n := v.Start().Pieces(White).Len()
		if want, ok := few[name]; ok && n != want || !ok && n != v.MaxPieces() {
			t.Errorf("%s begins with %d pieces a side, at most %d", name, n, v.MaxPieces())
		}
	}
}
