package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"damier/notation"
	"damier/rules"
)

// The colours, by number of the 256 colours: those of a wooden board.
const (
	lightGround  = "223"
	darkGround   = "94"
	otherGround  = "101" // every other square where all are played on
	lastGround   = "130" // of the last move
	cursorGround = "26"
	whiteChip    = "231"
	blackChip    = "16"
	blackInk     = "16"
	blackSign    = "246" // on a black piece
	kingInk      = "160" // on a white piece
	kingSign     = "220" // on a black piece
	numberInk    = "180"
	markInk      = "226"
	dimInk       = "244"
	alarmInk     = "209"
	titleInk     = "231"
	titleGround  = "24"
)

// button is an area of the screen that can be clicked.
type button struct {
	x, y, width int
	do          func(*Game) tea.Cmd
}

// View is part of tea.Model.
func (g *Game) View() string {
	g.buttons = g.buttons[:0]
	l := g.layout
	switch {
	case g.width == 0:
		return ""
	case l.none:
		return TooSmall(g.width, g.height, l.wantWidth, l.wantHeight,
			fmt.Sprintf("a board of %dx%d", g.v.Board.Columns, g.v.Board.Rows), "play terminal, which goes line by line")
	}
	lines := make([]string, 0, g.height)
	lines = append(lines, g.titleLine())
	lines = append(lines, g.body()...)
	lines = append(lines, g.messageLines()...)
	lines = append(lines, g.keyLine())
	return strings.Join(lines, "\n")
}

func (g *Game) titleLine() string {
	who := g.engine.Name()
	if s := g.engine.Strength(); s != "" {
		who += ", " + s
	}
	left := fmt.Sprintf(" Damier  %s", g.title)
	right := fmt.Sprintf("%s  you play %s ", who, g.people)
	text := left + strings.Repeat(" ", max(2, g.width-ansi.StringWidth(left)-ansi.StringWidth(right))) + right
	return g.look.Style(titleInk, titleGround, true).Render(g.look.Fit(g.look.Text(text), g.width))
}

// body returns the lines between title and messages: board and panel, and a dialog over them.
func (g *Game) body() []string {
	l := g.layout
	switch d := g.dialog.(type) {
	case *help:
		return g.page("Keys. The mouse does it too: click or drag, the wheel scrolls.", g.helpLines(), &d.top)
	case *form:
		return g.formLines(d)
	}
	board := g.boardLines()
	lines := make([]string, l.body.height)
	var panel []string
	if l.panel.width > 0 {
		panel = g.panelLines(l.panel)
	}
	for i := range lines {
		line := strings.Repeat(" ", l.board.width)
		if i < len(board) {
			line = board[i]
		}
		if l.panel.x > 0 {
			line += strings.Repeat(" ", l.panel.x-l.board.width) + panel[i]
		} else if j := i - l.board.height; j >= 0 && j < len(panel) {
			line = panel[j]
		}
		lines[i] = g.look.Fit(line, g.width)
	}
	if c, ok := g.dialog.(*choice); ok {
		g.overlay(lines, c)
	}
	return lines
}

// overlay draws a question over the panel. If the panel is missing or too small, it draws over the
// end of the body.
func (g *Game) overlay(lines []string, c *choice) {
	where := g.layout.panel
	if where.width == 0 || where.height < min(len(c.options), 3)+2 {
		n := min(len(lines), len(c.options)+2)
		where = rect{0, 1 + len(lines) - n, g.width, n}
	}
	width := where.width
	if where.x == 0 {
		width = g.width
	}
	box := []string{g.look.Style(markInk, "", true).Render(g.look.Fit(g.look.Text(c.title), width))}
	room := max(where.height-2, 1)
	first := max(0, min(c.at-room/2, len(c.options)-room))
	for i := first; i < min(len(c.options), first+room); i++ {
		mark, style := "  ", g.look.Style("", "", false)
		if i == c.at {
			mark, style = "> ", g.look.Style(titleInk, titleGround, true)
		}
		g.buttons = append(g.buttons, button{where.x, where.y + len(box), width, func(g *Game) tea.Cmd { return g.picked(c, i) }})
		box = append(box, style.Render(g.look.Fit(g.look.Text(fmt.Sprintf("%s%d %s", mark, i+1, c.options[i])), width)))
	}
	box = append(box, g.look.Style(dimInk, "", false).Render(g.look.Fit("number or enter; esc goes back", width)))
	for i := range where.height {
		at := where.y - 1 + i
		if at < 0 || at >= len(lines) {
			continue
		}
		text := strings.Repeat(" ", width)
		if i < len(box) {
			text = box[i]
		}
		if where.x > 0 {
			text = ansi.Truncate(lines[at], where.x, "") + text
		}
		lines[at] = g.look.Fit(text, g.width)
	}
}

