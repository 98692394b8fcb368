package rules

import "slices"

// The fast generators of this file work on boards of one word (twowords.go has the one for two
// words). A type argument tells the compiler the facts of a variant: the facts are the bits of a
// number, the number is the length of an array of empty structs, and the array is the type
// argument of every generic function. The length of an array is a constant, and array types of
// different lengths share no code. So the compiler makes one function for each set of facts, with
// shifts by constants and without branches on facts. (A method or a field of the type argument
// would not become a constant.)
//
// Functions begin with
//
//	var facts F
//	f := len(facts)
//
// and pass f, which is then a constant, to small functions that the compiler inlines.
const (
	// The board. Without a bit of these it is the 8x8 board of 32 squares, steps of 4 and 5 (see
	// Geometry).
	wide = 1 << iota // the 10x10 board, steps of 6 and 7
	full             // the 8x8 board of 64 squares, with rows and columns for lines, steps of 1 and 8

	eight     // captures also along rows and columns: two rows or columns at a step
	back      // men capture backwards
	flying    // kings fly
	behind    // Landing: Behind
	lastKing  // Landing: BehindLastKing
	atOnce    // captured pieces leave the board at once
	crowning  // men are crowned in mid-capture
	sparing   // men cannot capture kings
	ranked    // the first criterion is by number or value: a longer capture outranks a shorter one
	weighed   // the rank depends on which of the captured pieces are kings
	firstKing // the first king wins
)

// The sets of facts that have a fast generator. Some serve several variants or options, which
// generate moves in the same way.
const (
	internationalKind = wide | back | flying | ranked // antidraughts
	kingFirstKind     = internationalKind | weighed   // by option: the most pieces, then the most kings
	killerKind        = internationalKind | lastKing
	breakthroughKind  = internationalKind | firstKing
	frisianKind       = internationalKind | eight | weighed // frysk
	brazilianKind     = back | flying | ranked
	russianKind       = back | flying | crowning
	poolKind          = back | flying
	englishKind       = 0
	italianKind       = sparing | ranked | weighed
	spanishKind       = flying | ranked | weighed // portuguese
	germanKind        = flying                    // czech
	germanHaltKind    = flying | behind
	thaiKind          = flying | behind | atOnce
	turkishKind       = full | flying | ranked | atOnce
)

// The facts as types.
type (
	internationalRules = [internationalKind]struct{}
	kingFirstRules     = [kingFirstKind]struct{}
	killerRules        = [killerKind]struct{}
	breakthroughRules  = [breakthroughKind]struct{}
	frisianRules       = [frisianKind]struct{}
	brazilianRules     = [brazilianKind]struct{}
	russianRules       = [russianKind]struct{}
	poolRules          = [poolKind]struct{}
	englishRules       = [englishKind]struct{}
	italianRules       = [italianKind]struct{}
	spanishRules       = [spanishKind]struct{}
	germanRules        = [germanKind]struct{}
	germanHaltRules    = [germanHaltKind]struct{}
	thaiRules          = [thaiKind]struct{}
	turkishRules       = [turkishKind]struct{}
)

// fastFacts is any of them.
type fastFacts interface {
	internationalRules | kingFirstRules | killerRules | breakthroughRules | frisianRules | brazilianRules | russianRules | poolRules |
		englishRules | italianRules | spanishRules | germanRules | germanHaltRules | thaiRules | turkishRules
}

// fast holds the facts of a Variant as bitboards, beyond those in the type argument. newFast makes
// it when the Variant is built. Variants without one use the plain generator or twoWords.
type fast struct {
	facts  int    // which of the generators is the variant's
	number uint64 // newGenerator
	board  *Geometry
	on     uint64        // the playing squares
	crown  [2]uint64     // by Color: where its men become kings
	brink  [2]uint64     // by Color: the row before, whose pieces are captured on the way to a crown
	ray    [8][64]uint64 // by Direction and bit: the squares from there to the edge, its own left out

	two  [8]int // by Direction: the difference of bit index over two steps
	rare int    // the rare facts of the variant as bits, see playRare

	// The rank of a capture is a sum, and higher is better. Each criterion has its own field of
	// bits; the first criterion has the highest.
	piece uint64 // for each piece captured
	king  uint64 // more for a king
	early uint64 // more for a king captured first, half as much for one captured next, and so on
	bonus uint64 // for a capture by a king
}

