package tables

import (
	"slices"

	"damier/rules"
)

// powers are those of 3.
var powers = [10]int{1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683}

// maxRows is the number of rows of the largest board.
const maxRows = 12

// mostKings is the number of kings of a side from which more are not told apart, and one.
const mostKings = 4

// layout numbers the features of a variant's positions. In their order: the patterns of every window, the smaller windows
// first; men by square, the own and then the other side's; kings likewise; the numbers of pieces; and two that occur as
// often as the side to move has more men, or kings, than the other. The smaller windows are for patterns of the larger that
// were never seen: what is known of their parts is expected of them.
type layout struct {
	board    *rules.Geometry
	rows     int
	inRow    int           // squares in a row
	shift    [maxRows]uint // of a row's first bit in the board
	most     int           // pieces on the board at the start
	men      int           // men of a side at most, and one
	families []*family     // of the largest windows
	inner    []*family     // of smaller windows, each within one of those
	squares  int           // the first feature of pieces by their squares
	numbers  int           // the first of the numbers of pieces
	lead     int           // the first of the two of the lead
	features int
}

func newLayout(v *rules.Variant, squares int) *layout {
	b := v.Board
	start := v.Start()
	l := &layout{
		board: b, rows: b.Rows, inRow: b.Squares() / b.Rows, men: v.MaxPieces() + 1,
		most: start.Pieces(rules.White).Len() + start.Pieces(rules.Black).Len(),
	}
	for r := range b.Rows {
		l.shift[r] = uint(b.Bit(rules.Square(r*l.inRow + 1)))
	}
	for _, size := range Windows {
		if size > squares {
			continue
		}
		for _, s := range shapes(b, size) {
			f := newFamily(b, s)
			f.first = l.features
			l.features += f.windows(b) * f.patterns
			if size == squares {
				l.families = append(l.families, f)
			} else {
				l.inner = append(l.inner, f)
			}
		}
	}
	l.squares = l.features
	l.numbers = l.squares + 4*b.Squares()
	l.lead = l.numbers + l.men*l.men*mostKings*mostKings
	l.features = l.lead + 2
	return l
}

// family returns one of all families, the largest windows' first.
func (l *layout) family(i int) *family {
	if i < len(l.families) {
		return l.families[i]
	}
	return l.inner[i-len(l.families)]
}

// within returns the first feature of one of the largest windows that sees all the squares, for each of them 3^i for its
// digit i in the window's patterns, and how many patterns there are.
func (l *layout) within(squares []rules.Square) (first int, places []int, count int) {
	for _, f := range l.families {
		at := f.first
		for row := 0; row+f.height <= l.rows; row += f.down {
			for column := 0; column+f.width <= l.board.Columns; column += f.right {
				all := f.squares(l.board, row, column)
				places = places[:0]
				for _, s := range squares {
					if i := slices.Index(all, s); i >= 0 {
						places = append(places, powers[i])
					}
				}
				if len(places) == len(squares) {
					return at, places, f.patterns
				}
				at += f.patterns
			}
		}
	}
	panic("tables: no window sees all those squares")
}

// rowOf returns the bits of a set in a row of the board.
func (l *layout) rowOf(s rules.Set, r int) int {
	at := l.shift[r]
	bits := s.Lo >> (at & 63)
	if at >= 64 {
		bits = uint64(s.Hi) >> (at - 64)
	} else if s.Hi != 0 {
		bits |= uint64(s.Hi) << (64 - at)
	}
	return int(bits & (1<<l.inRow - 1))
}

// number returns the feature of the numbers of pieces.
func (l *layout) number(ownMen, otherMen, ownKings, otherKings int) int {
	return l.numbers + ((ownMen*l.men+otherMen)*mostKings+min(ownKings, mostKings-1))*mostKings + min(otherKings, mostKings-1)
}

// seen returns the place of a square, counted from 0, as c sees it.
func (l *layout) seen(c rules.Color, s rules.Square) int {
	if c == rules.Black {
		return l.board.Squares() - int(s)
	}
	return int(s) - 1
}

// appendFeatures appends the features of p to dst but those of the lead, each once for every time it occurs.
func (l *layout) appendFeatures(dst []int32, p rules.Position) []int32 {
	c := p.Turn
	own, other := p.Men(c), p.Men(c.Opponent())
	var digits [maxRows]uint64
	for i := range len(l.families) + len(l.inner) {
		f := l.family(i)
		for w := range f.words {
			f.digits(&digits, l, c, own, other, w)
			at := f.first + w*fields*f.patterns
			for r := 0; r+f.height <= l.rows; r += f.down {
				sum := digits[r+f.height-1]
				for i := f.height - 2; i >= 0; i-- {
					sum = sum*f.base + digits[r+i]
				}
				for i := range min(fields, f.across-w*fields) {
					dst = append(dst, int32(at+i*f.patterns+int(sum>>(i*field)&(1<<field-1))))
				}
				at += f.across * f.patterns
			}
		}
	}
	n := l.board.Squares()
	ownKings, otherKings := p.Kings(c), p.Kings(c.Opponent())
	for i, set := range [4]rules.Set{own, other, ownKings, otherKings} {
		for !set.Empty() {
			dst = append(dst, int32(l.squares+i*n+l.seen(c, l.board.Pop(&set))))
		}
	}
	return append(dst, int32(l.number(own.Len(), other.Len(), ownKings.Len(), otherKings.Len())))
}

// leads returns the men and the kings that the side to move has more.
func leads(p rules.Position) [2]float32 {
	own, other := p.Turn, p.Turn.Opponent()
	return [2]float32{
		float32(p.Men(own).Len() - p.Men(other).Len()),
		float32(p.Kings(own).Len() - p.Kings(other).Len()),
	}
}

// mix returns the shares of the weights for a full and for an empty board.
func (l *layout) mix(p rules.Position) (full, empty float32) {
	n := p.Pieces(rules.White).Len() + p.Pieces(rules.Black).Len()
	full = min(float32(n)/float32(l.most), 1)
	return full, 1 - full
}
