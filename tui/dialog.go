package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"damier/notation"
	"damier/rules"
)

// dialog is shown in front of the board and gets the keys.
type dialog interface {
	key(g *Game, k tea.KeyMsg) tea.Cmd
}

// scroller is a dialog that the mouse wheel scrolls.
type scroller interface{ scroll(down int) }

// choice is a question with a few answers.
type choice struct {
	title   string
	options []string
	at      int
	pick    func(i int) tea.Cmd
	moves   []option // whose captures the board shows; nil for other questions
}

func (c *choice) key(g *Game, k tea.KeyMsg) tea.Cmd {
	switch name := k.String(); name {
	case "up", "k", "left", "shift+tab", "p":
		c.scroll(-1)
	case "down", "j", "right", "tab", "n":
		c.scroll(1)
	case "enter", " ":
		return g.picked(c, c.at)
	case "esc", "q", "backspace":
		g.dialog = nil
	default:
		if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(c.options) {
			return g.picked(c, i-1)
		}
	}
	return nil
}

func (c *choice) scroll(down int) { c.at = (c.at + down + len(c.options)) % len(c.options) }

func (g *Game) picked(c *choice, i int) tea.Cmd {
	g.dialog = nil
	return c.pick(i)
}

// confirm asks before an action that cannot be undone.
func (g *Game) confirm(question, yes string, do func() tea.Cmd) {
	g.dialog = &choice{title: question, options: []string{yes, "No, play on"}, pick: func(i int) tea.Cmd {
		if i == 0 {
			return do()
		}
		return nil
	}}
}

// help is the list of the keys.
type help struct{ top int }

func (h *help) key(g *Game, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "up", "k":
		h.scroll(-1)
	case "down", "j":
		h.scroll(1)
	case "pgup":
		h.scroll(-10)
	case "pgdown", " ":
		h.scroll(10)
	case "home":
		h.top = 0
	default:
		g.dialog = nil
	}
	return nil
}

func (h *help) scroll(down int) { h.top = max(0, h.top+down) }

// form is a list of settings, each with several values, and a last line that starts the action.
type form struct {
	title  string
	rows   []formRow
	at     int // index of the present line; len(rows) is the last one
	button string
	do     func() tea.Cmd
}

type formRow struct {
	name   string
	values []string
	at     int
}

func (f *form) key(g *Game, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "up", "k", "shift+tab":
		f.scroll(-1)
	case "down", "j", "tab":
		f.scroll(1)
	case "left", "-":
		f.turn(-1)
	case "right", "+":
		f.turn(1)
	case " ":
		if f.at < len(f.rows) {
			f.turn(1)
			return nil
		}
		return f.do()
	case "enter":
		return f.do()
	case "esc", "q":
		g.dialog = nil
	}
	return nil
}

func (f *form) scroll(down int) { f.at = (f.at + down + len(f.rows) + 1) % (len(f.rows) + 1) }

func (f *form) turn(by int) {
	if f.at < len(f.rows) {
		r := &f.rows[f.at]
		r.at = (r.at + by + len(r.values)) % len(r.values)
	}
}

// another asks which game to begin.
func (g *Game) another() tea.Cmd {
	variants := []string{g.title}
	if g.cfg.Open != nil {
		for _, name := range rules.Names() {
			if name != g.title {
				variants = append(variants, name)
			}
		}
	}
	sides := []People{{rules.White: true}, {rules.Black: true}, {true, true}, {}}
	names := make([]string, len(sides))
	for i, p := range sides {
		names[i] = p.String()
	}
	f := &form{
		title: "A new game", button: "Begin",
		rows: []formRow{
			{name: "variant", values: variants},
			{name: "you play", values: names, at: slices.Index(sides, g.people)},
		},
	}
	f.do = func() tea.Cmd {
		g.dialog = nil
		people := sides[f.rows[1].at]
		if f.rows[0].at == 0 {
			g.seat(people)
			g.say("")
			return g.restart(rules.NewGame(g.v))
		}
		return g.change(variants[f.rows[0].at], people)
	}
	g.dialog = f
	return nil
}

// seat gives the person a side, and turns the board accordingly.
func (g *Game) seat(p People) {
	if p != g.people {
		g.people, g.flipped = p, p == People{rules.Black: true}
	}
}

// change begins a game of another variant.
func (g *Game) change(name string, people People) tea.Cmd {
	v, err := rules.Lookup(name, nil)
	if err != nil {
		g.refuse("%v", err)
		return nil
	}
	engine, note, err := g.cfg.Open(v)
	if err != nil {
		g.refuse("%s: %v", name, err)
		return nil
	}
	g.stop()
	if err := g.leave(); err != nil {
		g.refuse("%v", err)
		return nil
	}
	g.saved = g.record() // the old game is written and needs no second time
	g.v, g.title, g.engine = v, name, newEngineLock(engine)
	g.seat(people)
	g.say("%s", note)
	cmd := g.restart(rules.NewGame(v))
	g.arrange()
	return cmd
}

