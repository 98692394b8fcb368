package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"damier/notation"
	"damier/rules"
)

// People says which sides are played by a person, by colour.
type People [2]bool

// String describes the sides that a person plays.
func (p People) String() string {
	switch p {
	case People{true, true}:
		return "both sides"
	case People{true, false}:
		return "white"
	case People{false, true}:
		return "black"
	}
	return "neither side"
}

// Config holds the settings of a game. Game and Engine must be set.
type Config struct {
	Game   *rules.Game
	Title  string // the variant and its options
	People People
	Engine Engine
	Note   string // shown at the beginning

	// Open makes the engine of another variant, for the dialog of a new game; it also returns a
	// note. If it is nil, the variant cannot be changed.
	Open func(*rules.Variant) (Engine, string, error)

	// Save adds a game to a file, and Load reads all games of a file. If they are nil there are no
	// files.
	Save func(file string, g *notation.Game) error
	Load func(v *rules.Variant, file string) ([]*notation.Game, error)

	PDN     string        // file to which games are added when they are left; "" for none
	Flipped bool          // Black at the bottom
	Pace    time.Duration // shortest time for a move if the engine plays both sides
	Look    Look
	Date    string // date of the games in the form of PDN: "2006.01.02"; "" for none
}

// Game is a game on the screen. Make it with [New].
type Game struct {
	cfg    Config
	look   Look
	v      *rules.Variant
	title  string
	engine *engineLock
	game   *rules.Game
	redo   []rules.Move // moves taken back, the next one last
	people People

	search   *search        // in progress; nil for none
	thought  Thought        // the latest one
	about    rules.Position // the position of the thought
	analysis bool           // the engine analyses the person's positions
	paused   bool           // the engine waits until it is told to continue
	offered  bool           // the engine has offered a draw, valid until the next move

	entry  entry
	cursor rules.Square
	keys   bool // the cursor is shown, because the last input at the board was a key
	// The square where the mouse button was pressed; NoSquare if it is not pressed.
	pressed rules.Square
	flipped bool
	message string
	alarm   bool // the message says that something cannot be done
	dialog  dialog
	scroll  int // of the list of moves: lines up from its end

	width, height int
	layout        layout
	buttons       []button

	saved    string // record() of the game when it was last written to cfg.PDN, "" for never
	declared ending // an end declared by the players, if any
}

// ending is an end declared by the players, a resignation or an agreed draw; the zero value means
// none.
type ending struct {
	outcome rules.Outcome
	reason  rules.Reason
}

// endingOf returns the end of a game that the players declared.
func endingOf(game *rules.Game) ending {
	if o, r := game.Outcome(); r == rules.Resignation || r == rules.Agreement {
		return ending{o, r}
	}
	return ending{}
}

// New returns a game on the screen.
func New(c Config) *Game {
	g := &Game{
		cfg: c, look: c.Look, v: c.Game.Variant(), title: c.Title, engine: newEngineLock(c.Engine), people: c.People,
		flipped: c.Flipped, message: c.Note, keys: true,
	}
	g.set(c.Game)
	return g
}

// set puts a game on the board.
func (g *Game) set(game *rules.Game) {
	g.game, g.redo, g.declared = game, nil, endingOf(game)
	g.cursor = rules.NoSquare
	g.thought = Thought{}
	g.turned()
	if g.cursor == rules.NoSquare {
		g.cursor = 1
		if movers := g.entry.movers(); len(movers) > 0 {
			g.cursor = movers[len(movers)/2]
		}
	}
}

// turned begins the entry of the next move, and clears what belonged to the last position.
func (g *Game) turned() {
	p := g.game.Position()
	g.entry = newEntry(g.v, p, nil)
	if !g.game.Over() {
		g.entry = newEntry(g.v, p, g.game.Legal())
	}
	g.offered, g.scroll, g.pressed = false, 0, rules.NoSquare
}

// Init is part of tea.Model.
func (g *Game) Init() tea.Cmd { return g.goOn() }

// goOn begins the search for the position: the engine's move, or an analysis.
func (g *Game) goOn() tea.Cmd {
	switch {
	case g.game.Over():
	case !g.mine():
		if !g.paused {
			return g.begin(toMove)
		}
	case g.analysis:
		return g.begin(toAnalyse)
	}
	return nil
}

