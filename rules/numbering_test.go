package rules

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestGeometry(t *testing.T) {
	for _, name := range Names() {
		v := with(t, name, "")
		b, last := v.Board, -1
		for s := Square(1); int(s) <= b.Squares(); s++ {
			if b.At(b.Row(s), b.Column(s)) != s || b.SquareAt(b.Bit(s)) != s || b.Rotate(b.Rotate(s)) != s {
				t.Fatalf("%s: square %s is not where it is", v, s)
			}
			if b.Bit(s) <= last {
				t.Fatalf("%s: the bits of the squares do not ascend at %s", v, s)
			}
			last = b.Bit(s)
			for _, d := range EveryDirection {
				n := b.Neighbour(s, d)
				if n != NoSquare && (b.Neighbour(n, d.Opposite()) != s || b.Rotate(b.Neighbour(b.Rotate(s), d.Opposite())) != n) {
					t.Fatalf("%s: the neighbours of %s do not fit", v, s)
				}
				if d.Backward(White) && d.Backward(Black) || d.Backward(White) != d.Opposite().Backward(Black) {
					t.Fatalf("direction %d is backward for both", d)
				}
			}
		}
		// One step in a direction is a constant number of bits wherever it stays on the board.
		for _, d := range EveryDirection {
			step := 0
			for s := Square(1); int(s) <= b.Squares(); s++ {
				n := b.Neighbour(s, d)
				if n == NoSquare || d.Orthogonal() && b.Corner != EverySquare {
					continue
				}
				if this := b.Bit(n) - b.Bit(s); step == 0 {
					step = this
				} else if this != step {
					t.Fatalf("%s: direction %d is a step of %d and of %d bits", v, d, step, this)
				}
			}
		}
	}
}

func TestNumbering(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      Square
		number int
		coords string
		called string
	}{
		{"international", 46, 46, "a1", "46"},
		{"canadian", 72, 72, "k1", "72"},
		{"english", 1, 1, "b8", "1"},
		{"russian", 29, 29, "a1", "a1"},
		{"brazilian", 4, 4, "h8", "h8"},
		{"czech", 32, 32, "g1", "g1"},
		{"turkish", 1, 1, "a8", "a8"},
		{"turkish", 64, 64, "h1", "h1"},
		{"spanish", 32, 1, "h1", "1"},
		{"portuguese", 1, 32, "a8", "32"},
		{"italian", 1, 1, "a8", "1"},
		{"german", 32, 32, "h1", "32"},
	} {
		v := with(t, c.name, "")
		if v.Number(c.s) != c.number || v.Coordinates(c.s) != c.coords || v.SquareName(c.s) != c.called || v.SquareOf(c.number) != c.s {
			t.Errorf("%s %d: %d, %s, %s", v, c.s, v.Number(c.s), v.Coordinates(c.s), v.SquareName(c.s))
		}
	}
	for _, name := range Names() {
		v := with(t, name, "")
		for s := Square(1); int(s) <= v.Board.Squares(); s++ {
			texts := []string{v.SquareName(s), strconv.Itoa(v.Number(s)), " 0" + strconv.Itoa(v.Number(s))}
			if v.Algebraic {
				texts = append(texts, strings.ToUpper(v.Coordinates(s)))
			}
			for _, text := range texts {
				if got, err := v.ParseSquare(text); got != s || err != nil {
					t.Errorf("%s: %q is %s, error %v", v, text, got, err)
				}
			}
		}
		for _, text := range []string{"", "0", "99", "-1", "z9", "a0", "a9", "i1", "c", "c 3"} {
			if s, err := v.ParseSquare(text); err == nil {
				t.Errorf("%s: %q was read as %s", v, text, s)
			}
		}
		if v.GameTag != "" && !strings.HasPrefix(v.GameTag, strconv.Itoa(v.GameType)+","+v.First.letter()+",") {
			t.Errorf("%s: tag %s, type %d", v, v.GameTag, v.GameType)
		}
	}
	if s, err := Russian.ParseSquare("a2"); err == nil {
		t.Errorf("a2 is square %s", s)
	}
}

func (c Color) letter() string { return string("WB"[c]) }

