package notation

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/rules"
)

var v = rules.International

func position(t testing.TB, fen string) rules.Position {
	t.Helper()
	p, err := rules.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Two kings' captures that a short form cannot tell apart; the long forms are those of PDN 3.0.
const (
	twoWays15 = "W:WK4:B13,20,32,37"
	twoWays36 = "W:WK47:B14,19,29,31,42"
)

func TestParseMove(t *testing.T) {
	for _, c := range []struct{ fen, text, want string }{
		{"W:W31-50:B1-20", "32-28", "32-28"},
		{"W:W31-50:B1-20", " 32 - 28 ", "32-28"},
		{"W:W31-50:B1-20", "032-028", "32-28"},
		{"W:W31-50:B1-20", "32–28", "32-28"},
		{"W:W31-50:B1-20", "32\u201128", "32-28"},
		{"W:W28:B23", "28x19", "28x19x23"},
		{"W:W28:B23", "28:19", "28x19x23"},
		{"W:W28:B23", "28×19", "28x19x23"},
		{"W:W28:B23", "28-19", "28x19x23"},
		{"W:W28:B23", "28x19x23", "28x19x23"},
		{"W:W28:B23", "28x19<23>", "28x19x23"},
		{twoWays15, "4x27x38x15", "4x15x13x20x32"},
		{twoWays15, "4x31x42x15", "4x15x13x20x37"},
		{twoWays15, "4x31x15", "4x15x13x20x37"},
		{twoWays15, "4x15x20x13x37", "4x15x13x20x37"},
		{twoWays15, "4x15 <37, 20,13>", "4x15x13x20x37"},
		{twoWays36, "47x38x24x13x36", "47x36x19x29x31x42"},
		{twoWays36, "47x38x20x9x36", "47x36x14x29x31x42"},
		{twoWays36, "47x24x13x36", "47x36x19x29x31x42"},
		{twoWays36, "47x9x36", "47x36x14x29x31x42"},
		{twoWays36, "47x33x29x24x13x36", ""},
		{twoWays36, "47x33x24x13x36", "47x36x19x29x31x42"},
		// Round captures end where they began: by four men, and by a king.
		{"W:W37:B21,22,31,32", "37x37", "37x37x21x22x31x32"},
		{"W:W37:B21,22,31,32", "37x26x17x28x37", "37x37x21x22x31x32"},
		{"W:W37:B21,22,31,32", "37x37x32x31x22x21", "37x37x21x22x31x32"},
	} {
		m, err := ParseMove(v, position(t, c.fen), c.text)
		got := ""
		if err == nil {
			got = FormatHub(v, m)
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q (%v)", c.fen, c.text, got, c.want, err)
		}
	}
}

func TestParseMoveErrors(t *testing.T) {
	start := "W:W31-50:B1-20"
	for _, c := range []struct {
		fen, text string
		is        error
		want      string
	}{
		{start, "", ErrSyntax, "square number is missing"},
		{start, "32", ErrSyntax, "destination is missing"},
		{start, "32-", ErrSyntax, "square number is missing"},
		{start, "e4", ErrSyntax, "write 32-28 or 19x30"},
		{start, "32+28", ErrSyntax, "joined by - or x"},
		{start, "32-28x19", ErrSyntax, "mixed"},
		{start, "32-51", ErrSyntax, "51 is no square, the board has 1 to 50"},
		{start, "0-28", ErrSyntax, "0 is no square"},
		{start, "99999999999999999999-1", ErrSyntax, "is no square"},
		{start, "32x28<", ErrSyntax, "no end"},
		{start, "28-23", rules.ErrIllegalMove, "no piece on 28"},
		{start, "19-23", rules.ErrIllegalMove, "not your piece: there is a black man on 19 and white is to move"},
		{start, "37-32", rules.ErrIllegalMove, "32 is occupied by a white man"},
		{start, "37-31", rules.ErrIllegalMove, "31 is occupied by a white man"},
		{start, "37-28", rules.ErrIllegalMove, "the white man on 37 has no free square to go to"},
		{start, "32-23", rules.ErrIllegalMove, "the white man on 32 goes to 27 or 28"},
		{start, "32x28", rules.ErrIllegalMove, "nothing can be taken"},
		{"W:W28,40:B23", "40-34", rules.ErrIllegalMove, "must take 1: with 28"},
		{"W:W28,40:B23", "28-22", rules.ErrIllegalMove, "28 must take 1: to 19"},
		{"W:W28,40,32:B23,27,29", "40-34", rules.ErrIllegalMove, "must take"},
		{"W:W:B1", "32-28", rules.ErrIllegalMove, "no piece on 32"},
		{"W:W46:B41,37", "46-41", rules.ErrIllegalMove, "41 is occupied by a black man"},
		{"W:W46:B41,37", "46-42", rules.ErrIllegalMove, "white has no legal move"},
		{"W:W28:B23", "28x19x24", rules.ErrIllegalMove, "28 must take 1: to 19"}, // as 24 is empty, it is a destination
		{"W:W28:B23", "28x19<24>", rules.ErrIllegalMove, "28x19 takes 23"},
		{twoWays15, "4x43x15", rules.ErrIllegalMove, "no capture from 4 to 15 goes that way"},
	} {
		_, err := ParseMove(v, position(t, c.fen), c.text)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.fen, c.text, err, c.want)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	for _, c := range []struct{ fen, text, want string }{
		{twoWays36, "47x36", "ambiguous: 47x36 may take 19,29,31,42 or 14,29,31,42"},
		{twoWays36, "47x38x36", "ambiguous: 47x38x36 may take 19,29,31,42 or 14,29,31,42"},
		{twoWays15, "4x15", "ambiguous: 4x15 may take 13,20,32 or 13,20,37"},
	} {
		_, err := ParseMove(v, position(t, c.fen), c.text)
		var a *AmbiguousError
		if !errors.As(err, &a) || len(a.Choices) != 2 || a.Choices[0] == a.Choices[1] {
			t.Fatalf("%s: %v", c.text, err)
		}
		swapped := strings.Replace(c.want, "19,29,31,42 or 14,29,31,42", "14,29,31,42 or 19,29,31,42", 1)
		if err.Error() != c.want && err.Error() != swapped {
			t.Errorf("%q, want %q", err, c.want)
		}
	}
}

func TestFormatMove(t *testing.T) {
	for _, c := range []struct {
		fen  string
		want []string
	}{
		{twoWays15, []string{"4x27x38x15", "4x31x42x15"}},
		{twoWays36, []string{"47x38x20x9x36", "47x38x24x13x36"}},
		{"W:W28:B23", []string{"28x19"}},
		{"W:W28:B1", []string{"28-22", "28-23"}},
		{"W:W37:B21,22,31,32", []string{"37x37"}},
	} {
		p := position(t, c.fen)
		got := map[string]bool{}
		for _, m := range v.AppendMoves(nil, p) {
			got[FormatMove(v, p, m)] = true
		}
		for _, w := range c.want {
			if !got[w] {
				t.Errorf("%s: %v lacks %s", c.fen, got, w)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.fen, got, c.want)
		}
	}
	p := position(t, "W:W37:B21,22,31,32")
	if got := FormatLong(v, p, v.AppendMoves(nil, p)[0]); got != "37x26x17x28x37" {
		t.Errorf("long form of a round capture: %s", got)
	}
}

func TestParseHub(t *testing.T) {
	p := position(t, twoWays36)
	if m, err := ParseHub(v, p, "47x36x42x31x29x19"); err != nil || FormatHub(v, m) != "47x36x19x29x31x42" {
		t.Errorf("%v", err)
	}
	if _, err := ParseHub(v, p, "47x38x24x13x36"); !errors.Is(err, rules.ErrIllegalMove) {
		t.Errorf("the long form of PDN is no Hub move: %v", err)
	}
	if _, err := ParseHub(v, p, "47x36"); err == nil {
		t.Error("two captures fit")
	}
}

// randomPosition puts up to n pieces a side on the board, often kings, so that there are many
// captures.
func randomPosition(rng *rand.Rand, v *rules.Variant, n int) rules.Position {
	var side [2]rules.Set
	var kings rules.Set
	squares := rng.Perm(v.Board.Squares())
	for c := range side {
		for range 1 + rng.IntN(n) {
			s := rules.Square(squares[0] + 1)
			squares = squares[1:]
			side[c] = side[c].Or(v.Board.Set(s))
			if v.Promotes(rules.Color(c), s) || rng.IntN(3) == 0 {
				kings = kings.Or(v.Board.Set(s))
			}
		}
	}
	return rules.NewPosition(side[0], side[1], kings, rules.Color(rng.IntN(2)))
}

// Every legal move, also an ambiguous capture, can be read back from every form in which it can be
// written.
func TestMoveRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	long := 0
	for range 6000 {
		p := randomPosition(rng, v, 9)
		for _, m := range v.AppendMoves(nil, p) {
			text := FormatMove(v, p, m)
			if strings.Count(text, "x") > 1 {
				long++
			}
			for _, s := range []string{text, FormatLong(v, p, m), FormatHub(v, m)} {
				if got, err := ParseMove(v, p, s); err != nil || got != m {
					t.Fatalf("%s %q: %v, %v", v.FEN(p), s, got, err)
				}
			}
			if got, err := ParseHub(v, p, FormatHub(v, m)); err != nil || got != m {
				t.Fatalf("%s %q: %v, %v", v.FEN(p), FormatHub(v, m), got, err)
			}
			if got, want := strings.Count(FormatLong(v, p, m), "x"), m.Captured().Len(); got != want {
				t.Fatalf("%s: long form %s, want %d steps", v.FEN(p), FormatLong(v, p, m), want)
			}
		}
	}
	if long == 0 {
		t.Error("no ambiguous capture was met")
	}
}