// newFast returns the data of the fast generators for the facts of v, nil if no generator has
// these rules.
func newFast(v *Variant) *fast {
	b := v.Board
	f := 0
	move, capture := Diagonals, Diagonals
	switch {
	case b.Rows == 10 && b.Columns == 10 && b.Corner == BottomLeft:
		f |= wide
		if len(v.CaptureLines) == len(EveryDirection) {
			f |= eight
			capture = EveryDirection
		}
	case b.Rows == 8 && b.Columns == 8 && b.Corner == EverySquare:
		f |= full
		move, capture = Orthogonals, Orthogonals
	case b.Rows != 8 || b.Columns != 8:
		return nil
	}
	if !slices.Equal(v.MoveLines, move) || !slices.Equal(v.CaptureLines, capture) {
		return nil
	}
	for _, fact := range []struct {
		holds bool
		bit   int
	}{
		{v.ManCapturesBack, back},
		{v.KingFlies, flying},
		{v.Landing == Behind, behind},
		{v.Landing == BehindLastKing, lastKing},
		{v.RemovedAtOnce, atOnce},
		{v.CrownedAtOnce, crowning},
		{v.MenSpareKings, sparing},
		{len(v.Priority) > 0 && v.Priority[0] <= MostValue, ranked},
		{v.FirstKingWins, firstKing},
	} {
		if fact.holds {
			f |= fact.bit
		}
	}
	g := &fast{board: b, number: newGenerator()}
	l, r := diagonalSteps(f)
	c, _, _ := columnStep(f)
	g.two = [8]int{-2 * int(r), -2 * int(l), 2 * int(l), 2 * int(r), -2 * int(c), -2, 2, 2 * int(c)}
	if !g.weigh(v) {
		return nil
	}
	if g.king|g.early != 0 {
		f |= weighed
	}
	if g.facts = f; !slices.Contains([]int{
		internationalKind, kingFirstKind, killerKind, breakthroughKind, frisianKind, brazilianKind, russianKind, poolKind,
		englishKind, italianKind, spanishKind, germanKind, germanHaltKind, thaiKind, turkishKind,
	}, f) {
		return nil
	}
	// These facts have no bit. A king goes on if it can where it has the choice. Only the full
	// board forbids to turn back; elsewhere Thai kings may turn back and others cannot. A limit on
	// king moves is supported only where captures go in eight directions.
	if !v.KingGoesOn && f&flying != 0 && f&(ranked|behind) == 0 ||
		v.NoTurnBack != (f&full != 0) || v.KingMoveLimit > 0 && f&eight == 0 {
		return nil
	}
	if v.CrownedAtOnce {
		g.rare |= rareCrowning
	}
	if f&full != 0 {
		g.rare |= rareRows
	}
	if v.KingMoveLimit > 0 {
		g.rare |= rareKingMoves
	}
	if v.Draws.countsMore() {
		g.rare |= rareEndings
	}
	for s := Square(1); int(s) <= b.Squares(); s++ {
		bit := b.Set(s).Lo
		g.on |= bit
		for _, c := range [2]Color{White, Black} {
			if v.Promotes(c, s) {
				g.crown[c] |= bit
			}
			if row := b.Row(s); c == White && row == 1 || c == Black && row == b.Rows-2 {
				g.brink[c] |= bit
			}
		}
		for _, d := range EveryDirection {
			for t := b.Neighbour(s, d); t != NoSquare; t = b.Neighbour(t, d) {
				g.ray[d][b.Bit(s)] |= b.Set(t).Lo
			}
		}
	}
	return g
}

// weigh sets the weights of the rank. It reports whether all criteria fit into one word.
func (g *fast) weigh(v *Variant) bool {
	unit := uint64(1)
	if !slices.Contains(v.Priority, CapturingKing) {
		unit = 2 // a piece counts two, which leaves the lowest bit for a bonus of one
	}
	for i := len(v.Priority) - 1; i >= 0; i-- {
		switch by := v.Priority[i]; {
		case i > 0 && by <= MostValue || unit > 1<<47:
			return false
		case by == MostPieces:
			g.piece += unit
		case by == MostValue:
			g.piece += unit * uint64(v.ManValue)
			g.king += unit * uint64(v.KingValue-v.ManValue)
		case by == CapturingKing:
			g.bonus = unit
			unit <<= 1
		case by == MostKings:
			g.king += unit
			unit <<= 7
		case by == EarliestKings:
			g.early = unit << 31
			unit <<= 32
		}
	}
	return true
}

// diagonalSteps returns the steps of a board in bits: left for down-left and up-right, right for
// down-right and up-left.
func diagonalSteps(f int) (left, right uint) {
	if f&wide != 0 {
		return 6, 7
	}
	return 4, 5
}

// columnStep returns the step along a column, and the sets of the leftmost and the rightmost
// column. A step along a row from these would come out on the other side; the wide board has
// ghosts there, so its sets are empty.
func columnStep(f int) (step uint, left, right uint64) {
	if f&full != 0 {
		return 8, 0x0101010101010101, 0x8080808080808080
	}
	return 13, 0, 0
}

// The steps of all pieces of a set at once. The caller masks every result with squares on the
// board (the empty squares, or a side's pieces), which removes pieces on ghost bits.

func northWest(f int, s uint64) uint64 { _, r := diagonalSteps(f); return s >> r }
func northEast(f int, s uint64) uint64 { l, _ := diagonalSteps(f); return s >> l }
func southWest(f int, s uint64) uint64 { l, _ := diagonalSteps(f); return s << l }
func southEast(f int, s uint64) uint64 { _, r := diagonalSteps(f); return s << r }

func north(f int, s uint64) uint64 { c, _, _ := columnStep(f); return s >> c }
func west(f int, s uint64) uint64  { _, left, _ := columnStep(f); return s &^ left >> 1 }
func east(f int, s uint64) uint64  { _, _, right := columnStep(f); return s &^ right << 1 }
func south(f int, s uint64) uint64 { c, _, _ := columnStep(f); return s << c }

// side is a position seen from the side to move, in one word each. It is passed by value, because
// the compiler keeps a struct of four fields in registers.
type side struct {
	own, their uint64
	kings      uint64 // of both
	turn       Color
}

func sideOf(p *Position) side {
	if p.Turn == White {
		return side{p.white, p.black, p.kings, White}
	}
	return side{p.black, p.white, p.kings, Black}
}

// empty returns the empty squares.
func (g *fast) empty(s side) uint64 { return g.on &^ (s.own | s.their) }

// prey returns the pieces that men may capture.
func (s side) prey(f int) uint64 {
	if f&sparing != 0 {
		return s.their &^ s.kings
	}
	return s.their
}
