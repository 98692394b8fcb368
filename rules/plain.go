package rules

// plain is the generator that knows every fact of a Variant. It holds the pieces in an array of
// squares, on which it plays captures and takes them back. It does not allocate, and serves the
// variants that have no bitboard generator.
type plain struct {
	v *Variant
	// By Color: the directions of a man's quiet moves and captures.
	moves, captures [2][]Direction
	crown           [2]Set // by Color: where its men become kings
	apart           bool   // Variant.crownsApart
}

func newPlain(v *Variant) *plain {
	g := &plain{v: v, apart: v.crownsApart()}
	for _, c := range [2]Color{White, Black} {
		for _, d := range v.MoveLines {
			if !d.Backward(c) {
				g.moves[c] = append(g.moves[c], d)
			}
		}
		for _, d := range v.CaptureLines {
			if v.ManCapturesBack || !d.Backward(c) {
				g.captures[c] = append(g.captures[c], d)
			}
		}
		for s := Square(1); int(s) <= v.Board.Squares(); s++ {
			if v.Promotes(c, s) {
				g.crown[c] = g.crown[c].Or(v.Board.Set(s))
			}
		}
	}
	return g
}

// The content of a square for the walker.
const (
	free uint8 = iota
	man        // a man of the other side
	king       // a king of the other side
	wall       // off the board, an own piece, or a captured piece that has not left the board yet
)

// walker walks the captures of one position depth first and keeps the best.
type walker struct {
	g      *plain
	board  *Geometry
	turn   Color
	cell   [MaxSquares + 1]uint8 // by Square; NoSquare is a wall
	taken  [MaxSquares]Square
	n      int    // number of pieces taken so far
	kings  int    // number of kings among them
	early  uint64 // the k-th piece taken, if a king, is bit 63-k
	from   Square
	byKing bool
	rank   uint64 // of the moves kept
	found
}

func (g *plain) walk(w *walker, p *Position) {
	w.g, w.board, w.turn = g, g.v.Board, p.Turn
	w.cell[NoSquare] = wall
	for own := p.Pieces(p.Turn); !own.Empty(); {
		w.cell[w.board.Pop(&own)] = wall
	}
	for men := p.Men(p.Turn.Opponent()); !men.Empty(); {
		w.cell[w.board.Pop(&men)] = man
	}
	for kings := p.Kings(p.Turn.Opponent()); !kings.Empty(); {
		w.cell[w.board.Pop(&kings)] = king
	}
}

// appendMoves appends the legal moves in canonical order.
func (g *plain) appendMoves(dst []Move, p *Position) []Move {
	v := g.v
	if v.FirstKingWins && (p.kings != 0 || p.kingsHi != 0) {
		return dst
	}
	var w walker
	g.walk(&w, p)
	w.found = found{dst, len(dst), len(dst)}
	kings := p.Kings(p.Turn)
	for own := p.Pieces(p.Turn); !own.Empty(); {
		s := w.board.Pop(&own)
		w.from, w.first, w.byKing = s, len(w.moves), w.board.Has(kings, s)
		w.cell[s] = free
		w.capture(s, noDirection, w.byKing, false)
		w.cell[s] = wall
	}
	if len(w.moves) > w.base {
		sortMoves(w.moves[w.base:])
		return w.moves
	}
	barred := v.barred(p)
	for own := p.Pieces(p.Turn); !own.Empty(); {
		s := w.board.Pop(&own)
		if s == barred {
			continue
		}
		first, lines, flies := len(dst), g.moves[p.Turn&1], false
		if w.board.Has(kings, s) {
			lines, flies = v.MoveLines, v.KingFlies
		}
		for _, d := range lines {
			for t := w.board.neighbour[s][d]; w.cell[t] == free; t = w.board.neighbour[t][d] {
				dst = append(dst, Move{From: s, To: t})
				if !flies {
					break
				}
			}
		}
		sortMoves(dst[first:])
	}
	return dst
}

// noDirection is the last direction of a capture before its first jump.
const noDirection Direction = 255

// canCapture reports whether the side to move can capture.
func (g *plain) canCapture(p *Position) bool {
	if g.v.FirstKingWins && (p.kings != 0 || p.kingsHi != 0) {
		return false
	}
	var w walker
	g.walk(&w, p)
	kings := p.Kings(p.Turn)
	for own := p.Pieces(p.Turn); !own.Empty(); {
		s := w.board.Pop(&own)
		isKing := w.board.Has(kings, s)
		lines := g.captures[p.Turn&1]
		if isKing {
			lines = g.v.CaptureLines
		}
		for _, d := range lines {
			if victim := w.victim(s, d, isKing); victim != NoSquare && w.cell[w.board.neighbour[victim][d]] == free {
				return true
			}
		}
	}
	return false
}

// victim returns the first piece that a king, or a man, on s meets in direction d, if it may take
// it; else NoSquare.
func (w *walker) victim(s Square, d Direction, isKing bool) Square {
	t := w.board.neighbour[s][d]
	if isKing && w.g.v.KingFlies {
		for w.cell[t] == free {
			t = w.board.neighbour[t][d]
		}
	}
	if c := w.cell[t]; c == man || c == king && (isKing || !w.g.v.MenSpareKings) {
		return t
	}
	return NoSquare
}

