package rules

import (
	"math/bits"
	"testing"
)

// FuzzParseFEN: nothing makes the reader fail badly, and what it accepts is a position that all writers
// write so that it is read again.
func FuzzParseFEN(f *testing.F) {
	for _, s := range []string{
		"W:W31-50:B1-20", "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", "B:W50:B", "w:bk1-3 , 20 : w k50.",
		"W:WK50:BK1:H17:F40", "W:W31,G40,P2:B20", "?:W31:B20", "W:W31:B20-10", "W:W5:B46", "W::", ".", "W:W31,31:B1",
	} {
		f.Add(s)
	}
	v := International
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseFEN(v, s)
		if err != nil {
			return
		}
		if err := Validate(v, p); err != nil {
			t.Fatalf("%q: accepted, and then: %v", s, err)
		}
		p.Quiet = 0
		for _, text := range []string{v.FEN(p), v.FENRanges(p)} {
			if q, err := ParseFEN(v, text); err != nil || q != p {
				t.Fatalf("%q: written as %s, read as %s, error %v", s, text, v.FEN(q), err)
			}
		}
		if q, err := ParseHub(v, v.HubString(p)); err != nil || q != p {
			t.Fatalf("%q: Hub position read as %s, error %v", s, v.FEN(q), err)
		}
	})
}

// FuzzMovesAgainstReference makes a position of any words and compares the twins on it.
func FuzzMovesAgainstReference(f *testing.F) {
	f.Add(International.Start().white, International.Start().black, uint64(0), false)
	f.Add(uint64(1)<<35, uint64(0x0123456789abcdef), ^uint64(0), true)
	f.Add(uint64(0x2040810204081020), uint64(0x0102040810204081), uint64(0x00ff00ff00ff00ff), false)
	v := International
	f.Fuzz(func(t *testing.T, white, black, kings uint64, blackToMove bool) {
		// Eighteen pieces a side and six kings: the slow twin walks every path.
		white = lowest(white&v.fast.on, 18)
		black = lowest(black&v.fast.on&^white, 18)
		kings = lowest(kings&(white|black), 6) | white&v.fast.crown[White] | black&v.fast.crown[Black]
		p := NewPosition(Set{Lo: white}, Set{Lo: black}, Set{Lo: kings}, White)
		if blackToMove {
			p.Turn = Black
		}
		for _, m := range compareTwins(t, v, p) {
			if q := v.Play(p, m); Validate(v, q) != nil {
				t.Fatalf("%s after %s: %v", v.FEN(p), v.FormatMove(m), Validate(v, q))
			}
		}
	})
}

// lowest returns the lowest n bits of s.
func lowest(s uint64, n int) uint64 {
	for bits.OnesCount64(s) > n {
		s &^= 1 << (63 - bits.LeadingZeros64(s))
	}
	return s
}
