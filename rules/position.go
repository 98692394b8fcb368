package rules

import "math/bits"

// Position is a board with its side to move and the counters that the draw rules need. It is a
// value: comparable, 40 bytes, without history; [Variant.Play] returns the next one.
type Position struct {
	// Bitboards in the layout of the variant's Geometry; kings is a subset of white|black. The Hi
	// fields are the second word, used by 12x12 boards only.
	white, black, kings       uint64
	whiteHi, blackHi, kingsHi uint16

	// Turn is the side to move.
	Turn Color

	// Quiet counts the plies since a man last advanced or a piece was captured. No earlier
	// position can occur again.
	Quiet uint8

	// Endgame counts the plies under the present rule for few pieces (see DrawRules); 0 if no such
	// rule applies.
	Endgame uint8

	// Road counts the plies in a row for which a lone king against three pieces has held the main
	// road.
	Road uint8

	// By Color, in variants that limit the moves of one king in a row: the king that the side
	// moved last, and how many moves it has made in a row. Zero in other variants, and after any
	// other move.
	lastKing  [2]Square
	kingMoves [2]uint8
}

// NewPosition returns the position with these pieces and all counters at zero. Kings must be
// pieces of either side, and no square may be both white and black.
func NewPosition(white, black, kings Set, turn Color) Position {
	return Position{
		white: white.Lo, black: black.Lo, kings: kings.Lo,
		whiteHi: white.Hi, blackHi: black.Hi, kingsHi: kings.Hi,
		Turn: turn,
	}
}

// Pieces returns the squares of side c.
func (p Position) Pieces(c Color) Set {
	if c == White {
		return Set{p.white, p.whiteHi}
	}
	return Set{p.black, p.blackHi}
}

// Men returns the squares of the men of side c.
func (p Position) Men(c Color) Set { return p.Pieces(c).AndNot(Set{p.kings, p.kingsHi}) }

// Kings returns the squares of the kings of side c.
func (p Position) Kings(c Color) Set { return p.Pieces(c).And(Set{p.kings, p.kingsHi}) }

// Sets returns the squares of White, of Black, and of the kings of both sides. One call is faster
// than three.
func (p *Position) Sets() (white, black, kings Set) {
	return Set{p.white, p.whiteHi}, Set{p.black, p.blackHi}, Set{p.kings, p.kingsHi}
}

// Same reports whether p and q are the same position for the repetition rule: the same pieces on
// the same squares, the same side to move, and the same king moves in a row, because these decide
// which moves are legal. It ignores the draw counters.
func (p Position) Same(q Position) bool {
	return p.white == q.white && p.black == q.black && p.kings == q.kings && p.Turn == q.Turn &&
		p.whiteHi == q.whiteHi && p.blackHi == q.blackHi && p.kingsHi == q.kingsHi &&
		p.lastKing == q.lastKing && p.kingMoves == q.kingMoves
}

// KingMoves returns how many quiet moves in a row side c has made with one king, and the square of
// that king. It returns 0 and NoSquare in variants without such a limit, and after any other move.
func (p Position) KingMoves(c Color) (int, Square) { return int(p.kingMoves[c&1]), p.lastKing[c&1] }

// WithKingMoves returns p after n quiet moves in a row of the king of side c on s.
func (p Position) WithKingMoves(c Color, n int, s Square) Position {
	p.kingMoves[c&1], p.lastKing[c&1] = uint8(n), s
	if n == 0 {
		p.lastKing[c&1] = NoSquare
	}
	return p
}

// Key returns a 64-bit hash of what [Position.Same] compares.
func (p Position) Key() uint64 { return KeyOf(&p) }

// KeyOf is Key by pointer.
func KeyOf(p *Position) uint64 {
	const a, b, c = 0x9e3779b97f4a7c15, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	hi := uint64(p.whiteHi)<<32 | uint64(p.blackHi)<<16 | uint64(p.kingsHi) | uint64(p.Turn)<<63
	hi ^= (uint64(p.lastKing[0]) | uint64(p.lastKing[1])<<8 | uint64(p.kingMoves[0])<<16 | uint64(p.kingMoves[1])<<24) * b
	h1, l1 := bits.Mul64(p.white^a, p.black^b)
	h2, l2 := bits.Mul64(p.kings^c, hi^a)
	h3, l3 := bits.Mul64(h1^l1^b, h2^l2^c)
	return h3 ^ l3
}
