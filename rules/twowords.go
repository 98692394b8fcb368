package rules

import (
	"math/bits"
	"slices"
)

// twoWords is the fast generator for the 12x12 board, which needs 77 bits: one word, and 13 bits
// of a second word. It works like the generators for one word, with steps of 6 and 7, for the one
// set of facts that is played on that board.
type twoWords struct {
	board  *Geometry
	number uint64      // newGenerator
	on     pair        // the playing squares
	crown  [2]pair     // by Color: where its men become kings
	ray    [4][80]pair // by Direction and bit: the squares from there to the edge, its own left out

	mostKings bool // among captures of equal number, those with the most kings are legal
}

// newTwoWords returns the fast generator for the facts of v, nil if it does not support them.
func newTwoWords(v *Variant) *twoWords {
	b := v.Board
	if b.Columns != 12 || b.Rows != 12 || b.Corner != BottomLeft || !v.ManCapturesBack || !v.KingFlies ||
		!slices.Equal(v.MoveLines, Diagonals) || !slices.Equal(v.CaptureLines, Diagonals) || v.MenSpareKings || v.Landing != Anywhere ||
		v.RemovedAtOnce || v.NoTurnBack || v.CrownedAtOnce || v.KingMoveLimit > 0 || v.FirstKingWins || v.Draws.countsMore() ||
		len(v.Priority) == 0 || v.Priority[0] != MostPieces || len(v.Priority) > 1 && !slices.Equal(v.Priority[1:], []Criterion{MostKings}) {
		return nil
	}
	g := &twoWords{board: b, number: newGenerator(), mostKings: len(v.Priority) > 1}
	bit := func(s Square) pair { return pairOf(b.Set(s)) }
	for s := Square(1); int(s) <= b.Squares(); s++ {
		g.on = g.on.or(bit(s))
		for _, c := range [2]Color{White, Black} {
			if v.Promotes(c, s) {
				g.crown[c] = g.crown[c].or(bit(s))
			}
		}
		for _, d := range Diagonals {
			for t := b.Neighbour(s, d); t != NoSquare; t = b.Neighbour(t, d) {
				g.ray[d][b.Bit(s)] = g.ray[d][b.Bit(s)].or(bit(t))
			}
		}
	}
	return g
}

// pairSide is a position seen from the side to move.
type pairSide struct {
	own, their, kings pair
	turn              Color
}

func pairSideOf(p *Position) pairSide {
	s := pairSide{pair{p.white, uint64(p.whiteHi)}, pair{p.black, uint64(p.blackHi)}, pair{p.kings, uint64(p.kingsHi)}, p.Turn}
	if p.Turn == Black {
		s.own, s.their = s.their, s.own
	}
	return s
}

func (g *twoWords) empty(s *pairSide) pair { return g.on.andNot(s.own.or(s.their)) }

// quiet returns the squares to which men can move without a capture, one set for each direction.
func (s *pairSide) quiet(men, empty pair) (left, right pair) {
	if s.turn == White {
		return men.northWest().and(empty), men.northEast().and(empty)
	}
	return men.southWest().and(empty), men.southEast().and(empty)
}

// appendMoves appends the legal moves in canonical order.
func (g *twoWords) appendMoves(dst []Move, s *pairSide) []Move {
	if g.canCapture(s) {
		first := len(dst)
		dst = g.appendCaptures(dst, s)
		sortMoves(dst[first:])
		return dst
	}
	empty := g.empty(s)
	kings := s.own.and(s.kings)
	movers := s.own.andNot(kings)
	if s.turn == White {
		movers = movers.and(empty.southEast().or(empty.southWest()))
	} else {
		movers = movers.and(empty.northEast().or(empty.northWest()))
	}
	for movers = movers.or(kings); movers.any(); movers = movers.rest() {
		b := movers.lowest()
		from := pairAt(b)
		var targets pair
		if from.and(kings).any() {
			targets = g.reach(b, empty)
		} else {
			left, right := s.quiet(from, empty)
			targets = left.or(right)
		}
		for ; targets.any(); targets = targets.rest() {
			dst = append(dst, Move{From: g.board.square[b], To: g.board.square[targets.lowest()]})
		}
	}
	return dst
}

// reach returns the squares a king on bit b moves to.
func (g *twoWords) reach(b int, empty pair) pair {
	return g.flight(NorthWest, b, empty).or(g.flight(NorthEast, b, empty)).
		or(g.flight(SouthWest, b, empty)).or(g.flight(SouthEast, b, empty))
}

// flight returns the free squares from bit b in one direction, up to the first square that is not
// free.
func (g *twoWords) flight(d Direction, b int, free pair) pair {
	ray := g.ray[d&3][b]
	blocked := ray.andNot(free)
	switch {
	case d&2 == 0 && blocked.hi != 0: // north: the highest bit is the nearest
		n := bits.Len64(blocked.hi)
		return pair{0, ray.hi >> n << n}
	case d&2 == 0:
		n := bits.Len64(blocked.lo)
		return pair{ray.lo >> n << n, ray.hi}
	case blocked.lo != 0:
		return pair{ray.lo & (blocked.lo&-blocked.lo - 1), 0}
	}
	return pair{ray.lo, ray.hi & (blocked.hi&-blocked.hi - 1)}
}