// page fills the body with lines that can be scrolled.
func (g *Game) page(title string, text []string, top *int) []string {
	room := g.layout.body.height - 1
	*top = min(*top, max(0, len(text)-room))
	if len(text) > room {
		title += " Arrows scroll."
	}
	lines := []string{g.look.Style(markInk, "", true).Render(g.look.Fit(title, g.width))}
	for _, t := range text[*top:min(len(text), *top+room)] {
		lines = append(lines, g.look.Fit(t, g.width))
	}
	for len(lines) < g.layout.body.height {
		lines = append(lines, strings.Repeat(" ", g.width))
	}
	return lines
}

func (g *Game) helpLines() []string {
	var lines []string
	for _, c := range commands {
		name := fmt.Sprintf(" %-13s ", c.shown)
		for i, t := range Wrap(c.help, max(10, g.width-len(name))) {
			if i > 0 {
				name = strings.Repeat(" ", len(name))
			}
			lines = append(lines, name+t)
		}
	}
	s := g.look
	return append(lines, "",
		" On the board: "+s.Sign("( )", "( )")+" must capture   < > chosen   [ ] cursor",
		fmt.Sprintf(" %s next square   %s final square beyond   %s taken", s.Sign("•", "*"), "+", s.Sign("×", "x")),
		fmt.Sprintf(" %s last move from, to   %s man, king of White   %s of Black", s.Sign("‹ ›", "{ }"), g.sign(rules.WhiteMan)+" "+g.sign(rules.WhiteKing), g.sign(rules.BlackMan)+" "+g.sign(rules.BlackKing)))
}

func (g *Game) sign(p rules.Piece) string { return signs[g.look.Signs][p] }

func (g *Game) formLines(f *form) []string {
	text := []string{}
	for i, r := range f.rows {
		mark, style := "  ", g.look.Style("", "", false)
		if i == f.at {
			mark, style = "> ", g.look.Style(titleInk, titleGround, true)
		}
		row := fmt.Sprintf("%s%-10s < %s >  (%d of %d)", mark, r.name, r.values[r.at], r.at+1, len(r.values))
		g.buttons = append(g.buttons, button{0, 2 + len(text), g.width, func(*Game) tea.Cmd { f.at = i; f.turn(1); return nil }})
		text = append(text, style.Render(g.look.Fit(row, g.width)))
	}
	mark, style := "  ", g.look.Style("", "", true)
	if f.at == len(f.rows) {
		mark, style = "> ", g.look.Style(titleInk, titleGround, true)
	}
	g.buttons = append(g.buttons, button{0, 2 + len(text), g.width, func(*Game) tea.Cmd { return f.do() }})
	text = append(text, style.Render(g.look.Fit(mark+"[ "+f.button+" ]", g.width)), "",
		g.look.Style(dimInk, "", false).Render("  arrows choose, enter begins, esc goes back"))
	top := 0
	return g.page(f.title, text, &top)
}

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

// panelLines draws the panel beside or below the board: whose turn it is, the engine's thoughts,
// the moves.
func (g *Game) panelLines(r rect) []string {
	var text []string
	if r.x > 0 {
		text = append(text, g.pieces(r.width), "")
		for _, t := range Wrap(g.status(), r.width) {
			text = append(text, g.look.Style("", "", true).Render(t))
		}
		text = append(text, "")
	} else {
		text = append(text, g.look.Style("", "", true).Render(g.status())+"  "+g.pieces(r.width-len(g.status())-2))
	}
	thought := g.thoughtLines(r)
	room := r.height - len(text)
	if least := 3; r.x > 0 && len(thought)+least > room {
		thought = thought[:max(0, room-least)]
	} else if len(thought) > room-1 {
		thought = thought[:max(0, room-1)]
	}
	text = append(text, thought...)
	text = append(text, g.moveLines(r, len(text))...)
	for i := range text {
		text[i] = g.look.Fit(text[i], r.width)
	}
	for len(text) < r.height {
		text = append(text, strings.Repeat(" ", r.width))
	}
	return text[:r.height]
}