// Explain returns a reason exactly when the move is not legal.
func TestExplain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		p := randomPosition(rng, v, 8)
		legal := map[[2]rules.Square]bool{}
		for _, m := range v.AppendMoves(nil, p) {
			legal[[2]rules.Square{m.From, m.To}] = true
		}
		for from := rules.Square(0); from <= 51; from++ {
			for to := rules.Square(0); to <= 51; to++ {
				if why := Explain(v, p, from, to); (why == "") != legal[[2]rules.Square{from, to}] {
					t.Fatalf("%s %d to %d: %q", v.FEN(p), from, to, why)
				}
			}
		}
	}
}

func FuzzParseMove(f *testing.F) {
	for _, s := range []string{"32-28", "47x38x24x13x36", "4x15<13,20,37>", "28x19x23", "x", "<", "1-1", "½"} {
		f.Add(twoWays36, s)
		f.Add("W:W31-50:B1-20", s)
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		p, err := rules.ParseFEN(v, fen)
		if err != nil || p.Pieces(rules.White).Len()+p.Pieces(rules.Black).Len() > 24 {
			p = v.Start()
		}
		m, err := ParseMove(v, p, text)
		if err != nil {
			return
		}
		if n, err := ParseMove(v, p, FormatMove(v, p, m)); err != nil || n != m {
			t.Fatalf("%q is %v, written and read %v: %v", text, m, n, err)
		}
	})
}
