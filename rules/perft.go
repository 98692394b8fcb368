package rules

import "math/bits"

// Perft returns the number of leaves of the move tree of the given depth: sequences of that many legal
// moves, moves being counted by their identity. Draw rules do not apply; depth 0 has one leaf. The last
// ply is counted without being played. The limit on moves of one king ([Variant.KingMoveLimit]) does not
// apply either, as in the published tables: the counts are those of the moves of the pieces.
func (v *Variant) Perft(p Position, depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case v.fast == nil:
		w := v.withoutKingLimit()
		room := make([]Move, 0, 512)
		return w.perftPlain(p, depth, room)
	}
	var room [512]Move // for the captures of all positions on the way; more go to the heap
	s := v.fast.side(&p)
	if depth == 1 {
		return uint64(v.fast.countMoves(&s, room[:0]))
	}
	switch g := v.fast; g.facts {
	case internationalKind:
		return perft[internationalRules](g, &s, depth, room[:0])
	case killerKind:
		return perft[killerRules](g, &s, depth, room[:0])
	case breakthroughKind:
		return perft[breakthroughRules](g, &s, depth, room[:0])
	case frisianKind:
		return perft[frisianRules](g, &s, depth, room[:0])
	case brazilianKind:
		return perft[brazilianRules](g, &s, depth, room[:0])
	case russianKind:
		return perft[russianRules](g, &s, depth, room[:0])
	case poolKind:
		return perft[poolRules](g, &s, depth, room[:0])
	case englishKind:
		return perft[englishRules](g, &s, depth, room[:0])
	case italianKind:
		return perft[italianRules](g, &s, depth, room[:0])
	case spanishKind:
		return perft[spanishRules](g, &s, depth, room[:0])
	case germanKind:
		return perft[germanRules](g, &s, depth, room[:0])
	case germanHaltKind:
		return perft[germanHaltRules](g, &s, depth, room[:0])
	case thaiKind:
		return perft[thaiRules](g, &s, depth, room[:0])
	case turkishKind:
		return perft[turkishRules](g, &s, depth, room[:0])
	}
	panic("rules: no such generator")
}

// perftReference is Perft with the slow generator and every move played: the twin of the fast way.
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

// perftPlain is Perft with the plain generator. The moves of all positions on the way stand in stack.
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

func perft[F fastFacts](g *fast, s *side, depth int, room []Move) uint64 {
	c := counter[F]{g, room}
	return c.below(s, depth)
}

// below counts the leaves below s. Moves are played into a new value, so none is taken back; quiet moves
// need no list.
func (c *counter[F]) below(s *side, depth int) uint64 {
	var facts F
	f := len(facts)
	if f&firstKing != 0 && s.kings != 0 {
		return 0
	}
	g := c.g
	var n uint64
	if canCapture[F](g, s) {
		first := len(c.moves)
		moves := appendCaptures[F](g, c.moves, s)
		if len(moves) <= cap(c.moves) { // otherwise they have memory of their own
			c.moves = c.moves[:len(moves)]
		}
		for _, m := range moves[first:] {
			n += c.after(s, 1<<(g.board.bit[m.From]&63), 1<<(g.board.bit[m.To]&63), m.captured, depth-1)
		}
		c.moves = c.moves[:first]
		return n
	}
	kings := s.own & s.kings
	men := s.own &^ kings
	if f&full == 0 {
		if s.turn == White {
			for to := northEast(f, men) & s.empty; to != 0; to &= to - 1 {
				t := to & -to
				n += c.after(s, southWest(f, t), t, 0, depth-1)
			}
			for to := northWest(f, men) & s.empty; to != 0; to &= to - 1 {
				t := to & -to
				n += c.after(s, southEast(f, t), t, 0, depth-1)
			}
		} else {
			for to := southWest(f, men) & s.empty; to != 0; to &= to - 1 {
				t := to & -to
				n += c.after(s, northEast(f, t), t, 0, depth-1)
			}
			for to := southEast(f, men) & s.empty; to != 0; to &= to - 1 {
				t := to & -to
				n += c.after(s, northWest(f, t), t, 0, depth-1)
			}
		}
	} else {
		for to := ahead(f, s.turn, men) & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += c.after(s, ahead(f, s.turn^1, t), t, 0, depth-1)
		}
		for to := west(f, men) & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += c.after(s, east(f, t), t, 0, depth-1)
		}
		for to := east(f, men) & s.empty; to != 0; to &= to - 1 {
			t := to & -to
			n += c.after(s, west(f, t), t, 0, depth-1)
		}
	}
	for ; kings != 0; kings &= kings - 1 {
		from := kings & -kings
		var to uint64
		if f&flying != 0 {
			to = g.reach(f, bits.TrailingZeros64(from)&63, s.empty)
		} else {
			to = (northWest(f, from) | northEast(f, from) | southWest(f, from) | southEast(f, from)) & s.empty
		}
		for ; to != 0; to &= to - 1 {
			n += c.after(s, from, to&-to, 0, depth-1)
		}
	}
	return n
}

// after counts the leaves below s after one move.
func (c *counter[F]) after(s *side, from, to, captured uint64, depth int) uint64 {
	var facts F
	f := len(facts)
	g := c.g
	t := side{
		own:   s.their &^ captured,
		their: s.own&^from | to,
		kings: s.kings &^ (from | captured),
		turn:  s.turn ^ 1,
	}
	if s.kings&from != 0 || to&g.crown[s.turn&1] != 0 || f&crowning != 0 && captured&g.brink[s.turn&1] != 0 {
		t.kings |= to
	}
	t.empty = g.on &^ (t.own | t.their)
	if depth == 1 {
		return uint64(countMoves[F](g, &t, c.moves))
	}
	return c.below(&t, depth)
}