// pieces returns the numbers of pieces as text, in the given number of columns if possible.
func (g *Game) pieces(width int) string {
	p := g.game.Position()
	count := func(c rules.Color, man, king rules.Piece) string {
		s := fmt.Sprintf("%s %d", g.sign(man), p.Men(c).Len())
		if n := p.Kings(c).Len(); n > 0 {
			s += fmt.Sprintf(" %s %d", g.sign(king), n)
		}
		return s
	}
	white, black := count(rules.White, rules.WhiteMan, rules.WhiteKing), count(rules.Black, rules.BlackMan, rules.BlackKing)
	if words := "White " + white + "   Black " + black; ansi.StringWidth(words) <= width {
		return words
	}
	return white + "   " + black
}

// thoughtLines draws the engine's thought.
func (g *Game) thoughtLines(r rect) []string {
	state := ""
	if g.search != nil {
		state = map[purpose]string{toMove: "thinking", toMoveFor: "thinking", toHint: "thinking", toAnswer: "considers your offer", toAnalyse: "studies"}[g.search.purpose]
	}
	if state == "" && g.paused && !g.game.Over() {
		state = "waits: t lets it go on"
	}
	t := g.thought
	head := g.engine.Name()
	if state != "" {
		head += " " + state
	}
	if len(t.Lines) == 0 {
		if state == "" {
			return nil
		}
		return []string{g.look.Style(markInk, "", true).Render(g.look.Text(head)), ""}
	}
	spent := fmt.Sprintf("depth %d, %s nodes, %.1f s", t.Depth, thousands(t.Nodes), t.Elapsed.Seconds())
	if t.Book {
		spent = "from the book"
	}
	heading := g.look.Style(markInk, "", true)
	p := g.about
	most := 5
	var lines []string
	if r.x > 0 {
		lines = append(lines, heading.Render(g.look.Text(head)), g.look.Style(dimInk, "", false).Render(spent))
	} else {
		lines = append(lines, heading.Render(g.look.Text(head))+"  "+g.look.Style(dimInk, "", false).Render(spent))
		most = 2
	}
	lines = append(lines, g.bar(r.width)...)
	if r.x > 0 {
		head := fmt.Sprintf("%-9s %6s", capital(p.Turn.String())+":", "expects")
		if t.Lines[0].Visits > 0 {
			head += fmt.Sprintf(" %8s", "visits")
		}
		lines = append(lines, g.look.Style(dimInk, "", false).Render(head))
	}
	for i, l := range t.Lines {
		if i == most || len(l.PV) == 0 {
			break
		}
		text := fmt.Sprintf(" %-9s", notation.FormatMove(g.v, p, l.PV[0]))
		if !math.IsNaN(l.Value) {
			text += fmt.Sprintf(" %4.0f %%", 100*l.Value)
		}
		if l.Visits > 0 {
			text += fmt.Sprintf(" %8s", thousands(l.Visits))
		}
		lines = append(lines, text)
	}
	if t.Verdict != "" && len(t.Lines[0].PV) > 0 {
		move := notation.FormatMove(g.v, p, t.Lines[0].PV[0])
		lines = append(lines, Wrap("tables: "+move+" "+t.Verdict, r.width)...)
	}
	var pv []string
	q := p
	for _, m := range t.Lines[0].PV {
		pv = append(pv, notation.FormatMove(g.v, q, m))
		q = g.v.Play(q, m)
	}
	rows := Wrap("line "+strings.Join(pv, " "), r.width)
	most = 3
	if r.x == 0 {
		most = 1
	}
	for _, row := range rows[:min(len(rows), most)] {
		lines = append(lines, g.look.Style(dimInk, "", false).Render(row))
	}
	if r.x > 0 {
		lines = append(lines, "")
	}
	return lines
}