// mine reports whether it is a person's turn.
func (g *Game) mine() bool { return g.people[g.game.Position().Turn] }

// busy reports whether the engine is thinking about a move.
func (g *Game) busy() bool {
	return g.search != nil && (g.search.purpose == toMove || g.search.purpose == toMoveFor)
}

// say shows a message; refuse shows a message that something cannot be done.
func (g *Game) say(format string, args ...any) {
	g.message, g.alarm = fmt.Sprintf(format, args...), false
}

func (g *Game) refuse(format string, args ...any) {
	g.message, g.alarm = capital(fmt.Sprintf(format, args...)), true
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Update is part of tea.Model.
func (g *Game) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		g.width, g.height = msg.Width, msg.Height
		g.arrange()
	case tea.KeyMsg:
		return g, g.key(msg)
	case tea.MouseMsg:
		return g, g.mouse(msg)
	case thoughtMsg:
		if msg.s != g.search {
			return g, nil
		}
		g.heard(msg.t)
		return g, msg.s.hear
	case endMsg:
		if msg.s == g.search {
			g.search = nil
			return g, g.ended(msg)
		}
	}
	return g, nil
}

// heard stores a report of the search.
func (g *Game) heard(t Thought) {
	if len(t.Lines) > 0 {
		g.thought, g.about = t, g.search.game.Position()
	}
}

// ended handles the end of a search.
func (g *Game) ended(msg endMsg) tea.Cmd {
	if msg.err != nil || len(msg.t.Lines) == 0 || len(msg.t.Lines[0].PV) == 0 {
		if msg.err == nil {
			msg.err = errors.New("it has no move")
		}
		g.paused = true
		if errors.Is(msg.err, context.Canceled) {
			g.say("Stopped before it had a move; t lets %s go on.", g.engine.Name())
		} else {
			g.refuse("%s failed: %v", g.engine.Name(), msg.err)
		}
		return nil
	}
	t, p := msg.t, msg.s.game.Position()
	g.thought, g.about = t, p
	best := t.Lines[0].PV[0]
	switch msg.s.purpose {
	case toMove, toMoveFor:
		if err := g.game.Play(best); err != nil {
			g.paused = true
			g.refuse("%s played %v", g.engine.Name(), err)
			return nil
		}
		g.redo, g.declared = nil, ending{}
		g.turned()
		g.say("%s plays %s.", g.engine.Name(), notation.FormatMove(g.v, p, best))
		if t.Offer && msg.s.purpose == toMove && !g.game.Over() && g.mine() {
			g.offered = true
			g.say("%s It offers a draw: d accepts, a move declines.", g.message)
		}
		return g.goOn()
	case toHint:
		verdict := ""
		if t.Verdict != "" {
			verdict = " (endgame tables: " + t.Verdict + ")"
		}
		g.say("%s would play %s%s.", g.engine.Name(), notation.FormatMove(g.v, p, best), verdict)
		g.cursor = best.From
		return g.goOn()
	case toAnswer:
		if hopes := 1 - t.Score; hopes > 0.52 {
			g.say("%s declines the draw: it expects a score of %.2f.", g.engine.Name(), hopes)
			return g.goOn()
		}
		g.say("%s accepts the draw.", g.engine.Name())
		g.end(rules.Draw, rules.Agreement)
	}
	return nil
}

// play plays a person's move.
func (g *Game) play(m rules.Move) tea.Cmd {
	g.stop()
	if err := g.game.Play(m); err != nil {
		g.refuse("%v", err)
		return nil
	}
	if n := len(g.redo); n > 0 && g.redo[n-1] == m {
		g.redo = g.redo[:n-1]
	} else {
		g.redo = nil
	}
	if len(g.redo) == 0 {
		g.declared = ending{} // the declared end belongs to another game, or the players go on
	}
	g.paused = false
	g.turned()
	g.cursor = m.To
	g.say("")
	return g.goOn()
}

