package net

import (
	"damier/internal/simd"
	"damier/rules"
)

// The input planes that every variant has. After them come, in this order,
//
//	Road            where the variant has the draw of the main road: plies that a lone king has held it,
//	                in [0,1]: 1 is a draw
//	OwnKingMoves,   where it limits the moves of one king: on the square of the king that the side to move,
//	TheirKingMoves  or the opponent, moved last, how many of its moves in a row are made, in [0,1]: 1 is all;
//	                0 on all other squares
//
// The lattice has all planes for each square. An MLP has the piece planes and the two of king moves for each
// square, and the counters once. A counter that the variant has no rule for is 0.
const (
	OwnMen     = iota // 1 where the side to move has a man, else 0
	OwnKings          // 1 where it has a king
	TheirMen          // 1 where the opponent has a man
	TheirKings        // 1 where the opponent has a king
	Ones              // 1 everywhere: tells the board from what is beyond its edge
	NoProgress        // plies since a man moved or a piece was captured, in [0,1]: 1 is a draw
	Endgame           // plies under the present rule for few pieces, in [0,1]: 1 is the longest such rule
	Repetition        // earlier occurrences of the position, in [0,1]: 1 is a draw

	basePlanes  = 8 // so far
	piecePlanes = 4
)

// inputs says which inputs a network has, and where.
type inputs struct {
	planes    int // values for each square
	extra     int // values after the squares: the counters of an MLP
	road      int // where Road is, among the planes of a square or among the extra values; -1 for nowhere
	kingMoves int // where OwnKingMoves is among the planes of a square, the other after it; -1 for nowhere
}

// inputsOf returns the inputs of a variant's network.
func inputsOf(v *rules.Variant, cfg Config) inputs {
	in := inputs{planes: basePlanes, road: -1, kingMoves: -1}
	roads := min(v.Draws.MainRoad, 1)
	if cfg.Resolve().Arch == MLP {
		in.planes, in.extra = piecePlanes, basePlanes-NoProgress+roads
		if roads > 0 {
			in.road = in.extra - 1
		}
	} else if roads > 0 {
		in.road = in.planes
		in.planes++
	}
	if v.KingMoveLimit > 0 {
		in.kingMoves = in.planes
		in.planes += 2
	}
	return in
}

// Encoder turns positions into network input. It is not changed after NewEncoder: any number of goroutines
// may share it.
type Encoder struct {
	board   *rules.Geometry
	squares int
	inputs

	noProgress, endgame, repetition float32 // weight of one ply, ply, occurrence
	roadPly, kingMove               float32 // of one ply, move
}

// NewEncoder returns the encoder of a network. The config must be valid.
func NewEncoder(v *rules.Variant, cfg Config) *Encoder {
	e := &Encoder{board: v.Board, squares: v.Board.Squares(), inputs: inputsOf(v, cfg)}
	d := &v.Draws
	e.noProgress = share(d.KingPlies)
	e.endgame = share(d.Longest())
	e.repetition = share(d.Repetition - 1)
	e.roadPly = share(d.MainRoad)
	e.kingMove = share(v.KingMoveLimit)
	return e
}

// share returns the part of one in a count of n, 0 if there is no such count.
func share(n int) float32 {
	if n < 1 {
		return 0
	}
	return 1 / float32(n)
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
//	lattice: [square][plane][simd.Lanes]
//	mlp:     [square][4 piece planes, 2 of king moves][simd.Lanes],
//	         then [NoProgress, Endgame, Repetition, Road][simd.Lanes]
//
// without the planes that the variant does not have. It does not allocate. A block of another length than Len
// panics.
func (e *Encoder) Encode(block []float32, lane int, p rules.Position, occurrences int) {
	if len(block) != e.Len() {
		panic("net: input block of wrong length")
	}
	if lane < 0 || lane >= simd.Lanes {
		panic("net: no such lane")
	}
	e.encode(block[lane:], simd.Lanes, p, occurrences)
}

// encodeBoard writes a position alone: Encode for a block of one lane. The board has the length Len()/simd.Lanes.
func (e *Encoder) encodeBoard(board []float32, p rules.Position, occurrences int) {
	if len(board) != e.Len()/simd.Lanes {
		panic("net: input board of wrong length")
	}
	e.encode(board, 1, p, occurrences)
}

// encode writes a position into values that lie so many lanes apart.
func (e *Encoder) encode(at []float32, lanes int, p rules.Position, occurrences int) {
	counters := [...]float32{
		min(float32(p.Quiet)*e.noProgress, 1),
		min(float32(p.Endgame)*e.endgame, 1),
		min(float32(max(occurrences-1, 0))*e.repetition, 1),
	}
	road := min(float32(p.Road)*e.roadPly, 1)
	if e.extra == 0 {
		for s := range e.squares {
			x := at[s*e.planes*lanes:][: (basePlanes-1)*lanes+1 : (basePlanes-1)*lanes+1]
			x[OwnMen*lanes] = 0
			x[OwnKings*lanes] = 0
			x[TheirMen*lanes] = 0
			x[TheirKings*lanes] = 0
			x[Ones*lanes] = 1
			x[NoProgress*lanes] = counters[0]
			x[Endgame*lanes] = counters[1]
			x[Repetition*lanes] = counters[2]
		}
		if e.road >= 0 {
			for s := range e.squares {
				at[(s*e.planes+e.road)*lanes] = road
			}
		}
	} else {
		pieces := e.squares * e.planes
		for i := range pieces {
			at[i*lanes] = 0
		}
		for i, c := range counters {
			at[(pieces+i)*lanes] = c
		}
		if e.road >= 0 {
			at[(pieces+e.road)*lanes] = road
		}
	}
	own, their := p.Turn, p.Turn.Opponent()
	for plane, set := range [piecePlanes]rules.Set{p.Men(own), p.Kings(own), p.Men(their), p.Kings(their)} {
		for !set.Empty() {
			s := e.Index(own, e.board.Pop(&set))
			at[(s*e.planes+plane)*lanes] = 1
		}
	}
	if e.kingMoves >= 0 {
		e.encodeKingMoves(at, lanes, &p)
	}
}

// encodeKingMoves writes the planes of king moves, as encode.
func (e *Encoder) encodeKingMoves(at []float32, lanes int, p *rules.Position) {
	for s := range e.squares {
		x := at[(s*e.planes+e.kingMoves)*lanes:]
		x[0], x[lanes] = 0, 0
	}
	for i, c := range [2]rules.Color{p.Turn, p.Turn.Opponent()} {
		if n, king := p.KingMoves(c); n > 0 {
			at[(e.Index(p.Turn, king)*e.planes+e.kingMoves+i)*lanes] = min(float32(n)*e.kingMove, 1)
		}
	}
}
