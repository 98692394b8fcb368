package tui

import (
	"slices"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"damier/rules"
)

// command is the action of a key.
type command struct {
	keys  []string // as Bubble Tea names them
	shown string   // name in the help
	short string   // text in the bottom line; "" if it is not shown there
	help  string
	do    func(*Game) tea.Cmd
}

// commands are all keys at the board, in the order of the help.
var commands []command

func init() { // not an initial value, because the help refers to commands
	commands = []command{
		{[]string{"up", "down", "left", "right", "k", "j"}, "arrows", "", "go over the board", nil},
		{[]string{"tab", "n"}, "tab n", "", "to the next piece that can move, or the next square it can go to", (*Game).next},
		{[]string{"shift+tab", "p"}, "shift-tab p", "", "to the one before", (*Game).previous},
		{[]string{"enter", " "}, "enter space", "choose", "choose a piece, then where it goes: leg by leg or the final square", (*Game).accept},
		{[]string{"esc"}, "esc", "", "take a leg back, let the piece go, stop the engine", (*Game).escape},
		{[]string{":", "m"}, "digits : m", "type", "type a move, in any form: 32-28, 19x30, c3:e5", (*Game).typeMove},
		{[]string{"u", "backspace"}, "u", "undo", "take back your last move and the answer to it", (*Game).undo},
		{[]string{"y", "ctrl+r"}, "y", "redo", "make it again", (*Game).again},
		{[]string{"[", "home"}, "[ home", "", "to the beginning of the game", func(g *Game) tea.Cmd { return g.seek(0) }},
		{[]string{"]", "end"}, "] end", "", "to its end", func(g *Game) tea.Cmd { return g.seek(g.game.Ply() + len(g.redo)) }},
		{[]string{"pgup", "pgdown"}, "pgup pgdn", "", "scroll the list of moves", nil},
		{[]string{"h"}, "h", "hint", "what the engine would play", (*Game).hint},
		{[]string{"a"}, "a", "analyse", "let the engine study your positions while you think, or no longer", (*Game).analyse},
		{[]string{"t"}, "t", "", "let the engine make this move; while it thinks: move at once", (*Game).takeTurn},
		{[]string{"+", "=", "-"}, "+ -", "", "make the engine stronger, weaker", nil},
		{[]string{"f"}, "f", "flip", "turn the board round", (*Game).flip},
		{[]string{"v"}, "v", "", "other signs for the pieces: circles, Unicode's draughts, letters", (*Game).nextSigns},
		{[]string{"d"}, "d", "draw", "offer a draw, or accept one", (*Game).offer},
		{[]string{"r"}, "r", "resign", "give up", (*Game).resign},
		{[]string{"g"}, "g", "new", "another game: variant, sides", (*Game).another},
		{[]string{"s"}, "s", "save", "add the game to a PDN file", (*Game).savePDN},
		{[]string{"o"}, "o", "open", "go on with a game of a PDN file", (*Game).openPDN},
		{[]string{"e"}, "e", "fen", "show the position as FEN, or set up another", (*Game).fen},
		{[]string{"ctrl+z"}, "ctrl-z", "", "back to the shell for a while", func(*Game) tea.Cmd { return tea.Suspend }},
		{[]string{"?"}, "?", "help", "this list", func(g *Game) tea.Cmd { g.dialog = &help{}; return nil }},
		{[]string{"q"}, "q ctrl-c", "quit", "leave", (*Game).mayQuit},
	}
}