// choose handles a square of the move being entered, by mouse or key.
func (g *Game) choose(s rules.Square) tea.Cmd {
	g.cursor = s
	if g.mayNotMove() {
		return nil
	}
	from := s
	if len(g.entry.walked) > 0 {
		from = g.entry.walked[len(g.entry.walked)-1]
		if len(g.entry.walked) > 1 {
			from = g.entry.walked[0]
		}
	}
	what, m, options := g.entry.enter(s)
	switch what {
	case complete:
		return g.play(m)
	case ambiguous:
		g.ask(options)
	case stepped:
		g.say("")
		if len(g.entry.walked) > 1 {
			g.say("Go on from %s; esc takes the leg back.", g.v.SquareName(s))
		}
	case refused:
		why := notation.Explain(g.v, g.game.Position(), from, s)
		switch {
		case len(g.entry.walked) > 1:
			next, _ := g.entry.targets()
			why = fmt.Sprintf("the capture goes on from %s to %s", g.v.SquareName(g.entry.walked[len(g.entry.walked)-1]), g.names(next))
		case why == "": // the move is legal, but not for this piece; it cannot happen
			why = "that is no move"
		}
		if len(g.entry.walked) == 1 {
			g.entry.walked = nil
		}
		g.refuse("%s.", why)
	}
	return nil
}

// names lists squares as the players write them.
func (g *Game) names(squares []rules.Square) string {
	all := make([]string, len(squares))
	for i, s := range squares {
		all[i] = g.v.SquareName(s)
	}
	return strings.Join(all, " or ")
}

// mayNotMove reports whether a person cannot move now, and shows the reason.
func (g *Game) mayNotMove() bool {
	switch {
	case g.game.Over():
		g.refuse("%s g begins another, u goes back.", g.status())
	case g.busy():
		g.refuse("%s is thinking; t lets it move at once.", g.engine.Name())
	case !g.mine():
		g.refuse("it is the turn of %s; t lets it move.", g.engine.Name())
	default:
		return false
	}
	return true
}

// ask asks which capture is meant.
func (g *Game) ask(options []option) {
	texts := make([]string, len(options))
	for i, o := range options {
		texts[i] = o.text
	}
	g.say("")
	g.dialog = &choice{
		title: "Which capture?", options: texts, moves: options,
		pick: func(i int) tea.Cmd {
			if s := options[i].step; s != rules.NoSquare {
				g.entry.step(s)
				return nil
			}
			return g.play(options[i].move)
		},
	}
}

// typed plays a move that was typed.
func (g *Game) typed(text string) tea.Cmd {
	if text = strings.TrimSpace(text); text == "" || g.mayNotMove() {
		return nil
	}
	m, err := notation.ParseMove(g.v, g.game.Position(), text)
	var several *notation.AmbiguousError
	switch {
	case errors.As(err, &several):
		var options []option
		for _, m := range several.Choices {
			options = append(options, option{text: takes(g.v, g.game.Position(), m), move: m})
		}
		g.ask(options)
		return nil
	case err != nil:
		g.refuse("%v.", err)
		return nil
	}
	return g.play(m)
}

// status says whose turn it is, or how the game ended.
func (g *Game) status() string {
	outcome, reason := g.game.Outcome()
	switch {
	case outcome == rules.Draw:
		return fmt.Sprintf("The game is drawn: %s.", reason)
	case outcome != rules.Ongoing:
		return fmt.Sprintf("%s wins: %s.", capital(outcome.String()), reason)
	}
	must := notation.Obligation(g.game.Legal())
	if must != "" {
		must = ", " + must
	}
	return fmt.Sprintf("%s to move (%d)%s.", capital(g.game.Position().Turn.String()), g.number(g.game.Ply()), must)
}

// number returns the move number after the given number of plies, counted as in PDN.
func (g *Game) number(ply int) int {
	if g.game.Start().Turn != g.v.First {
		ply++
	}
	return ply/2 + 1
}

// end ends the game by a declaration of the players.
func (g *Game) end(o rules.Outcome, r rules.Reason) {
	g.stop()
	g.game.End(o, r)
	g.redo, g.declared = nil, ending{o, r}
	g.turned()
}

// restart begins another game; it first writes the old one to its file.
func (g *Game) restart(game *rules.Game) tea.Cmd {
	g.stop()
	if err := g.leave(); err != nil {
		g.refuse("%v", err)
		return nil
	}
	g.saved, g.paused = "", false
	g.engine.alone(g.engine.NewGame) // waits only briefly, because the search was stopped
	g.set(game)
	return g.goOn()
}

// Close stops the search and writes the game to its file. It is called when the screen is closed.
func (g *Game) Close() error {
	g.stop()
	return g.leave()
}