// TestFamilyFEN writes and reads positions of random games of every variant in every form.
func TestFamilyFEN(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 32))
	for _, v := range familyVariants(t) {
		for g := NewGame(v); g.Ply() < 150 && !g.Over(); {
			p := g.Position()
			p.Quiet, p.Endgame, p.Road = 0, 0, 0
			texts := []string{v.FEN(p), v.FENRanges(p)}
			if v.Algebraic {
				texts = append(texts, v.FENCoordinates(p), strings.ToLower(v.FENCoordinates(p)))
			}
			for _, text := range texts {
				if Validate(v, p) != nil {
					continue // the last piece of who has just moved is gone
				}
				if q, err := ParseFEN(v, text); err != nil || q != p {
					t.Fatalf("%s: %s read as %s, error %v", v, text, v.FEN(q), err)
				}
			}
			p = NewPosition(p.Pieces(White), p.Pieces(Black), p.Kings(White).Or(p.Kings(Black)), p.Turn)
			if q, err := ParseHub(v, v.HubString(p)); err != nil || q != p {
				t.Fatalf("%s: %s read as %s, error %v", v, v.HubString(p), v.FEN(q), err)
			}
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ name, fen, want string }{
		{"spanish", "W:W1-12:B21-32", "W:W1-12:B21-32"},
		{"russian", "W:Wa1,c1,e1:Bb8,Kd8", "W:W29-31:B1,K2"},
		{"russian", "w:wg1,Kg3:bb6,G22", "W:W32,K24:B9"},
		{"russian", "W:WG3,A1:BB6", "W:W24,29:B9"}, // a square in capitals
		{"russian", "W:WKG3:BB6,KG7", "W:WK24:B9,K8"},
		{"russian", "W:W24,29:B9,G3", "W:W24,29:B9"}, // a captured piece on the third square
		{"turkish", "B:Wa2,Kh1:Bg7", "B:W49,K64:B15"},
		{"frisian", "B:W50,K5:B6,K1:+0+205", "B:W50,K5:B6,K1:+0+205"},
		{"frisian", "B:W50,K5:B6,K1:+101+305", "B:W50,K5:B6,K1:+101+305"},
		{"frisian", "B:W50,K5:B6,K1:+0+0", "B:W50,K5:B6,K1"},
	} {
		v := with(t, c.name, "")
		if p, err := ParseFEN(v, c.fen); err != nil || v.FENRanges(p) != c.want {
			t.Errorf("%s %s: read as %s, error %v, want %s", v, c.fen, v.FENRanges(p), err, c.want)
		}
	}
	for _, c := range []struct{ name, fen, want string }{
		{"russian", "W:Wa2:Bb8", "no playing square"},
		{"russian", "W:Wb8:Bd8", "promotion row; write Kb8"},
		{"russian", "W:W33:B1", "off the board"},
		{"english", "W:Wc3:B1", "not a square"},
		{"spanish", "W:W32:B1", "a white man cannot stand on 32"},
		{"frisian", "B:W50,K5:B6,K1:+0", "+0+205"},
		{"frisian", "B:W50,K5:B6,K1:+0+405", "at most 3"},
		{"frisian", "B:W50,K5:B6,K1:+0+204", "need its king on 4"},
		{"frisian", "B:WK5:B6,K1:+0+205", "a man of its own"},
		{"frisian", "B:W50,K5:B6,K1:+0+2", "a square in two"},
		{"frisian", "B:W50,K5:B6,K1:+0+299", "off the board"},
	} {
		v := with(t, c.name, "")
		if p, err := ParseFEN(v, c.fen); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: read as %s, error %v, want %q in it", v, c.fen, v.FEN(p), err, c.want)
		}
	}
}

// TestKingMoves follows the count of quiet moves of one king over what continues it and what ends
// it.
func TestKingMoves(t *testing.T) {
	for _, c := range []struct{ name, fen, moves, want string }{
		{"each counts", "W:WK47,50:B6,7,K1", "47-36 7-11 36-31", "+0+231"},
		{"for both sides", "W:WK47,50:B6,7,K4", "47-36 4-10", "+110+136"},
		{"a man's move ends it", "W:WK47,50:B6,7,K1", "47-36 7-11 50-45", ""},
		{"another king begins anew", "W:WK47,K48,50:B6,7,K1", "47-36 7-11 48-42", "+0+142"},
		{"a capture ends it", "W:WK47,50:B6,7,14", "47-36 6-11 36-41 14-19 41x14", ""},
		{"not without a man", "W:WK47,K48:B6,7,K1", "47-36", ""},
		{"nor after the last man is gone", "W:WK50,28:B22,17", "50-44 22x33", ""},
	} {
		v := Frisian
		g := NewGameFrom(v, dataPosition(t, v, c.fen))
		for _, text := range strings.Fields(c.moves) {
			for _, m := range g.Legal() {
				if squareText(m) == text {
					if err := g.Play(m); err != nil {
						t.Fatal(err)
					}
					break
				}
			}
		}
		fen := v.FEN(g.Position())
		_, got, _ := strings.Cut(fen, ":+")
		if got != strings.TrimPrefix(c.want, "+") {
			t.Errorf("%s: %s, want %s", c.name, fen, c.want)
		}
	}
	// Where a king has moved before is another position: other moves are legal.
	p := dataPosition(t, Frisian, "W:WK47,50:B6,7,K1")
	q := p.WithKingMoves(White, 3, 47)
	if p.Same(q) || p.Key() == q.Key() || Frisian.CountMoves(p) == Frisian.CountMoves(q) {
		t.Error("three moves of a king behind it make no other position")
	}
	if only := p.WithKingMoves(White, 3, 47); Frisian.Perft(only, 1) != Frisian.Perft(p, 1) {
		t.Error("the limit on king moves changes the leaf count")
	}
	// A side whose only moves are those of the barred king has lost.
	stuck := dataPosition(t, Frisian, "W:WK47,46:B41,37,36,1").WithKingMoves(White, 3, 47)
	if g := NewGameFrom(Frisian, stuck); len(g.Legal()) > 0 && !g.Legal()[0].IsCapture() {
		t.Errorf("%s: %s", Frisian.FEN(stuck), formatMoves(Frisian, g.Legal()))
	}
}

