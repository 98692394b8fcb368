package rules

import (
	"maps"
	"slices"
	"strings"
)

// Criterion is one step in the choice between captures: only the best captures by it stay legal.
type Criterion uint8

// The criteria.
const (
	MostPieces    Criterion = iota // the most pieces, kings counted as men
	MostValue                      // the highest sum of Variant.ManValue and KingValue
	CapturingKing                  // a king captures before a man does
	MostKings                      // the most kings captured
	EarliestKings                  // kings captured earlier in the sequence, compared piece by piece
)

// Landing says where a flying king may land behind a piece that it captures.
type Landing uint8

// The rules of landing.
const (
	Anywhere       Landing = iota // on any free square up to the next piece
	Behind                        // directly behind each piece
	BehindLastKing                // anywhere, but directly behind the last piece if that is a king
)

// Variant is one game of the draughts family, as a table of facts.
type Variant struct {
	Name    string  // as in commands and files: "international"
	Options Options // every option with its value

	Board     *Geometry
	First     Color // the side that moves first
	Rows      int   // rows of men a side at the start
	EmptyRows int   // rows behind the men at the start
	Most      int   // pieces a side in a position, 0: as many as at the start

	MoveLines       []Direction // along which pieces move; a man never backwards
	CaptureLines    []Direction // along which pieces capture
	ManCapturesBack bool        // a man also captures backwards
	MenSpareKings   bool        // a man cannot capture a king
	KingFlies       bool        // a king moves and captures over any distance
	Landing         Landing     // of a flying king in a capture
	KingGoesOn      bool        // a king must land on a square where its capture goes on, if there is one
	RemovedAtOnce   bool        // captured pieces leave the board at once, not after the move
	NoTurnBack      bool        // no jump may reverse the direction of the jump before it
	CrownedAtOnce   bool        // a man on the last row in mid-capture is crowned and goes on as a king

	Priority            []Criterion // which captures are compulsory among several, the first criterion first
	ManValue, KingValue int         // the values for MostValue

	KingMoveLimit int  // quiet moves in a row that one king may make while its side has a man, 0: any number
	FirstKingWins bool // the game ends with the first king
	NoMovesWins   bool // a side without a move, or without a piece, has won

	Draws DrawRules

	Huffing Huffing // what is huffed in informal play

	GameType  int    // PDN GameType number, 0 if it has none
	GameTag   string // the PDN GameType tag in full, "" if the standard has none
	Capture   string // PDN capture sign
	Algebraic bool   // players write squares as a1 to h8, not as numbers
	Mirrored  bool   // PDN counts squares from White's side: the number is N+1 minus the Square

	prepared *Variant // the variant itself; in a changed copy it still points to the original

	fast  *fast     // data of the fast generators, nil if there is none for these facts
	pair  *twoWords // the fast generator for the board of two words, nil for other boards
	plain *plain    // the generator that knows all facts
}

// DrawRules are the draws that need no claim by a player. Counts are in plies, and begin after the
// move that reached the ending. Zero switches a rule off; -1 is a draw at once.
type DrawRules struct {
	Repetition int // occurrences of a position with the same side to move
	KingPlies  int // plies in a row without a man's advance or a capture

	// A lone king against three pieces, at least one of them a king; and against two pieces or
	// one.
	ThreePieces, TwoPieces int
	// LongDiagonal, if not zero, replaces ThreePieces while the lone king holds the long diagonal.
	LongDiagonal int
	// ThreeKings draws at once with three kings against a lone king.
	ThreeKings bool

	ManyKings int // three kings or more, and no man, against a lone king
	MainRoad  int // three pieces, a king among them, against a lone king that holds the main road all the time
	TwoKings  int // two kings against a lone king
	OneKing   int // king against king; -1 draws at once if there is no capture to make

	// Four or five pieces on the board, and six or seven; both sides have kings, and the count
	// runs while nothing is captured or crowned.
	FourPieces, SixPieces int

	// OneEach draws at once with one man each or one king each, if there is no capture to make.
	OneEach bool
}

// Options are a variant's named options, name to value.
type Options map[string]string

// String returns "name=value" pairs, sorted and joined with commas.
func (o Options) String() string {
	names := slices.Sorted(maps.Keys(o))
	for i, n := range names {
		names[i] = n + "=" + o[n]
	}
	return strings.Join(names, ",")
}

// ParseOptions reads what [Options.String] writes.
func ParseOptions(s string) (Options, error) {
	o := Options{}
	if s == "" {
		return o, nil
	}
	for _, f := range strings.Split(s, ",") {
		n, v, ok := strings.Cut(f, "=")
		if !ok || n == "" || v == "" {
			return nil, Messagef("option %q is not name=value", f)
		}
		if _, twice := o[n]; twice {
			return nil, Messagef("option %q is given twice", n)
		}
		o[n] = v
	}
	return o, nil
}

// choice is one value of an option of a variant, and the change it makes; nil makes no change. The
// first value of an option is its default.
type choice struct {
	option, value string
	change        func(*Variant)
}

