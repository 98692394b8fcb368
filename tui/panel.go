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

// bar draws White's expected score.
func (g *Game) bar(width int) []string {
	score := g.thought.Score
	if g.about.Turn == rules.Black {
		score = 1 - score
	}
	n := min(width, 40)
	white := int(math.Round(score * float64(n)))
	bar := g.look.Style(whiteChip, blackChip, false).Render(strings.Repeat(g.look.Sign("█", "#"), white)) +
		g.look.Style("240", blackChip, false).Render(strings.Repeat(g.look.Sign("░", "."), n-white))
	return []string{bar, fmt.Sprintf("White expects %.0f %%", 100*score)}
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
