package rules

// Packed is a Position in 32 bytes, without the second words of its bitboards. Two positions of
// one variant are equal if their Packed and their [HighWords] are.
type Packed struct {
	white, black, kings uint64
	turn                Color

	Quiet     uint8 // as in Position
	endgame   uint8
	road      uint8
	lastKing  [2]Square
	kingMoves [2]uint8
}

// HighWords holds the second words of the bitboards of White, of Black and of the kings. They are
// zero on boards of at most 64 squares.
type HighWords [3]uint16

// Pack returns p in two parts.
func (p *Position) Pack() (Packed, HighWords) {
	return Packed{
		white: p.white, black: p.black, kings: p.kings, turn: p.Turn,
		Quiet: p.Quiet, endgame: p.Endgame, road: p.Road, lastKing: p.lastKing, kingMoves: p.kingMoves,
	}, HighWords{p.whiteHi, p.blackHi, p.kingsHi}
}

// Unpack returns the position of which p and high are the parts.
func (p *Packed) Unpack(high HighWords) Position {
	return Position{
		white: p.white, black: p.black, kings: p.kings, Turn: p.turn,
		whiteHi: high[0], blackHi: high[1], kingsHi: high[2],
		Quiet: p.Quiet, Endgame: p.endgame, Road: p.road, lastKing: p.lastKing, kingMoves: p.kingMoves,
	}
}