// choose sets the options of v and prepares it.
func (v *Variant) choose(given Options, choices ...choice) (*Variant, error) {
	v.Options = Options{}
	var has []string // "name=value|value" of each option
	for _, c := range choices {
		if _, known := v.Options[c.option]; known {
			has[len(has)-1] += "|" + c.value
			continue
		}
		v.Options[c.option] = c.value
		has = append(has, c.option+"="+c.value)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(choices, func(c choice) bool { return c.option == name && c.value == given[name] })
		switch {
		case i < 0 && len(has) == 0:
			return nil, Messagef("%s has no option %s=%s; it has none", v.Name, name, given[name])
		case i < 0:
			return nil, Messagef("%s has no option %s=%s; it has %s", v.Name, name, given[name], listed(has))
		}
		v.Options[name] = given[name]
		if change := choices[i].change; change != nil {
			change(v)
		}
	}
	return v.prepare(), nil
}

// prepare makes the generators from the facts of v.
func (v *Variant) prepare() *Variant {
	v.fast, v.pair, v.plain = newFast(v), newTwoWords(v), newPlain(v)
	v.prepared = v
	return v
}

// family holds the function that builds each variant from its options. Package initialization
// fills it; nothing changes it later.
var family = map[string]func(Options) (*Variant, error){}

// member puts a variant into the family and returns it with its default options.
func member(name string, build func(Options) (*Variant, error)) *Variant {
	v, err := build(nil)
	if err != nil || v.Name != name || family[name] != nil {
		panic("rules: variant " + name + " is not made as it should be")
	}
	family[name] = build
	return v
}

// Names returns the names of all variants, in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(family)) }

// Lookup returns the variant of that name with the given options; options left out take their
// defaults.
func Lookup(name string, options Options) (*Variant, error) {
	build, ok := family[name]
	if !ok {
		return nil, Messagef("unknown variant %q; known are: %s", name, strings.Join(Names(), ", "))
	}
	return build(options)
}

// String returns the name, and the options, if there are any, in brackets.
func (v *Variant) String() string {
	if len(v.Options) == 0 {
		return v.Name
	}
	return v.Name + "[" + v.Options.String() + "]"
}

// Start returns the position a game begins with.
func (v *Variant) Start() Position {
	var white, black Set
	n := v.Board.Squares() / v.Board.Rows
	for i := 1 + n*v.EmptyRows; i <= n*(v.EmptyRows+v.Rows); i++ {
		black = black.Or(v.Board.Set(Square(i)))
		white = white.Or(v.Board.Set(v.Board.Rotate(Square(i))))
	}
	return NewPosition(white, black, Set{}, v.First)
}

// MaxPieces returns how many pieces a side may have in a position.
func (v *Variant) MaxPieces() int {
	if v.Most > 0 {
		return v.Most
	}
	return v.Rows * v.Board.Squares() / v.Board.Rows
}

// Piece returns what stands on s.
func (v *Variant) Piece(p Position, s Square) Piece {
	b := v.Board
	king := b.Has(Set{p.kings, p.kingsHi}, s)
	switch {
	case b.Has(p.Pieces(White), s) && king:
		return WhiteKing
	case b.Has(p.Pieces(White), s):
		return WhiteMan
	case b.Has(p.Pieces(Black), s) && king:
		return BlackKing
	case b.Has(p.Pieces(Black), s):
		return BlackMan
	}
	return Empty
}

// Promotes reports whether a man of side c is crowned on s.
func (v *Variant) Promotes(c Color, s Square) bool {
	if c == White {
		return v.Board.Row(s) == 0
	}
	return v.Board.Row(s) == v.Board.Rows-1
}

// crownsApart reports whether two captures of a man that differ only in the crowning on the way
// are different moves. On diagonals they cannot differ, because a man passes the last row if and
// only if it takes a piece on the row before.
func (v *Variant) crownsApart() bool {
	return v.CrownedAtOnce && v.CaptureLines[0].Orthogonal()
}

// crownedOnTheWay reports whether the capture m crowns a man of side c before it ends.
func (v *Variant) crownedOnTheWay(c Color, m Move) bool {
	if !v.CrownedAtOnce || v.crownsApart() {
		return m.crowned()
	}
	row := 1
	if c == Black {
		row = v.Board.Rows - 2
	}
	for taken := m.Captured(); !taken.Empty(); {
		if v.Board.Row(v.Board.Pop(&taken)) == row {
			return true
		}
	}
	return false
}

// Stuck returns the outcome of a game in which the side to move of p has no legal move.
func (v *Variant) Stuck(p Position) (Outcome, Reason) {
	last := p.Turn.Opponent()
	switch {
	case v.FirstKingWins && !p.Kings(last).Empty():
		return Win(last), FirstKing
	case v.FirstKingWins && !p.Kings(p.Turn).Empty():
		return Win(p.Turn), FirstKing
	}
	reason := NoMoves
	if p.Pieces(p.Turn).Empty() {
		reason = NoPieces
	}
	if v.NoMovesWins {
		return Win(p.Turn), reason
	}
	return Win(last), reason
}

// barred returns the king of the side to move that has made the allowed number of quiet moves in a
// row, NoSquare if there is none.
func (v *Variant) barred(p *Position) Square {
	if v.KingMoveLimit > 0 && int(p.kingMoves[p.Turn&1]) >= v.KingMoveLimit {
		return p.lastKing[p.Turn&1]
	}
	return NoSquare
}