// TestKingMovesRepeat: two kings of each side, which have men too, go to and fro in turn. The same
// pieces are on the same squares after every fourth ply, but it is the same position only if the
// same kings may still move: for the third time at ply 18, after plies 2 and 10, not at ply 8 as
// without the limit.
func TestKingMovesRepeat(t *testing.T) {
	v := Frisian
	free := v.withoutKingLimit()
	rng := rand.New(rand.NewPCG(35, 35))
	play := func(v *Variant, p Position) (int, Reason) {
		g := NewGameFrom(v, p)
		for !g.Over() && g.Ply() < 30 {
			var m Move
			if n := g.Ply(); n%4 >= 2 { // back
				m = NewMove(g.Moves()[n-2].To, g.Moves()[n-2].From, Set{})
			} else { // the first move of the king whose turn it is
				kings := g.Position().Kings(g.Position().Turn)
				from := v.Board.AppendSquares(nil, kings)[n/4%2]
				for _, l := range g.Legal() {
					if l.From == from {
						m = l
						break
					}
				}
			}
			if m.IsCapture() || g.Play(m) != nil {
				return 0, NoReason
			}
		}
		_, reason := g.Outcome()
		return g.Ply(), reason
	}
	tried := 0
	for try := 0; tried < 5 && try < 200000; try++ {
		s := rng.Perm(50)
		at := func(i int) Square { return Square(s[i] + 1) }
		white, black := v.Board.Set(at(0), at(1), at(2)), v.Board.Set(at(3), at(4), at(5))
		p := NewPosition(white, black, v.Board.Set(at(0), at(1), at(3), at(4)), White)
		if Validate(v, p) != nil {
			continue
		}
		ply, reason := play(free, p)
		if ply != 8 || reason != Threefold {
			continue
		}
		tried++
		if ply, reason := play(v, p); ply != 18 || reason != Threefold {
			t.Errorf("%s: with the limit the game ends at ply %d by %q, want 18 and threefold", v.FEN(p), ply, reason)
		}
	}
	if tried == 0 {
		t.Error("no kings that let each other be")
	}
}

// TestFamilyAllocation: no generator makes garbage.
func TestFamilyAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 33))
	for _, v := range familyVariants(t) {
		positions := []Position{v.Start()}
		for range 20 {
			positions = append(positions, randomPosition(v, rng, 5, 0.3))
		}
		var room [256]Move
		if n := testing.AllocsPerRun(3, func() {
			for _, p := range positions {
				for _, m := range v.AppendMoves(room[:0], p) {
					v.Play(p, m)
				}
				v.HasCaptures(p)
				v.DrawByCount(p)
			}
		}); n != 0 {
			t.Errorf("%s: %.0f allocations", v, n)
		}
	}
}

// TestFamilyGames plays random games of every variant to their end; no two positions with one key
// differ.
func TestFamilyGames(t *testing.T) {
	for _, v := range familyVariants(t) {
		rng := rand.New(rand.NewPCG(34, 34))
		seen := map[uint64]Position{}
		ended := map[Reason]int{}
		for range 30 {
			g := NewGame(v)
			for !g.Over() && g.Ply() < 600 {
				p := g.Position()
				if q, ok := seen[p.Key()]; ok && !q.Same(p) {
					t.Fatalf("%s: %s and %s have one key", v, v.FEN(p), v.FEN(q))
				}
				seen[p.Key()] = p
				if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
					t.Fatal(err)
				}
			}
			_, reason := g.Outcome()
			ended[reason]++
		}
		if ended[NoReason] > 3 {
			t.Errorf("%s: %d of 30 random games do not end: %v", v, ended[NoReason], ended)
		}
	}
}