// capture continues the capture of the piece on s, which jumped in direction last, in all
// directions. It reports whether there was a capture. crowned says that a man became a king on its
// way.
func (w *walker) capture(s Square, last Direction, isKing, crowned bool) bool {
	v := w.g.v
	lines := w.g.captures[w.turn&1]
	if isKing {
		lines = v.CaptureLines
	}
	any := false
	for _, d := range lines {
		if v.NoTurnBack && last != noDirection && d == last.Opposite() {
			continue
		}
		if w.jump(s, d, isKing, crowned) {
			any = true
		}
	}
	return any
}

// jump captures in direction d and continues in all directions. It keeps the captures that end
// behind the piece taken. It reports whether there was a piece to take.
func (w *walker) jump(s Square, d Direction, isKing, crowned bool) bool {
	v := w.g.v
	victim := w.victim(s, d, isKing)
	if victim == NoSquare {
		return false
	}
	landing := w.board.neighbour[victim][d]
	if w.cell[landing] != free {
		return false
	}
	was := w.cell[victim]
	w.taken[w.n] = victim
	if was == king {
		w.kings++
		w.early |= 1 << (63 - w.n)
	}
	w.n++
	w.cell[victim] = wall
	if v.RemovedAtOnce {
		w.cell[victim] = free
	}

	if !isKing || !v.KingFlies || v.Landing == Behind {
		nowCrowned := crowned || !isKing && v.CrownedAtOnce && w.board.Has(w.g.crown[w.turn&1], landing)
		if !w.capture(landing, d, isKing || nowCrowned, nowCrowned) {
			w.keep(landing, nowCrowned)
		}
	} else {
		// Look straight on once, because the next piece is the same from every landing square.
		straight := w.jump(landing, d, true, crowned)
		on := straight
		var ends Set
		for t := landing; w.cell[t] == free; t = w.board.neighbour[t][d] {
			turned := false
			for _, e := range v.CaptureLines {
				if e == d || v.NoTurnBack && e == d.Opposite() {
					continue
				}
				if w.jump(t, e, true, crowned) {
					turned = true
				}
			}
			if turned {
				on = true
			} else if !straight && (t == landing || was != king || v.Landing != BehindLastKing) {
				ends = ends.Or(w.board.Set(t))
			}
		}
		for !ends.Empty() && (!on || !v.KingGoesOn) {
			w.keep(w.board.Pop(&ends), crowned)
		}
	}

	w.cell[victim] = was
	w.n--
	if was == king {
		w.kings--
		w.early &^= 1 << (63 - w.n)
	}
	return true
}

// rankOf returns the rank of the present capture by the criteria of the variant: higher is better.
func (w *walker) rankOf() uint64 {
	r := uint64(0)
	for _, by := range w.g.v.Priority {
		switch by {
		case MostPieces:
			r = r<<7 | uint64(w.n)
		case MostValue:
			r = r<<14 | uint64(w.n*w.g.v.ManValue+w.kings*(w.g.v.KingValue-w.g.v.ManValue))
		case CapturingKing:
			r <<= 1
			if w.byKing {
				r |= 1
			}
		case MostKings:
			r = r<<7 | uint64(w.kings)
		case EarliestKings:
			r = r<<32 | w.early>>32
		}
	}
	return r
}

// keep keeps the present capture, which ends on to, if its rank is the best so far.
func (w *walker) keep(to Square, crowned bool) {
	rank := w.rankOf()
	if rank < w.rank {
		return
	}
	if rank > w.rank {
		w.rank = rank
		w.clear()
	}
	t := w.board.Set(w.taken[:w.n]...)
	m := Move{captured: t.Lo, capturedHi: t.Hi, From: w.from, To: to}
	if crowned && w.g.apart {
		m.capturedHi |= crownedBit
	}
	w.found.keep(m, w.n > 1)
}

// after returns the position after m without the counters of the draw rules.
func (g *plain) after(p Position, m Move) Position {
	b := g.v.Board
	from, to := b.Set(m.From), b.Set(m.To)
	q := Position{kings: p.kings &^ (from.Lo | m.captured), kingsHi: p.kingsHi &^ (from.Hi | m.Captured().Hi), Turn: p.Turn ^ 1}
	if p.Turn == White {
		q.white, q.whiteHi = p.white&^from.Lo|to.Lo, p.whiteHi&^from.Hi|to.Hi
		q.black, q.blackHi = p.black&^m.captured, p.blackHi&^m.Captured().Hi
	} else {
		q.black, q.blackHi = p.black&^from.Lo|to.Lo, p.blackHi&^from.Hi|to.Hi
		q.white, q.whiteHi = p.white&^m.captured, p.whiteHi&^m.Captured().Hi
	}
	if p.kings&from.Lo != 0 || p.kingsHi&from.Hi != 0 || b.Has(g.crown[p.Turn&1], m.To) ||
		g.v.CrownedAtOnce && m.IsCapture() && g.v.crownedOnTheWay(p.Turn, m) {
		q.kings, q.kingsHi = q.kings|to.Lo, q.kingsHi|to.Hi
	}
	return q
}