// canCapture reports whether the side to move can capture.
func (g *twoWords) canCapture(s *pairSide) bool {
	empty := g.empty(s)
	nw, ne, sw, se := s.own.jumps(s.their, empty) // a king also captures at one step
	if nw.or(ne).or(sw).or(se).any() {
		return true
	}
	for kings := s.own.and(s.kings); kings.any(); kings = kings.rest() {
		b := kings.lowest()
		for d := NorthWest; d <= SouthEast; d++ {
			ray := g.ray[d&3][b]
			if !ray.and(s.their).any() {
				continue
			}
			v := ray.andNot(empty).nearest(d)
			if s.their.and(pairAt(v)).any() && g.flight(d, v, empty).any() {
				return true
			}
		}
	}
	return false
}

// pairSearch is captureSearch for two words.
type pairSearch struct {
	found
	g     *twoWords
	their pair
	kings pair // of both sides
	free  pair // the empty squares, and the start of the piece that captures
	from  Square
	rank  int // of the moves kept: 128 times the number of pieces, plus the number of kings if mostKings is set

	own   pair
	turn  Color
	steps int       // of the walk of one piece so far
	hard  *hardWalk // nil until one piece has taken more than manySteps steps
}

// again is captureSearch.again for two words.
func (c *pairSearch) again(at uint16, taken pair) bool {
	if c.hard == nil {
		c.hard = newHardWalk(hardKey{generator: c.g.number, own: c.own, their: c.their, kings: c.kings, turn: c.turn})
	}
	return c.hard.again(at, taken, 0)
}

// appendCaptures appends the legal captures in ascending order of From; for the same From the
// order is unspecified.
func (g *twoWords) appendCaptures(dst []Move, s *pairSide) []Move {
	c := pairSearch{found: found{dst, len(dst), len(dst)}, g: g, their: s.their, kings: s.kings}
	c.own, c.turn = s.own, s.turn
	empty := g.empty(s)
	nw, ne, sw, se := s.own.jumps(s.their, empty)
	starts := nw.southEast().southEast().or(ne.southWest().southWest()).or(sw.northEast().northEast()).or(se.northWest().northWest())
	kings := s.own.and(s.kings)
	for starts = starts.or(kings); starts.any(); starts = starts.rest() {
		b := starts.lowest()
		start := pairAt(b)
		c.from = g.board.square[b]
		c.first = len(c.moves)
		c.free = empty.or(start)
		c.steps = 0
		if start.and(kings).any() {
			for d := NorthWest; d <= SouthEast; d++ {
				c.king(d, b, pair{}, 0)
			}
		} else {
			c.man(start, pair{}, 0)
		}
		if c.hard != nil {
			if c.hard.known {
				c.take(c.hard.answer)
				return c.moves
			}
			clear(c.hard.seen) // the steps are those of one piece
		}
	}
	if c.hard != nil {
		hardMoves.put(c.hard.key, c.moves[c.base:])
	}
	return c.moves
}

// man continues the capture of a man that stands on at and has taken n pieces.
func (c *pairSearch) man(at, taken pair, n int) {
	if c.steps++; c.steps > manySteps && c.again(uint16(at.lowest()), taken) {
		return
	}
	their := c.their.andNot(taken)
	on := false
	if victim := at.northWest().and(their); victim.northWest().and(c.free).any() {
		c.man(victim.northWest(), taken.or(victim), n+1)
		on = true
	}
	if victim := at.northEast().and(their); victim.northEast().and(c.free).any() {
		c.man(victim.northEast(), taken.or(victim), n+1)
		on = true
	}
	if victim := at.southWest().and(their); victim.southWest().and(c.free).any() {
		c.man(victim.southWest(), taken.or(victim), n+1)
		on = true
	}
	if victim := at.southEast().and(their); victim.southEast().and(c.free).any() {
		c.man(victim.southEast(), taken.or(victim), n+1)
		on = true
	}
	if !on && n > 0 {
		c.land(at, taken, n)
	}
}

// king looks from bit b in one direction for a piece to capture, and continues behind it. It
// reports whether there is one.
func (c *pairSearch) king(d Direction, b int, taken pair, n int) bool {
	ray := c.g.ray[d&3][b].andNot(c.free)
	if !ray.any() {
		return false
	}
	v := ray.nearest(d)
	victim := pairAt(v)
	if !victim.and(c.their.andNot(taken)).any() {
		return false
	}
	landings := c.g.flight(d, v, c.free)
	if !landings.any() {
		return false
	}
	taken, n = taken.or(victim), n+1
	if 128*(n+1+c.their.andNot(taken).count()) <= c.rank {
		return true // too few pieces are left to reach the rank kept
	}
	if c.steps++; c.steps > manySteps && c.again(uint16(v)|uint16(d+1)<<8, taken) {
		return true
	}
	on := c.king(d, v, taken, n)
	for rest := landings; rest.any(); rest = rest.rest() {
		t := rest.lowest()
		if c.king(d^1, t, taken, n) {
			on = true
		}
		if c.king(d^2, t, taken, n) {
			on = true
		}
	}
	if !on {
		c.land(landings, taken, n)
	}
	return true
}

