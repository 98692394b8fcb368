package tui

import (
	"fmt"
	"strings"

	"damier/notation"
	"damier/rules"
)

// mark is what a square shows besides its piece.
type mark struct {
	piece   rules.Piece
	ghost   bool // the piece stood here before the move being entered or is taken by it
	must    bool
	chosen  bool
	cursor  bool
	next    bool
	final   bool
	taken   bool
	from    bool // of the last move
	to      bool
	lastHit bool // a piece was taken here by the last move
}

// marks returns the marks of all squares, by square.
func (g *Game) marks() []mark {
	p := g.game.Position()
	all := make([]mark, g.v.Board.Squares()+1)
	for s := range all[1:] {
		all[s+1].piece = g.v.Piece(p, rules.Square(s+1))
	}
	if moves := g.game.Moves(); len(moves) > 0 {
		last := moves[len(moves)-1]
		all[last.From].from = true
		all[last.To].to = true
		for _, s := range g.v.Board.AppendSquares(nil, last.Captured()) {
			all[s].lastHit = true
		}
	}
	mine := g.mine() && !g.busy()
	if mine && notation.Obligation(g.game.Legal()) != "" {
		for _, s := range g.entry.movers() {
			all[s].must = true
		}
	}
	if n := len(g.entry.walked); n > 0 {
		from, now := g.entry.walked[0], g.entry.walked[n-1]
		if now != from {
			all[now].piece, all[from].ghost = all[from].piece, true
		}
		all[now].chosen = true
		next, final := g.entry.targets()
		for _, s := range next {
			all[s].next = true
		}
		for _, s := range final {
			all[s].final = true
		}
		for _, s := range g.entry.taken() {
			all[s].taken = true
		}
	}
	if c, ok := g.dialog.(*choice); ok && c.moves != nil && c.moves[c.at].step == rules.NoSquare {
		m := c.moves[c.at].move
		for _, s := range g.v.Board.AppendSquares(nil, m.Captured()) {
			all[s].taken = true
		}
		all[m.To].next = true
	}
	if g.keys && !g.game.Over() && g.dialog == nil {
		all[g.cursor].cursor = true
	}
	return all
}

// boardLines draws the board.
func (g *Game) boardLines() []string {
	b, c := g.v.Board, g.layout.cell
	all := g.marks()
	lines := make([]string, 0, b.Rows*c.height)
	for row := range b.Rows {
		parts := make([]strings.Builder, c.height)
		for column := range b.Columns {
			y, x := row, column
			if g.flipped {
				y, x = b.Rows-1-row, b.Columns-1-column
			}
			s := b.At(y, x)
			if s == rules.NoSquare {
				blank := g.look.Style("", lightGround, false).Render(strings.Repeat(" ", c.width))
				for i := range parts {
					parts[i].WriteString(blank)
				}
				continue
			}
			for i, text := range g.cell(s, all[s]) {
				parts[i].WriteString(text)
			}
		}
		for i := range parts {
			lines = append(lines, parts[i].String())
		}
	}
	return lines
}

// cell draws a square. The line of its piece is
//
//	[(o)]   brackets of the cursor, a chip of three columns whose edges mark the piece
//
// and above it, or after it if a square has one line, are its name and the mark of the last move.
func (g *Game) cell(s rules.Square, m mark) []string {
	c, b := g.layout.cell, g.v.Board
	ground := darkGround
	switch {
	case m.cursor:
		ground = cursorGround
	case m.from || m.to:
		ground = lastGround
	case b.Corner == rules.EverySquare && (b.Row(s)+b.Column(s))%2 == 0:
		ground = otherGround
	}
	onGround := g.look.Style(numberInk, ground, false)
	marked := g.look.Style(markInk, ground, true)
	left, right := " ", " "
	switch {
	case m.chosen:
		left, right = "<", ">"
	case m.must && !m.ghost:
		left, right = "(", ")"
	}
	if c.height == 1 { // there is no other place for them
		switch {
		case m.cursor:
			left, right = "[", "]"
		case left == " " && (m.from || m.to):
			left, right = g.look.Sign("‹", "{"), g.look.Sign("›", "}")
		}
	}
	var chip string
	switch {
	case m.taken || m.ghost:
		if c.height > 1 && m.cursor {
			left, right = " ", " "
		}
		sign := g.look.Sign("×", "x")
		if m.ghost {
			sign = g.look.Sign("·", "'")
		}
		chip = marked.Render(left + sign + right)
	case m.piece != rules.Empty:
		chip = g.chip(m.piece, left, right, ground)
	case m.next:
		chip = marked.Render(left + g.look.Sign("•", "*") + right)
	case m.final:
		chip = marked.Render(left + "+" + right)
	case m.lastHit:
		chip = onGround.Render(left + g.look.Sign("×", "x") + right)
	case !g.look.Colored():
		chip = left + "." + right
	default:
		chip = onGround.Render(left + " " + right)
	}
	trace := " "
	switch {
	case m.to:
		trace = g.look.Sign("›", "}")
	case m.from:
		trace = g.look.Sign("‹", "{")
	}
	name := g.v.SquareName(s)
	if c.height == 1 {
		if c.width < 5 {
			return []string{chip}
		}
		return []string{chip + onGround.Render(fmt.Sprintf("%-2s", name))}
	}
	open, shut := " ", " "
	if m.cursor {
		open, shut = "[", "]"
	}
	side := (c.width - 5) / 2
	pad := onGround.Render(strings.Repeat(" ", side))
	lines := []string{
		onGround.Render(fmt.Sprintf("%-*s", c.width-1, name)) + marked.Render(trace),
		pad + marked.Render(open) + chip + marked.Render(shut) + pad,
	}
	if c.height > 2 {
		below := onGround.Render("   ")
		if king := m.piece == rules.WhiteKing || m.piece == rules.BlackKing; king && !m.taken && !m.ghost {
			below = g.chip(m.piece, " ", " ", ground) // two stacked men
		}
		lines = append(lines, pad+onGround.Render(" ")+below+onGround.Render(" ")+pad)
	}
	return lines
}

// chip draws a piece, three columns wide. If a square has two lines, the piece has a background of
// its own colour.
func (g *Game) chip(p rules.Piece, left, right, ground string) string {
	if g.layout.cell.height == 1 {
		ink := blackInk
		if p == rules.WhiteMan || p == rules.WhiteKing {
			ink = whiteChip
		}
		edge := g.look.Style(markInk, ground, true)
		return edge.Render(left) + g.look.Style(ink, ground, true).Render(g.sign(p)) + edge.Render(right)
	}
	ink, plate := blackInk, whiteChip
	switch p {
	case rules.WhiteKing:
		ink = kingInk
	case rules.BlackMan:
		ink, plate = blackSign, blackChip
	case rules.BlackKing:
		ink, plate = kingSign, blackChip
	}
	return g.look.Style(ink, plate, true).Render(left + g.sign(p) + right)
}
