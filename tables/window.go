package tables

import "damier/rules"

// shape is a size of window and where such windows lie on a board.
type shape struct {
	height, width int // in rows and columns
	down, right   int // steps from one window to the next
}

// Windows are the numbers of playing squares that the largest windows of a model may have. It has smaller ones besides.
var Windows = []int{8, 10}

// shapes returns windows of so many playing squares: half as many rows by four columns, two columns and one row apart;
// on boards played on all squares two rows by half as many columns, and the other way round, so that every square is seen.
func shapes(b *rules.Geometry, squares int) []shape {
	half := squares / 2
	if b.Corner == rules.EverySquare {
		step := 6 - half
		return []shape{{2, half, 1, step}, {half, 2, step, 1}}
	}
	return []shape{{half, 4, 1, 2}}
}

// squares returns the playing squares of a window, row by row.
func (s shape) squares(b *rules.Geometry, row, column int) []rules.Square {
	var squares []rules.Square
	for r := row; r < row+s.height; r++ {
		for c := column; c < column+s.width; c++ {
			if q := b.At(r, c); q != rules.NoSquare {
				squares = append(squares, q)
			}
		}
	}
	return squares
}

// field is the bits that the number of a pattern takes in a word, 3^10 being less than 2^16, and fields how many there are
// in it.
const (
	field  = 16
	fields = 64 / field
)

// family is all windows of one shape on one board. The number of a pattern is written in base 3, a digit for each
// square of the window from the top left: 0 empty (or a king), 1 a man of the side to move, 2 a man of the other.
//
// The digits of one row of the board, for all windows side by side, lie in the fields of words: what the men of one side
// in a row bring to them is an entry of a small table, and the numbers of all windows that begin in a row are a few
// multiplications.
type family struct {
	shape
	base     uint64 // of a row of a window: 3^(squares in it)
	patterns int    // of a window, 3^squares
	across   int    // windows side by side
	words    int    // of digits for them
	first    int    // number of the first pattern of the first window in the model

	// rows[c][odd][set*words+i] is word i of the digits of a set of men of the side to move in an even or odd row of
	// the board; c is the side to move: Black sees the row turned round.
	rows [2][2][]uint64
}

func newFamily(b *rules.Geometry, s shape) *family {
	f := &family{shape: s, base: 1, patterns: 1}
	for range len(s.squares(b, 0, 0)) / s.height {
		f.base *= 3
	}
	for range s.height {
		f.patterns *= int(f.base)
	}
	f.across = (b.Columns-s.width)/s.right + 1
	f.words = (f.across + fields - 1) / fields
	n := b.Squares() / b.Rows
	for odd := range 2 {
		white := make([]uint64, f.words<<n)
		for set := range 1 << n {
			for w := range f.across {
				digits, three := uint64(0), uint64(1)
				for c := w * s.right; c < w*s.right+s.width; c++ {
					q := b.At(odd, c)
					if q == rules.NoSquare {
						continue
					}
					digits += uint64(set>>((int(q)-1)%n)&1) * three
					three *= 3
				}
				white[set*f.words+w/fields] |= digits << (w % fields * field)
			}
		}
		f.rows[rules.White][odd] = white
	}
	for odd := range 2 {
		black := make([]uint64, f.words<<n)
		for set := range 1 << n {
			turned := 0
			for i := range n {
				turned |= set >> i & 1 << (n - 1 - i)
			}
			copy(black[set*f.words:(set+1)*f.words], f.rows[rules.White][1-odd][turned*f.words:])
		}
		f.rows[rules.Black][odd] = black
	}
	return f
}

// windows returns how many windows the family has on a board.
func (f *family) windows(b *rules.Geometry) int { return ((b.Rows-f.height)/f.down + 1) * f.across }

// digits fills d with word w of the digits of every row of the board, as the side c sees it that is to move.
func (f *family) digits(d *[maxRows]uint64, l *layout, c rules.Color, own, other rules.Set, w int) {
	first, step := 0, 1
	if c == rules.Black {
		first, step = l.rows-1, -1
	}
	even, odd := f.rows[c][0][w:], f.rows[c][1][w:]
	if l.board.All().Hi == 0 {
		mask := uint64(1)<<l.inRow - 1
		for r, to := 0, first; r < l.rows; r, to = r+2, to+2*step {
			at, next := l.shift[r]&63, l.shift[r+1]&63
			d[to] = even[int(own.Lo>>at&mask)*f.words] + 2*even[int(other.Lo>>at&mask)*f.words]
			d[to+step] = odd[int(own.Lo>>next&mask)*f.words] + 2*odd[int(other.Lo>>next&mask)*f.words]
		}
		return
	}
	for r, to := 0, first; r < l.rows; r, to = r+2, to+2*step {
		d[to] = even[l.rowOf(own, r)*f.words] + 2*even[l.rowOf(other, r)*f.words]
		d[to+step] = odd[l.rowOf(own, r+1)*f.words] + 2*odd[l.rowOf(other, r+1)*f.words]
	}
}
