package rules

import (
	"slices"
	"strconv"
)

// maxClock is the largest half-move clock that is kept from a FEN; lidraughts caps it likewise.
const maxClock = 100

// FEN writes p as [ParseFEN] reads it: White first; for each side its men and then its kings, in
// ascending order of their PDN numbers; without ranges and spaces. It writes no counters, except
// the king moves in variants that limit them, if one was made.
func (v *Variant) FEN(p Position) string { return string(v.appendFEN(nil, p, false)) }

// FENCoordinates is FEN with coordinates, as players of Russian, Brazilian, Czech and Turkish
// draughts write squares.
func (v *Variant) FENCoordinates(p Position) string {
	dst := []byte{"WB"[p.Turn]}
	for _, c := range [2]Color{White, Black} {
		dst = append(dst, ':', "WB"[c])
		comma := ""
		for s := Square(1); int(s) <= v.Board.Squares(); s++ {
			if v.Board.Has(p.Pieces(c), s) {
				dst = append(dst, comma...)
				if v.Board.Has(p.Kings(c), s) {
					dst = append(dst, 'K')
				}
				dst = append(dst, v.Coordinates(s)...)
				comma = ","
			}
		}
	}
	return string(dst)
}

// FENRanges is FEN with runs of three squares or more written as ranges, for people. Not every
// program reads ranges.
func (v *Variant) FENRanges(p Position) string { return string(v.appendFEN(nil, p, true)) }

func (v *Variant) appendFEN(dst []byte, p Position, ranges bool) []byte {
	dst = append(dst, "WB"[p.Turn])
	for _, c := range [2]Color{White, Black} {
		dst = append(dst, ':', "WB"[c])
		for _, kind := range [2]struct {
			set    Set
			prefix string
		}{{p.Men(c), ""}, {p.Kings(c), "K"}} {
			var room [MaxSquares]Square
			squares := v.Board.AppendSquares(room[:0], kind.set)
			for i, s := range squares {
				squares[i] = Square(v.Number(s))
			}
			if v.Mirrored {
				slices.Reverse(squares)
			}
			for i := 0; i < len(squares); i++ {
				if last := dst[len(dst)-1]; last >= '0' && last <= '9' {
					dst = append(dst, ',')
				}
				dst = append(dst, kind.prefix...)
				dst = strconv.AppendUint(dst, uint64(squares[i]), 10)
				run := i
				for ranges && run+1 < len(squares) && squares[run+1] == squares[run]+1 {
					run++
				}
				if run-i >= 2 {
					dst = append(dst, '-')
					dst = strconv.AppendUint(dst, uint64(squares[run]), 10)
					i = run
				}
			}
		}
	}
	if p.kingMoves != [2]uint8{} {
		dst = append(dst, ':')
		for _, c := range [2]Color{Black, White} {
			dst = append(dst, '+', '0'+p.kingMoves[c])
			if n := v.Number(p.lastKing[c]); p.kingMoves[c] > 0 {
				dst = append(dst, byte('0'+n/10), byte('0'+n%10))
			}
		}
	}
	return dst
}

// FormatMove writes m in short notation as the variant's players do: "32-28", "19x30" or "c3:e5".
// Two captures with the same ends that take different pieces have the same text.
func (v *Variant) FormatMove(m Move) string {
	sign := "-"
	if m.IsCapture() {
		sign = v.Capture
	}
	return v.SquareName(m.From) + sign + v.SquareName(m.To)
}