// promptKind is what a line of text is asked for.
type promptKind uint8

const (
	promptMove promptKind = iota
	promptSave
	promptOpen
	promptFEN
)

var prompts = [...]struct{ label, hint string }{
	promptMove: {"move: ", "enter plays it, esc goes back"},
	promptSave: {"add the game to the PDN file: ", "enter saves, esc goes back"},
	promptOpen: {"open the PDN file: ", "enter reads it, esc goes back"},
	promptFEN:  {"FEN: ", "the position; change or paste, enter sets it up, esc goes back, ctrl-u clears"},
}

// promptLimit is the largest number of characters that can be typed or pasted.
const promptLimit = 4000

// prompt asks for a line of text.
type prompt struct {
	kind promptKind
	text []rune
	at   int // position of the cursor
	was  string
}

func (g *Game) prompt(kind promptKind, text string) {
	p := &prompt{kind: kind, was: text}
	p.insert([]rune(text))
	g.dialog = p
}

// promptFile asks for a file.
func (g *Game) promptFile(kind promptKind, files bool) {
	if !files {
		g.refuse("there are no files here.")
		return
	}
	g.prompt(kind, g.cfg.PDN)
}

func (p *prompt) insert(text []rune) {
	for _, r := range text {
		if r == '\n' || r == '\t' {
			r = ' '
		}
		if r >= ' ' && r != 0x7f && len(p.text) < promptLimit {
			p.text = slices.Insert(p.text, p.at, r)
			p.at++
		}
	}
}

func (p *prompt) key(g *Game, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		g.dialog = nil
		return g.prompted(p)
	case "esc":
		g.dialog = nil
	case "backspace":
		if p.at == 0 && len(p.text) == 0 {
			g.dialog = nil
		} else if p.at > 0 {
			p.at--
			p.text = slices.Delete(p.text, p.at, p.at+1)
		}
	case "delete", "ctrl+d":
		if p.at < len(p.text) {
			p.text = slices.Delete(p.text, p.at, p.at+1)
		}
	case "left", "ctrl+b":
		p.at = max(0, p.at-1)
	case "right", "ctrl+f":
		p.at = min(len(p.text), p.at+1)
	case "home", "ctrl+a":
		p.at = 0
	case "end", "ctrl+e":
		p.at = len(p.text)
	case "ctrl+u":
		p.text, p.at = nil, 0
	default:
		if k.Type == tea.KeyRunes || k.Type == tea.KeySpace {
			p.insert(k.Runes)
		}
	}
	return nil
}

// prompted handles the line.
func (g *Game) prompted(p *prompt) tea.Cmd {
	text := strings.TrimSpace(string(p.text))
	switch {
	case p.kind == promptMove:
		return g.typed(text)
	case text == "":
	case p.kind == promptSave:
		if err := g.cfg.Save(text, g.written()); err != nil {
			g.refuse("%v", err)
			return nil
		}
		g.say("Saved to %s.", text)
		if text == g.cfg.PDN {
			g.saved = g.record()
		}
	case p.kind == promptOpen:
		return g.open(text)
	case text != p.was:
		position, err := rules.ParseFEN(g.v, strings.Trim(text, `"`))
		if err != nil {
			g.refuse("%v", err)
			return nil
		}
		g.say("Set up.")
		return g.restart(rules.NewGameFrom(g.v, position))
	}
	return nil
}

// open continues a game of a file. If there are several, it asks which one.
func (g *Game) open(file string) tea.Cmd {
	games, err := g.cfg.Load(g.v, file)
	switch {
	case err != nil && len(games) == 0:
		g.refuse("%v", err)
		return nil
	case len(games) == 0:
		g.refuse("%s: there is no game in it.", file)
		return nil
	case len(games) == 1 && err == nil:
		return g.take(file, games[0])
	case len(games) == 1:
		cmd := g.take(file, games[0])
		g.say("%v", err)
		return cmd
	case err != nil:
		g.say("%v", err)
	}
	const most = 100 // the last ones only
	games = games[max(0, len(games)-most):]
	slices.Reverse(games)
	texts := make([]string, len(games))
	for i, game := range games {
		texts[i] = fmt.Sprintf("%s - %s  %s  %d plies  %s", game.Tags.Get("White"), game.Tags.Get("Black"), game.Result.Text(g.v), game.Ply(), game.Tags.Get("Date"))
	}
	g.dialog = &choice{title: "Which game? The last is first.", options: texts, pick: func(i int) tea.Cmd { return g.take(file, games[i]) }}
	return nil
}

func (g *Game) take(file string, game *notation.Game) tea.Cmd {
	g.say("From %s, after %d plies.", file, game.Ply())
	cmd := g.restart(game.Game)
	if g.game == game.Game { // otherwise the old game could not be written
		g.saved = g.record()
	}
	return cmd
}