// land keeps a capture of n pieces that may end on any square of at, if its rank is the best so
// far.
func (c *pairSearch) land(at, taken pair, n int) {
	rank := 128 * n
	if c.g.mostKings {
		rank += taken.and(c.kings).count()
	}
	if rank < c.rank {
		return
	}
	if rank > c.rank {
		c.rank = rank
		c.clear()
	}
	for ; at.any(); at = at.rest() {
		c.keep(Move{captured: taken.lo, capturedHi: uint16(taken.hi), From: c.from, To: c.g.board.square[at.lowest()]}, n >= 4)
	}
}

// play returns s after m.
func (g *twoWords) play(s *pairSide, m Move) pairSide {
	from, to, captured := pairAt(int(g.board.bit[m.From])), pairAt(int(g.board.bit[m.To])), pair{m.captured, uint64(m.capturedHi)}
	t := pairSide{
		own:   s.their.andNot(captured),
		their: s.own.andNot(from).or(to),
		kings: s.kings.andNot(from).andNot(captured),
		turn:  s.turn ^ 1,
	}
	if s.kings.and(from).any() || g.crown[s.turn&1].and(to).any() {
		t.kings = t.kings.or(to)
	}
	return t
}

// isKing reports whether a king stands on a square that is not empty.
func (g *twoWords) isKing(s *pairSide, at Square) bool {
	return s.kings.and(pairAt(int(g.board.bit[at]))).any()
}

// pairCounter is counter for two words.
type pairCounter struct {
	g     *twoWords
	moves []Move // the captures of all positions on the way
}

// below counts the leaves below s.
func (c *pairCounter) below(s pairSide, depth int) uint64 {
	g := c.g
	if depth == 1 {
		return g.leaves(&s, c.moves)
	}
	var n uint64
	if g.canCapture(&s) {
		first := len(c.moves)
		moves := g.appendCaptures(c.moves, &s)
		if len(moves) <= cap(c.moves) { // otherwise they have memory of their own
			c.moves = c.moves[:len(moves)]
		}
		for _, m := range moves[first:] {
			n += c.below(g.play(&s, m), depth-1)
		}
		c.moves = c.moves[:first]
		return n
	}
	empty := g.empty(&s)
	kings := s.own.and(s.kings)
	crown := g.crown[s.turn&1]
	for men := s.own.andNot(kings); men.any(); men = men.rest() {
		from := pairAt(men.lowest())
		left, right := s.quiet(from, empty)
		if left.any() {
			n += c.below(pairSide{s.their, s.own.andNot(from).or(left), s.kings.or(left.and(crown)), s.turn ^ 1}, depth-1)
		}
		if right.any() {
			n += c.below(pairSide{s.their, s.own.andNot(from).or(right), s.kings.or(right.and(crown)), s.turn ^ 1}, depth-1)
		}
	}
	for ; kings.any(); kings = kings.rest() {
		b := kings.lowest()
		from := pairAt(b)
		for to := g.reach(b, empty); to.any(); to = to.rest() {
			at := pairAt(to.lowest())
			n += c.below(pairSide{s.their, s.own.andNot(from).or(at), s.kings.andNot(from).or(at), s.turn ^ 1}, depth-1)
		}
	}
	return n
}

// leaves returns the number of legal moves. It makes a list only for captures of kings, and for
// captures of men that take more than one piece.
func (g *twoWords) leaves(s *pairSide, stack []Move) uint64 {
	empty := g.empty(s)
	nw, ne, sw, se := s.own.jumps(s.their, empty)
	kings := s.own.and(s.kings)
	switch all := nw.or(ne).or(sw).or(se); {
	case kings.any():
		if all.any() || g.canCapture(s) {
			return uint64(len(g.appendCaptures(stack, s)) - len(stack))
		}
	case all.any():
		a, b, c, d := all.jumps(s.their, empty) // nobody turns round here: the start is not empty
		if a.or(b).or(c).or(d).any() || g.mostKings {
			return uint64(len(g.appendCaptures(stack, s)) - len(stack))
		}
		return uint64(nw.count() + ne.count() + sw.count() + se.count())
	}
	left, right := s.quiet(s.own.andNot(kings), empty)
	n := left.count() + right.count()
	for ; kings.any(); kings = kings.rest() {
		n += g.reach(kings.lowest(), empty).count()
	}
	return uint64(n)
}
