package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"damier/notation"
	"damier/rules"
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
