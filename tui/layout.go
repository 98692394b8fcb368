package tui

import "damier/rules"

// layout is the arrangement of a screen.
//
//	title                                  line 0
//	board, left      panel beside it       the body
//	(or panel below the board)
//	message                                two lines
//	keys                                   the last line
type layout struct {
	none bool // the screen is too small

	cell  size
	board rect
	panel rect // of width 0 if there is none
	body  rect

	wantWidth, wantHeight int // the smallest sufficient size, if the screen is too small
}

type size struct{ width, height int }

type rect struct{ x, y, width, height int }

// cells are the sizes of a square, the best first. The last one has no room for the name of the
// square.
var cells = []size{{7, 3}, {5, 2}, {5, 1}, {3, 1}}

// The number of lines besides the body (title, messages and keys), and the smallest useful size of
// the panel.
const (
	messageLines  = 2
	frameLines    = 1 + messageLines + 1
	panelWidth    = 26
	panelHeight   = 5
	widestPanel   = 48
	narrowestLine = 30
)

// newLayout arranges a board of rows x columns on a screen: with the largest squares that leave
// room for the panel, or else with the largest that fit.
func newLayout(width, height, rows, columns int) layout {
	last := cells[len(cells)-1]
	l := layout{none: true, wantWidth: max(columns*last.width, narrowestLine), wantHeight: rows*last.height + frameLines}
	if width < narrowestLine {
		return l
	}
	body := rect{0, 1, width, height - frameLines}
	for _, c := range cells {
		board := rect{0, 1, columns * c.width, rows * c.height}
		if board.width > body.width || board.height > body.height {
			continue
		}
		found := layout{cell: c, board: board, body: body}
		beside, below := body.width-board.width-2, body.height-board.height
		switch {
		case beside >= panelWidth:
			found.panel = rect{board.width + 2, 1, min(beside, widestPanel), body.height}
		case below >= panelHeight:
			found.panel = rect{0, 1 + board.height, body.width, below}
		}
		if l.none || found.panel.width > 0 {
			l = found
		}
		if l.panel.width > 0 {
			break
		}
	}
	return l
}

// squareAt returns the playing square at a position of the screen, NoSquare if there is none.
func (l layout) squareAt(b *rules.Geometry, flipped bool, x, y int) rules.Square {
	if l.none || x < l.board.x || y < l.board.y || x >= l.board.x+l.board.width || y >= l.board.y+l.board.height {
		return rules.NoSquare
	}
	row, column := (y-l.board.y)/l.cell.height, (x-l.board.x)/l.cell.width
	if flipped {
		row, column = b.Rows-1-row, b.Columns-1-column
	}
	return b.At(row, column)
}

// arrange computes the layout again.
func (g *Game) arrange() { g.layout = newLayout(g.width, g.height, g.v.Board.Rows, g.v.Board.Columns) }