// key handles a key, or several that came at once.
func (g *Game) key(k tea.KeyMsg) tea.Cmd {
	if k.Type == tea.KeyRunes && len(k.Runes) > 1 && !k.Paste {
		var all []tea.Cmd
		for _, r := range k.Runes {
			all = append(all, g.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
		}
		return tea.Batch(all...)
	}
	if k.String() == "ctrl+c" {
		return Interrupted
	}
	if g.layout.none {
		if k.String() == "q" {
			return tea.Quit
		}
		return nil
	}
	if g.dialog != nil {
		return g.dialog.key(g, k)
	}
	if k.Paste {
		g.prompt(promptMove, g.look.Text(string(k.Runes)))
		return nil
	}
	g.keys = true
	switch name := k.String(); name {
	case "up", "k":
		g.step(-1, 0)
	case "down", "j":
		g.step(1, 0)
	case "left":
		g.step(0, -1)
	case "right":
		g.step(0, 1)
	case "pgup", "pgdown":
		g.scrollMoves(map[string]int{"pgup": 5, "pgdown": -5}[name])
	case "+", "=", "-":
		return g.strength(name != "-")
	default:
		for _, c := range commands {
			if c.do != nil && slices.Contains(c.keys, name) {
				return c.do(g)
			}
		}
		if k.Type == tea.KeyRunes && len(k.Runes) == 1 && unicode.IsDigit(k.Runes[0]) {
			g.prompt(promptMove, string(k.Runes))
		}
	}
	return nil
}

// step moves the cursor to the next playing square in a direction of the screen, diagonally if
// there is none straight on.
func (g *Game) step(down, right int) {
	b := g.v.Board
	if g.flipped {
		down, right = -down, -right
	}
	row, column := b.Row(g.cursor)+down, b.Column(g.cursor)+right
	for row >= 0 && row < b.Rows && column >= 0 && column < b.Columns {
		if s := b.At(row, column); s != rules.NoSquare {
			g.cursor = s
			return
		}
		if down == 0 {
			column += right
			continue
		}
		// On a diagonal board the square straight on is no playing square: take its neighbour on
		// the side nearer the middle.
		side := 1
		if 2*column >= b.Columns {
			side = -1
		}
		g.cursor = b.At(row, column+side)
		return
	}
}

// next and previous move through the pieces that can move, or the squares to which the chosen
// piece can go.
func (g *Game) next() tea.Cmd     { g.jump(1); return nil }
func (g *Game) previous() tea.Cmd { g.jump(-1); return nil }

func (g *Game) jump(by int) {
	stops := g.entry.movers()
	if next, final := g.entry.targets(); len(next) > 0 {
		stops = append(next, final...)
		slices.Sort(stops)
	}
	if len(stops) == 0 {
		return
	}
	i, found := slices.BinarySearch(stops, g.cursor)
	switch {
	case found:
		i += by
	case by < 0:
		i--
	}
	g.cursor = stops[(i+len(stops))%len(stops)]
}

func (g *Game) accept() tea.Cmd { return g.choose(g.cursor) }

func (g *Game) escape() tea.Cmd {
	switch {
	case g.entry.back():
		g.say("")
	case g.busy() && g.search.purpose == toMove:
		g.stop()
		g.paused = true
		g.say("Stopped; t lets %s go on.", g.engine.Name())
	case g.search != nil:
		g.stop()
		g.analysis = false
		g.say("Stopped.")
	default:
		g.say("")
	}
	return nil
}

func (g *Game) typeMove() tea.Cmd { g.prompt(promptMove, ""); return nil }
func (g *Game) savePDN() tea.Cmd  { g.promptFile(promptSave, g.cfg.Save != nil); return nil }
func (g *Game) openPDN() tea.Cmd  { g.promptFile(promptOpen, g.cfg.Load != nil); return nil }
func (g *Game) fen() tea.Cmd      { g.prompt(promptFEN, g.v.FEN(g.game.Position())); return nil }
func (g *Game) flip() tea.Cmd     { g.flipped = !g.flipped; return nil }

func (g *Game) nextSigns() tea.Cmd {
	switch {
	case g.look.ASCII:
		g.refuse("this terminal shows letters only (no UTF-8 locale, or --ascii).")
	default:
		g.look.Signs = (g.look.Signs + 1) % Signs(len(signs))
	}
	return nil
}

func (g *Game) hint() tea.Cmd {
	if g.mayNotMove() {
		return nil
	}
	g.say("%s is thinking.", g.engine.Name())
	return g.begin(toHint)
}

func (g *Game) analyse() tea.Cmd {
	g.analysis = !g.analysis
	switch {
	case g.analysis && !g.game.Over() && g.mine():
		g.say("%s studies your positions; a stops it.", g.engine.Name())
		return g.begin(toAnalyse)
	case g.analysis:
		g.say("%s will study your positions.", g.engine.Name())
	default:
		if g.search != nil && g.search.purpose == toAnalyse {
			g.stop()
		}
		g.say("No analysis.")
	}
	return nil
}

func (g *Game) takeTurn() tea.Cmd {
	switch {
	case g.game.Over():
		g.refuse("%s", g.status())
		return nil
	case g.busy():
		g.search.cancel() // it plays the best move so far
		return nil
	case g.mine():
		g.say("%s makes your move.", g.engine.Name())
		return g.begin(toMoveFor)
	}
	g.paused = false
	g.say("")
	return g.begin(toMove)
}

func (g *Game) strength(up bool) tea.Cmd {
	again := g.search != nil && g.search.purpose == toAnalyse
	if g.search != nil && !again {
		g.refuse("%s is thinking.", g.engine.Name())
		return nil
	}
	g.stop()
	var err error
	g.engine.alone(func() { err = g.engine.Step(up) })
	if err != nil {
		g.refuse("%v.", err)
	} else {
		g.say("%s: %s a move.", g.engine.Name(), g.engine.Strength())
	}
	if again {
		return g.begin(toAnalyse)
	}
	return nil
}

func (g *Game) offer() tea.Cmd {
	switch {
	case g.game.Over():
		g.refuse("%s", g.status())
	case g.offered:
		g.say("You accept the draw.")
		g.end(rules.Draw, rules.Agreement)
	case g.people == People{true, true}:
		g.confirm("Do both agree to a draw?", "Yes, a draw", func() tea.Cmd {
			g.end(rules.Draw, rules.Agreement)
			return nil
		})
	case g.mayNotMove():
	default:
		g.say("You offer a draw; %s is thinking.", g.engine.Name())
		return g.begin(toAnswer)
	}
	return nil
}

func (g *Game) resign() tea.Cmd {
	if g.game.Over() {
		g.refuse("%s", g.status())
		return nil
	}
	loser := g.game.Position().Turn
	switch g.people {
	case People{rules.White: true}:
		loser = rules.White
	case People{rules.Black: true}:
		loser = rules.Black
	}
	g.confirm("Does "+loser.String()+" give up?", "Yes, resign", func() tea.Cmd {
		g.end(rules.Win(loser.Opponent()), rules.Resignation)
		g.say("")
		return nil
	})
	return nil
}

func (g *Game) mayQuit() tea.Cmd {
	if g.game.Over() || g.game.Ply() == 0 || g.cfg.PDN != "" || g.cfg.Save == nil {
		return tea.Quit
	}
	g.confirm("Leave this game?", "Yes, leave it", func() tea.Cmd { return tea.Quit })
	return nil
}

// mouse handles a mouse event.
func (g *Game) mouse(m tea.MouseMsg) tea.Cmd {
	if g.layout.none {
		return nil
	}
	if m.Button == tea.MouseButtonWheelUp || m.Button == tea.MouseButtonWheelDown {
		by := 1
		if m.Button == tea.MouseButtonWheelDown {
			by = -1
		}
		if d, ok := g.dialog.(scroller); ok {
			d.scroll(-by)
		} else if g.dialog == nil {
			g.scrollMoves(by)
		}
		return nil
	}
	if m.Action == tea.MouseActionPress && m.Button == tea.MouseButtonLeft {
		for _, b := range slices.Backward(g.buttons) { // those drawn last are in front
			if m.Y == b.y && m.X >= b.x && m.X < b.x+b.width {
				return b.do(g)
			}
		}
	}
	if g.dialog != nil {
		return nil
	}
	g.keys = false
	s := g.layout.squareAt(g.v.Board, g.flipped, m.X, m.Y)
	switch {
	case m.Action == tea.MouseActionPress && m.Button == tea.MouseButtonLeft:
		if s == rules.NoSquare {
			return nil
		}
		cmd := g.choose(s)
		g.pressed = rules.NoSquare
		if n := len(g.entry.walked); n > 0 && g.entry.walked[n-1] == s {
			g.pressed = s
		}
		return cmd
	case m.Action == tea.MouseActionRelease:
		from := g.pressed
		g.pressed = rules.NoSquare
		// Released on another square: the piece was dragged. A drag off the board puts it back.
		if from == rules.NoSquare || s == from || g.dialog != nil || len(g.entry.walked) == 0 {
			return nil
		}
		if s == rules.NoSquare {
			g.entry.back()
			return nil
		}
		return g.choose(s)
	}
	return nil
}

// scrollMoves scrolls the list of moves back by the given number of lines.
func (g *Game) scrollMoves(by int) { g.scroll = max(0, g.scroll+by) }