// bar draws win, draw and loss for White, or only the expected score if nothing else is known.
func (g *Game) bar(width int) []string {
	w := g.thought.WDL
	score := g.thought.Score
	if g.about.Turn == rules.Black {
		w, score = w.Flip(), 1-score
	}
	known := w != rules.WDL{}
	if !known {
		w = rules.WDL{Win: float32(score), Loss: float32(1 - score)}
	}
	n := min(width, 40)
	win := int(math.Round(float64(w.Win) * float64(n)))
	loss := min(n-win, int(math.Round(float64(w.Loss)*float64(n))))
	draw := n - win - loss
	bar := g.look.Style(whiteChip, blackChip, false).Render(strings.Repeat(g.look.Sign("█", "#"), win)) +
		g.look.Style("250", blackChip, false).Render(strings.Repeat(g.look.Sign("▒", "="), draw)) +
		g.look.Style("240", blackChip, false).Render(strings.Repeat(g.look.Sign("░", "."), loss))
	words := fmt.Sprintf("White %.0f %%  draw %.0f %%  Black %.0f %%", 100*w.Win, 100*w.Draw, 100*w.Loss)
	if !known {
		words = fmt.Sprintf("White expects %.0f %%", 100*score)
	}
	if width < ansi.StringWidth(words) {
		words = fmt.Sprintf("W %.0f  d %.0f  B %.0f %%", 100*w.Win, 100*w.Draw, 100*w.Loss)
	}
	return []string{bar, words}
}

// moveLines draws the list of moves, its end unless it is scrolled. Moves that were taken back are
// in brackets. used is the number of lines of the panel above it.
func (g *Game) moveLines(r rect, used int) []string {
	room := r.height - used
	moves := append([]rules.Move(nil), g.game.Moves()...)
	played := len(moves)
	for _, m := range slices.Backward(g.redo) {
		moves = append(moves, m)
	}
	if len(moves) == 0 || room < 1 {
		return nil
	}
	type part struct {
		text  string
		ply   int // after it
		width int
	}
	var parts []part
	p := g.game.Start()
	for i, m := range moves {
		text := notation.FormatMove(g.v, p, m)
		if i >= played {
			text = "(" + text + ")"
		} else if i == played-1 && len(g.redo) > 0 {
			text = "[" + text + "]"
		}
		if p.Turn == g.v.First {
			text = fmt.Sprintf("%d. %s", g.number(i), text)
		} else if i == 0 {
			text = fmt.Sprintf("%d... %s", g.number(i), text)
		}
		parts = append(parts, part{text, i + 1, len(text)})
		p = g.v.Play(p, m)
	}
	// Beside the board each pair of moves has its own line; below the board lines are filled.
	var rows [][]part
	width := 0
	for i, q := range parts {
		pair := r.x > 0 && strings.Contains(q.text, ". ")
		if i == 0 || pair || width+q.width+1 > r.width {
			rows, width = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], q)
		width += q.width + 1
	}
	// Keep the present move visible.
	end := len(rows)
	for i, row := range rows {
		if row[0].ply <= max(played, 1) {
			end = min(len(rows), max(i+1+room/3, room))
		}
	}
	g.scroll = min(g.scroll, max(0, end-room))
	end -= g.scroll
	first := max(0, end-room)
	var lines []string
	for _, row := range rows[first:end] {
		line, x := "", 0
		for _, q := range row {
			style := g.look.Style("", "", false)
			if q.ply == played {
				style = g.look.Style(titleInk, titleGround, true)
			}
			g.buttons = append(g.buttons, button{r.x + x, r.y + used + len(lines), q.width, func(g *Game) tea.Cmd { return g.seek(q.ply) }})
			line += style.Render(q.text) + " "
			x += q.width + 1
		}
		lines = append(lines, line)
	}
	return lines
}

