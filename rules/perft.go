package rules

import "math/bits"

// Perft returns the number of leaves of the move tree of the given depth, that is of sequences of
// that many legal moves. Two paths of the same move count once. Depth 0 has one leaf. Draw rules
// do not apply, and neither does the limit on moves of one king ([Variant.KingMoveLimit]), as in
// the published tables. The last ply is counted without being played.
func (v *Variant) Perft(p Position, depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case v.fast == nil && v.pair == nil:
		w := v.withoutKingLimit()
		room := make([]Move, 0, 512)
		return w.perftPlain(p, depth, room)
	}
	var room [512]Move // for the captures of all positions on the path; more go to the heap
	if v.pair != nil {
		c := pairCounter{v.pair, room[:0]}
		return c.below(pairSideOf(&p), depth)
	}
	return v.fast.perft(sideOf(&p), depth, room[:0])
}

// perft calls the generator for the facts of the variant.
func (g *fast) perft(s side, depth int, room []Move) uint64 {
	switch g.facts {
	case internationalKind:
		return perft[internationalRules](g, s, depth, room)
	case kingFirstKind:
		return perft[kingFirstRules](g, s, depth, room)
	case killerKind:
		return perft[killerRules](g, s, depth, room)
	case breakthroughKind:
		return perft[breakthroughRules](g, s, depth, room)
	case frisianKind:
		return perft[frisianRules](g, s, depth, room)
	case brazilianKind:
		return perft[brazilianRules](g, s, depth, room)
	case russianKind:
		return perft[russianRules](g, s, depth, room)
	case poolKind:
		return perft[poolRules](g, s, depth, room)
	case englishKind:
		return perft[englishRules](g, s, depth, room)
	case italianKind:
		return perft[italianRules](g, s, depth, room)
	case spanishKind:
		return perft[spanishRules](g, s, depth, room)
	case germanKind:
		return perft[germanRules](g, s, depth, room)
	case germanHaltKind:
		return perft[germanHaltRules](g, s, depth, room)
	case thaiKind:
		return perft[thaiRules](g, s, depth, room)
	case turkishKind:
		return perft[turkishRules](g, s, depth, room)
	}
	panic("rules: no such generator")
}

// perftReference is Perft with the slow generator, playing every move: the twin of the fast way.
func (v *Variant) perftReference(p Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	v = v.withoutKingLimit()
	var n uint64
	for _, m := range v.ReferenceMoves(p) {
		n += v.perftReference(v.playSets(p, m), depth-1)
	}
	return n
}

// withoutKingLimit returns v, or a copy that lets a king move as often as it likes.
func (v *Variant) withoutKingLimit() *Variant {
	if v.KingMoveLimit == 0 {
		return v
	}
	w := *v
	w.KingMoveLimit = 0
	return w.prepare()
}

// perftPlain is Perft with the plain generator. stack holds the moves of all positions on the
// path.
func (v *Variant) perftPlain(p Position, depth int, stack []Move) uint64 {
	moves := v.AppendMoves(stack, p)
	if depth == 1 {
		return uint64(len(moves) - len(stack))
	}
	var n uint64
	for _, m := range moves[len(stack):] {
		n += v.perftPlain(v.plain.after(p, m), depth-1, moves)
	}
	return n
}

// counter walks the tree below a position, depth first.
type counter[F fastFacts] struct {
	g     *fast
	moves []Move // the captures of all positions on the way
}

func perft[F fastFacts](g *fast, s side, depth int, room []Move) uint64 {
	c := counter[F]{g, room}
	return c.below(s, depth)
}

