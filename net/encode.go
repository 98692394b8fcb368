package net

import (
	"damier/internal/simd"
	"damier/rules"
)

// The input planes. The piece planes come first; an MLP has these for each square and the counters once.
const (
	OwnMen     = iota // 1 where the side to move has a man, else 0
	OwnKings          // 1 where it has a king
	TheirMen          // 1 where the opponent has a man
	TheirKings        // 1 where the opponent has a king
	Ones              // 1 everywhere: tells the board from what is beyond its edge
	NoProgress        // plies since a man moved or a piece was captured, in [0,1]: 1 is a draw
	Endgame           // plies under the present rule for few pieces, in [0,1]: 1 is the longest such rule
	Repetition        // earlier occurrences of the position, in [0,1]: 1 is a draw

	Planes      = 8 // in all
	piecePlanes = 4
)

// Encoder turns positions into network input. It is not changed after NewEncoder: any number of goroutines
// may share it.
type Encoder struct {
	board   *rules.Geometry
	squares int
	planes  int // values for each square
	extra   int // values after the squares

	noProgress, endgame, repetition float32 // weight of one ply, ply, occurrence
}

// NewEncoder returns the encoder of a network. The config must be valid.
func NewEncoder(v *rules.Variant, cfg Config) *Encoder {
	e := &Encoder{board: v.Board, squares: v.Board.Squares(), planes: Planes}
	if cfg.Resolve().Arch == MLP {
		e.planes, e.extra = piecePlanes, Planes-NoProgress
	}
	e.noProgress = 1 / float32(max(v.Draws.KingPlies, 1))
	e.endgame = 1 / float32(max(v.Draws.ThreePieces, v.Draws.TwoPieces, v.Draws.LongDiagonal, 1))
	e.repetition = 1 / float32(max(v.Draws.Repetition-1, 1))
	return e
}

// Len returns the length of an input block in float32s: (squares*planes + extra) * simd.Lanes.
func (e *Encoder) Len() int { return (e.squares*e.planes + e.extra) * simd.Lanes }

// Index returns the place of square s on the board that the network sees when side turn is to move, in
// [0, squares). It is an involution but for the offset: the half turn maps s to N+1-s.
func (e *Encoder) Index(turn rules.Color, s rules.Square) int {
	if turn == rules.Black {
		return e.squares - int(s)
	}
	return int(s) - 1
}

// Encode writes position p, which has occurred the given number of times in its game (1: it is new), into one
// lane of an input block. Every value of the lane is written, none of the other lanes. The block is
//
//	lattice: [square][Planes][simd.Lanes]
//	mlp:     [square][4 piece planes][simd.Lanes], then [NoProgress, Endgame, Repetition][simd.Lanes]
//
// It does not allocate. A block of another length than Len panics.
func (e *Encoder) Encode(block []float32, lane int, p rules.Position, occurrences int) {
	if len(block) != e.Len() {
		panic("net: input block of wrong length")
	}
	if lane < 0 || lane >= simd.Lanes {
		panic("net: no such lane")
	}
	counters := [Planes - NoProgress]float32{
		min(float32(p.Quiet)*e.noProgress, 1),
		min(float32(p.Endgame)*e.endgame, 1),
		min(float32(max(occurrences-1, 0))*e.repetition, 1),
	}
	at := block[lane:]
	if e.extra == 0 {
		for s := range e.squares {
			x := at[s*Planes*simd.Lanes:][: (Planes-1)*simd.Lanes+1 : (Planes-1)*simd.Lanes+1]
			x[OwnMen*simd.Lanes] = 0
			x[OwnKings*simd.Lanes] = 0
			x[TheirMen*simd.Lanes] = 0
			x[TheirKings*simd.Lanes] = 0
			x[Ones*simd.Lanes] = 1
			x[NoProgress*simd.Lanes] = counters[0]
			x[Endgame*simd.Lanes] = counters[1]
			x[Repetition*simd.Lanes] = counters[2]
		}
	} else {
		pieces := e.squares * piecePlanes
		for i := range pieces {
			at[i*simd.Lanes] = 0
		}
		for i, c := range counters {
			at[(pieces+i)*simd.Lanes] = c
		}
	}
	own, their := p.Turn, p.Turn.Opponent()
	for plane, set := range [piecePlanes]rules.Set{p.Men(own), p.Kings(own), p.Men(their), p.Kings(their)} {
		for !set.Empty() {
			s := e.Index(own, e.board.Pop(&set))
			at[(s*e.planes+plane)*simd.Lanes] = 1
		}
	}
}