// messageLines draws the message, or the line being typed.
func (g *Game) messageLines() []string {
	lines := make([]string, 0, messageLines)
	if p, ok := g.dialog.(*prompt); ok {
		lines = append(lines, g.promptLine(p), g.look.Style(dimInk, "", false).Render(g.look.Fit(prompts[p.kind].hint, g.width)))
		return lines
	}
	text := g.message
	if g.layout.panel.width == 0 {
		text = strings.TrimSpace(g.status() + " " + text)
	} else if text == "" && !g.game.Over() && g.mine() && !g.busy() {
		if text = ""; g.keys {
			text = g.underCursor()
		}
	} else if g.game.Over() && text == "" {
		text = g.status() + " g begins another, u goes back."
	}
	style := g.look.Style("", "", false)
	if g.alarm {
		style = g.look.Style(alarmInk, "", true)
	}
	rows := Wrap(g.look.Text(text), g.width)
	if len(rows) > messageLines {
		rows[messageLines-1] += " " + strings.Join(rows[messageLines:], " ") // Fit cuts it
		rows = rows[:messageLines]
	}
	for _, row := range rows {
		lines = append(lines, style.Render(g.look.Fit(row, g.width)))
	}
	for len(lines) < messageLines {
		lines = append(lines, strings.Repeat(" ", g.width))
	}
	return lines
}

// underCursor describes the cursor's square.
func (g *Game) underCursor() string {
	s := g.cursor
	name := g.v.SquareName(s)
	next, final := g.entry.targets()
	switch {
	case len(g.entry.walked) > 0 && (slices.Contains(next, s) || slices.Contains(final, s)):
		return fmt.Sprintf("%s to %s?", g.v.SquareName(g.entry.walked[len(g.entry.walked)-1]), name)
	case len(g.entry.walked) > 0:
		return fmt.Sprintf("From %s to %s.", g.v.SquareName(g.entry.walked[len(g.entry.walked)-1]), g.names(append(next, final...)))
	}
	piece := [...]string{"empty", "white man", "white king", "black man", "black king"}[g.v.Piece(g.game.Position(), s)]
	if slices.Contains(g.entry.movers(), s) {
		if must := notation.Obligation(g.game.Legal()); must != "" {
			return fmt.Sprintf("%s: %s, %s.", name, piece, must)
		}
		return fmt.Sprintf("%s: %s, can move.", name, piece)
	}
	return fmt.Sprintf("%s: %s.", name, piece)
}

// promptLine draws the line being typed, so that the cursor is visible.
func (g *Game) promptLine(p *prompt) string {
	label := prompts[p.kind].label
	room := max(5, g.width-ansi.StringWidth(label)-1)
	text := []rune(g.look.Text(string(p.text)))
	at := min(p.at, len(text))
	first := max(0, at-room+1)
	text, at = text[first:], at-first
	text = text[:min(len(text), room)]
	under := " "
	rest := ""
	if at < len(text) {
		under, rest = string(text[at]), string(text[at+1:])
	}
	cursor := g.look.Style(blackInk, whiteChip, false).Render(under)
	if !g.look.Colored() {
		cursor = "_"
		if under != " " {
			cursor = "_" + under
		}
	}
	return g.look.Fit(g.look.Style(markInk, "", true).Render(label)+string(text[:at])+cursor+rest, g.width)
}

// keyLine draws the keys and their actions, each as a button.
func (g *Game) keyLine() string {
	line, x := "", 0
	// Help and quit are always shown.
	shown := slices.DeleteFunc(slices.Clone(commands), func(c command) bool { return c.short == "" })
	last := shown[len(shown)-2:]
	room := g.width
	for _, c := range last {
		room -= len(c.keys[0]) + len(c.short) + 3
	}
	add := func(c command) {
		key := c.keys[0]
		text := g.look.Style(markInk, "", true).Render(key) + " " + g.look.Style(dimInk, "", false).Render(c.short) + "  "
		width := len(key) + 1 + len(c.short)
		g.buttons = append(g.buttons, button{x, g.height - 1, width, c.do})
		line += text
		x += width + 2
	}
	for _, c := range shown[:len(shown)-2] {
		if x+len(c.keys[0])+len(c.short)+3 <= room {
			add(c)
		}
	}
	for _, c := range last {
		add(c)
	}
	return g.look.Fit(line, g.width)
}

// thousands formats a number with groups of three digits.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