// below counts the leaves below s. It plays each move into a new value and so takes none back. It
// makes no list of quiet moves, and counts the leaves of the last ply without playing them.
func (c *counter[F]) below(s side, depth int) uint64 {
	if depth == 1 {
		return c.leaves(s)
	}
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return 0
	}
	g := c.g
	if canCapture[F](g, s) {
		return c.belowCaptures(s, depth)
	}
	empty := g.empty(s)
	kings := s.own & s.kings
	men := s.own &^ kings
	l, r := diagonalSteps(f)
	depth--
	var n uint64
	switch {
	case f&full != 0 && s.turn == White:
		n = c.belowMen(s, west(f, men)&empty, 1, depth) + c.belowMen(s, east(f, men)&empty, -1, depth) +
			c.belowMen(s, men>>8&empty, 8, depth)
	case f&full != 0:
		n = c.belowMen(s, west(f, men)&empty, 1, depth) + c.belowMen(s, east(f, men)&empty, -1, depth) +
			c.belowMen(s, men<<8&empty, -8, depth)
	case s.turn == White:
		n = c.belowMen(s, men>>l&empty, int(l), depth) + c.belowMen(s, men>>r&empty, int(r), depth)
	default:
		n = c.belowMen(s, men<<l&empty, -int(l), depth) + c.belowMen(s, men<<r&empty, -int(r), depth)
	}
	for ; kings != 0; kings &= kings - 1 {
		from := kings & -kings
		for to := kingMoves[F](g, from, empty); to != 0; to &= to - 1 {
			moved := from | to&-to
			n += c.below(side{s.their, s.own ^ moved, s.kings ^ moved, s.turn ^ 1}, depth)
		}
	}
	return n
}

// belowMen counts the leaves of the given depth below the moves of men to the squares in to. step
// is the rotation from a target back to the origin.
func (c *counter[F]) belowMen(s side, to uint64, step, depth int) uint64 {
	var n uint64
	for ; to != 0; to &= to - 1 {
		t := to & -to
		after := side{s.their, s.own ^ (t | bits.RotateLeft64(t, step)), s.kings | t&c.g.crown[s.turn&1], s.turn ^ 1}
		if depth == 1 {
			n += c.leaves(after)
		} else {
			n += c.below(after, depth)
		}
	}
	return n
}

// leaves returns the number of legal moves. The most frequent case, men without a capture, is
// straight code that stays in registers; the other cases leave by a call.
func (c *counter[F]) leaves(s side) uint64 {
	var facts F
	f := len(facts)
	if s.own&s.kings != 0 {
		return c.leavesOfKings(s)
	}
	if f&firstKing != 0 && s.kings != 0 {
		return 0
	}
	prey, empty := s.prey(f), c.g.empty(s)
	var jump uint64 // as in canCapture
	if f&full == 0 {
		nw, ne, sw, se := jumps(f, prey, empty)
		nw, ne, sw, se = forward(f, s.turn, nw, ne, sw, se)
		jump = nw | ne | sw | se
	}
	if f&(full|eight) != 0 {
		n, w, e, so := crosses(f, prey, empty)
		n, w, e, so = forward(f, s.turn, n, w, e, so)
		jump |= n | w | e | so
	}
	if s.own&jump != 0 {
		return c.leavesOfCaptures(s)
	}
	return quietMen[F](s.turn, s.own, empty)
}

// quietMen returns the number of quiet moves of men.
func quietMen[F fastFacts](turn Color, men, empty uint64) uint64 {
	var facts F
	f := len(facts)
	l, r := diagonalSteps(f)
	switch {
	case f&full != 0:
		return uint64(bits.OnesCount64(west(f, men)&empty) + bits.OnesCount64(east(f, men)&empty) +
			bits.OnesCount64(ahead(f, turn, men)&empty))
	// The small board has 36 bits. Moves up end within the lower 32 bits, and moves down within
	// the upper 32, so both directions fit into one word.
	case f&wide == 0 && turn == White:
		return uint64(bits.OnesCount64(men>>l&empty | men>>r&empty<<32))
	case f&wide == 0:
		return uint64(bits.OnesCount64(men<<l&empty>>4 | men<<r&empty<<28))
	case turn == White:
		return uint64(bits.OnesCount64(men>>l&empty) + bits.OnesCount64(men>>r&empty))
	}
	return uint64(bits.OnesCount64(men<<l&empty) + bits.OnesCount64(men<<r&empty))
}

