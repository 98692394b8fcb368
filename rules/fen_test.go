package rules

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseFEN(t *testing.T) {
	const start = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"
	for _, c := range []struct {
		read, write string
		quiet       uint8
	}{
		{start, start, 0},
		{"W:W31-50:B1-20", start, 0},
		{"W:B1-20:W31-50.", start, 0},
		{" w : w 31 - 50 : b1-20 . \n", start, 0},
		{"W:W31-50:B1-20:H0:F1", start, 0},
		{"B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", 0},
		{"B:WK15,28,K10,27,24,18:BK29,K25,K22,20,16,12", "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", 0},
		{"W:WK1-3,k50:bk46-48,45", "W:WK1,K2,K3,K50:B45,K46,K47,K48", 0},
		{"B:W50:B", "B:W50:B", 0},
		{"B:W50", "B:W50:B", 0},
		{"W:WK50:BK1:H17:F40", "W:WK50:BK1", 17},
		{"W:WK50:BK1:H250", "W:WK50:BK1", 100},
		{"W:W31,G40,P2:B20", "W:W31:B20", 0},
		{"W:W31:B20:", "W:W31:B20", 0},
		{"W:W46-50:B1-5", "W:W46,47,48,49,50:B1,2,3,4,5", 0},
	} {
		p, err := ParseFEN(International, c.read)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := International.FEN(p); got != c.write {
			t.Errorf("%q: wrote %s, want %s", c.read, got, c.write)
		}
		if p.Quiet != c.quiet || p.Endgame != 0 {
			t.Errorf("%q: counters %d and %d, want %d and 0", c.read, p.Quiet, p.Endgame, c.quiet)
		}
	}
	if p, _ := ParseFEN(International, start); p != International.Start() {
		t.Errorf("start read as %+v", p)
	}
	for _, text := range []string{"W:W31-50:B1-20", "B:W31,32,34-36,K1,K2:B20,K44-46,K50", "W:WK1-3:BK48,K49"} {
		p, err := ParseFEN(International, text)
		if got := International.FENRanges(p); err != nil || got != text {
			t.Errorf("ranges: %s, error %v, want %s", got, err, text)
		}
	}
}

func TestParseFENErrors(t *testing.T) {
	for _, c := range []struct{ fen, want string }{
		{"", "byte 0, \"\": the side to move is missing"},
		{"  ", "the side to move is missing"},
		{"?:W31:B20", "byte 0, \"?\": the side to move is unknown"},
		{"X:W31:B20", "byte 0, \"X\": not a side to move"},
		{"W31:B20", "byte 0, \"W31\": not a side to move"},
		{"W", "black is not to move and has no piece"},
		{"W:W31:B20,31", "byte 10, \"31\": square 31 is occupied twice"},
		{"W:W31,31:B20", "byte 6, \"31\": square 31 is occupied twice"},
		{"W:W31-35,33:B20", "byte 9, \"33\": square 33 is occupied twice"},
		{"W:W31:B51", "byte 7, \"51\": off the board; its squares are 1 to 50"},
		{"W:W0:B20", "byte 3, \"0\": off the board"},
		{"W:W31:B1-99999999999999999999", "off the board"},
		{"W:W5:B20", "byte 3, \"5\": a white man cannot stand on 5, its promotion row; write K5"},
		{"W:W31:B44-47", "byte 7, \"44-47\": a black man cannot stand on 46"},
		{"W:W31:B60-20", "byte 7, \"60-20\": off the board"},
		{"W:W31:B20-10", "byte 7, \"20-10\": a range goes upwards; write 10-20"},
		{"W:W31,,32:B20", "byte 6, \"\": a square is missing"},
		{"W:W31 32:B20", "byte 3, \"31 32\": not a square"},
		{"W:Wa1:B20", "byte 3, \"a1\": not a square"},
		{"W:WK:B20", "byte 3, \"K\": not a square"},
		{"W:W-3:B20", "byte 3, \"-3\": not a square"},
		{"W:W31:W32:B20", "byte 6, \"W32\": white is listed twice"},
		{"W:W31::B20", "byte 6, \"\": empty section"},
		{"W:W31:B20:H", "byte 10, \"H\": a counter needs a number"},
		{"W:W31:B20:+0+0", "byte 10, \"+0+0\": king moves are counted in frisian and frysk only, this is international"},
		{"W:W31:B", "black is not to move and has no piece"},
		{"B:W:B20", "white is not to move and has no piece"},
		{"W:W:B", "black is not to move and has no piece"},
	} {
		p, err := ParseFEN(International, c.fen)
		if err == nil {
			t.Errorf("%q was read as %s", c.fen, International.FEN(p))
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %q, want %q in it", c.fen, err, c.want)
		}
	}
}

func TestFENRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	v := International
	for range 2000 {
		p := randomPosition(v, rng, 20, 0.3)
		for _, text := range []string{v.FEN(p), v.FENRanges(p)} {
			if q, err := ParseFEN(v, text); err != nil || q != p {
				t.Fatalf("%s: read as %s, error %v", text, v.FEN(q), err)
			}
		}
		if q, err := ParseHub(v, v.HubString(p)); err != nil || q != p {
			t.Fatalf("%s: read as %s, error %v", v.HubString(p), v.FEN(q), err)
		}
	}
}

func TestHub(t *testing.T) {
	start := "W" + strings.Repeat("b", 20) + strings.Repeat("e", 10) + strings.Repeat("w", 20)
	if got := International.HubString(International.Start()); got != start {
		t.Errorf("start: %s, want %s", got, start)
	}
	for _, c := range []struct{ text, want string }{
		{"", "0 characters"},
		{start[1:], "50 characters"},
		{"X" + start[1:], "byte 0"},
		{start[:21] + "x" + start[22:], "byte 21, \"x\": not a piece"},
		{"B" + strings.Repeat("b", 20) + strings.Repeat("e", 30), "white is not to move and has no piece"},
		{"Ww" + start[2:], "a white man cannot stand on 1"},
	} {
		if _, err := ParseHub(International, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q in it", c.text, err, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	b := International.Board
	for _, c := range []struct {
		p    Position
		want string
	}{
		{International.Start(), ""},
		{NewPosition(b.Set(31), b.Set(31), Set{}, White), "square 31 is occupied twice"},
		{NewPosition(b.Set(31), b.Set(20), b.Set(1), White), "a king is a piece of neither side"},
		{NewPosition(Set{Lo: 1 << 5}, b.Set(20), Set{}, White), "a piece stands off the board"},
		{NewPosition(b.Set(31), Set{Hi: 1}, Set{}, White), "a piece stands off the board"},
		{NewPosition(b.Set(31), b.Set(50), Set{}, White), "a black man cannot stand on 50"},
		{NewPosition(b.Set(31), Set{}, Set{}, White), "black is not to move and has no piece"},
		{NewPosition(b.Set(31), b.Set(20), Set{}, 2), "the side to move is neither White nor Black"},
	} {
		err := Validate(International, c.p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.p, err, c.want)
		}
	}
}

func ExampleParseFEN() {
	p, err := ParseFEN(International, "B:W31-50:B1-19,24")
	fmt.Println(International.FENRanges(p), err)
	_, err = ParseFEN(International, "W:W31-50:B1-20,31")
	fmt.Println(err)
	// Output:
	// B:W31-50:B1-19,24 <nil>
	// FEN at byte 15, "31": square 31 is occupied twice; name each square once
}
