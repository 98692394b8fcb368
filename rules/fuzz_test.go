package rules

import (
	"strings"
	"testing"
)

// fuzzed returns one of all variants, those whose options change the moves included.
func fuzzed(all []*Variant, n uint8) *Variant { return all[int(n)%len(all)] }

// FuzzParseFEN: nothing makes the reader fail badly in any variant, and what it accepts is a
// position that all writers write so that it is read again, and written again the same.
func FuzzParseFEN(f *testing.F) {
	all := familyVariants(f)
	for i, v := range all {
		f.Add(uint8(i), v.FEN(v.Start()))
		f.Add(uint8(i), v.FENRanges(v.Start()))
		f.Add(uint8(i), v.FENCoordinates(v.Start()))
	}
	for _, s := range []string{
		"W:W31-50:B1-20", "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", "B:W50:B", "w:bk1-3 , 20 : w k50.",
		"W:WK50:BK1:H17:F40", "W:W31,G40,P2:B20", "?:W31:B20", "W:W31:B20-10", "W:W5:B46", "W::", ".", "W:W31,31:B1",
		"B:W50,K5:B6,K1:+101+305", "B:W50,K5:B6,K1:+0+0", "W:Wc3,Kg5:Bb6,G2", "w:wa1:bkh8", "W:W1-12:B21-32", "W:WK1-72:BK1",
	} {
		for i := range all {
			f.Add(uint8(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, s string) {
		v := fuzzed(all, n)
		p, err := ParseFEN(v, s)
		if err != nil {
			return
		}
		if err := Validate(v, p); err != nil {
			t.Fatalf("%s: %q: accepted, and then: %v", v, s, err)
		}
		p.Quiet = 0
		texts := []string{v.FEN(p), v.FENRanges(p)}
		if v.Algebraic {
			texts = append(texts, v.FENCoordinates(p))
		}
		for _, text := range texts {
			q, err := ParseFEN(v, text)
			if err != nil || q != p || v.FEN(q) != texts[0] {
				t.Fatalf("%s: %q: written as %s, read as %s, error %v", v, s, text, v.FEN(q), err)
			}
		}
		p = p.WithKingMoves(White, 0, NoSquare).WithKingMoves(Black, 0, NoSquare) // of which Hub knows nothing
		if q, err := ParseHub(v, v.HubString(p)); err != nil || q != p {
			t.Fatalf("%s: %q: Hub position read as %s, error %v", v, s, v.FEN(q), err)
		}
	})
}

// FuzzParseHub: what the reader accepts is written again as it was.
func FuzzParseHub(f *testing.F) {
	all := familyVariants(f)
	for i, v := range all {
		f.Add(uint8(i), v.HubString(v.Start()))
		f.Add(uint8(i), "B"+strings.Repeat("wWbBe", 15)[:v.Board.Squares()])
		f.Add(uint8(i), "Wx")
	}
	f.Fuzz(func(t *testing.T, n uint8, s string) {
		v := fuzzed(all, n)
		p, err := ParseHub(v, s)
		if err != nil {
			return
		}
		if got := v.HubString(p); got != s {
			t.Fatalf("%s: %s is written as %s", v, s, got)
		}
		if q, err := ParseFEN(v, v.FEN(p)); err != nil || q != p {
			t.Fatalf("%s: %s: as a FEN %s, error %v", v, s, v.FEN(p), err)
		}
	})
}

// FuzzMovesAgainstReference makes a position of any words, a bit for each square, and compares the
// twins on it.
func FuzzMovesAgainstReference(f *testing.F) {
	all := familyVariants(f)
	for i, v := range all {
		p := v.Start()
		var white, black uint64
		for s := range Square(min(64, v.Board.Squares())) {
			if v.Board.Has(p.Pieces(White), s+1) {
				white |= 1 << s
			}
			if v.Board.Has(p.Pieces(Black), s+1) {
				black |= 1 << s
			}
		}
		f.Add(uint8(i), white, black, uint64(0), uint8(0), uint8(0), false)
		f.Add(uint8(i), uint64(1)<<35, uint64(0x0123456789abcdef), ^uint64(0), uint8(3), uint8(200), true)
		f.Add(uint8(i), uint64(0x2040810204081020), uint64(0x0102040810204081), uint64(0x00ff00ff00ff00ff), uint8(0x41), uint8(6), false)
	}
	f.Fuzz(func(t *testing.T, n uint8, white, black, kings uint64, whiteHi, blackHi uint8, blackToMove bool) {
		v := fuzzed(all, n)
		// As many pieces a side as the slow twin, which walks every path, can bear, and six kings
		// beside those on the last row.
		most, crowned := v.Board.Squares()/3, 6
		var pieces [2]Set
		var crowns Set
		for s := Square(1); int(s) <= v.Board.Squares(); s++ {
			bit := [2]bool{white>>((s-1)&63)&1 != 0, black>>((s-1)&63)&1 != 0}
			if s > 64 {
				bit = [2]bool{whiteHi>>(s-65)&1 != 0, blackHi>>(s-65)&1 != 0}
			}
			for _, c := range [2]Color{White, Black} {
				if !bit[c] || pieces[c].Len() == min(most, v.MaxPieces()) || v.Board.Has(pieces[c.Opponent()], s) {
					continue
				}
				pieces[c] = pieces[c].Or(v.Board.Set(s))
				king := kings>>((s-1)&63)&1 != 0 && crowned > 0
				if king {
					crowned--
				}
				if king || v.Promotes(c, s) {
					crowns = crowns.Or(v.Board.Set(s))
				}
			}
		}
		p := NewPosition(pieces[White], pieces[Black], crowns, White)
		if blackToMove {
			p.Turn = Black
		}
		if v.KingMoveLimit > 0 && kings>>63 != 0 {
			if set := p.Kings(p.Turn); !set.Empty() && !p.Men(p.Turn).Empty() {
				p = p.WithKingMoves(p.Turn, v.KingMoveLimit, v.Board.Pop(&set))
			}
		}
		for _, m := range compareTwins(t, v, p) {
			if q := v.Play(p, m); Validate(v, q) != nil {
				t.Fatalf("%s: %s after %s: %v", v, v.FEN(p), v.FormatMove(m), Validate(v, q))
			}
		}
	})
}