// leavesOfKings is leaves for a side with kings.
func (c *counter[F]) leavesOfKings(s side) uint64 {
	var facts F
	f := len(facts)
	if f&firstKing != 0 {
		return 0
	}
	if canCapture[F](c.g, s) {
		return c.leavesOfCaptures(s)
	}
	empty := c.g.empty(s)
	kings := s.own & s.kings
	n := quietMen[F](s.turn, s.own&^kings, empty)
	if f&flying == 0 {
		nw, ne, sw, se := northWest(f, kings), northEast(f, kings), southWest(f, kings), southEast(f, kings)
		return n + uint64(countFour(nw&empty, ne&empty, sw&empty, se&empty))
	}
	for ; kings != 0; kings &= kings - 1 {
		n += uint64(bits.OnesCount64(kingMoves[F](c.g, kings&-kings, empty)))
	}
	return n
}

// leavesOfCaptures is leaves for a side that can capture. It makes a list only for captures of
// flying kings, and for those captures of others that countJumps cannot count.
func (c *counter[F]) leavesOfCaptures(s side) uint64 {
	var facts F
	if f := len(facts); f&flying == 0 || s.own&s.kings == 0 {
		if n := countJumps[F](c.g, s); n > 0 {
			return uint64(n)
		}
	}
	return uint64(len(appendCaptures[F](c.g, c.moves, s)) - len(c.moves))
}

// belowCaptures counts the leaves below s, whose side to move captures.
func (c *counter[F]) belowCaptures(s side, depth int) uint64 {
	var facts F
	f := len(facts)
	g := c.g
	if s.own&s.kings == 0 && (f&weighed == 0 || s.prey(f)&s.kings == 0) {
		if from, ok := singleJumps[F](g, s); ok {
			return c.belowJumps(s, &from, depth-1)
		}
	}
	var n uint64
	first := len(c.moves)
	moves := appendCaptures[F](g, c.moves, s)
	// If moves outgrew c.moves it has memory of its own.
	if len(moves) <= cap(c.moves) {
		c.moves = c.moves[:len(moves)]
	}
	for _, m := range moves[first:] {
		from, to := uint64(1)<<(g.board.bit[m.From]&63), uint64(1)<<(g.board.bit[m.To]&63)
		t := side{
			own:   s.their &^ m.captured,
			their: s.own&^from | to,
			kings: s.kings &^ (from | m.captured),
			turn:  s.turn ^ 1,
		}
		if s.kings&from != 0 || to&g.crown[s.turn&1] != 0 || f&crowning != 0 && m.captured&g.brink[s.turn&1] != 0 {
			t.kings |= to
		}
		n += c.below(t, depth-1)
	}
	c.moves = c.moves[:first]
	return n
}

// belowJumps counts the leaves of the given depth below the captures of one piece by a man. from
// holds the squares on which they begin, by Direction.
func (c *counter[F]) belowJumps(s side, from *[8]uint64, depth int) uint64 {
	var facts F
	crown := c.g.crown[s.turn&1]
	var n uint64
	first, last := lines(len(facts))
	for d := first; d <= last; d++ {
		for starts := s.own & from[d&7]; starts != 0; starts &= starts - 1 {
			start := starts & -starts
			victim, to := bits.RotateLeft64(start, c.g.two[d&7]/2), bits.RotateLeft64(start, c.g.two[d&7])
			after := side{s.their ^ victim, s.own ^ (start | to), s.kings&^victim | to&crown, s.turn ^ 1}
			if depth == 1 {
				n += c.leaves(after)
			} else {
				n += c.below(after, depth)
			}
		}
	}
	return n
}
