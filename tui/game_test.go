package tui

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"damier/notation"
	"damier/rules"
)

var (
	white = People{rules.White: true}
	black = People{rules.Black: true}
	both  = People{true, true}
)

// A game in every variant, by mouse and by keys in turn, to its end or a hundred plies. Every
// screen is exactly as large as the terminal.
func TestWholeGames(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 45}, {46, 20}, {100, 30}}
	for i, name := range rules.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := variant(t, name)
			rng := generator(t, uint64(i))
			s := newScreen(t, Config{
				Game: rules.NewGame(v), People: [2]bool{i%2 == 0, i%2 != 0}, Look: []Look{colored, grey, letters}[i%3], Flipped: i%2 != 0,
			}, sizes[i%4][0], sizes[i%4][1])
			s.settle()
			for ply := 0; !s.g.game.Over() && s.g.game.Ply() < 100; ply++ {
				legal := s.g.game.Legal()
				want := legal[rng.IntN(len(legal))]
				before := s.g.game.Ply()
				ways := slices.DeleteFunc(slices.Clone(s.g.entry.ways), func(w way) bool { return w.move != want })
				squares := ways[rng.IntN(len(ways))].squares
				if rng.IntN(2) == 0 {
					squares = []rules.Square{want.From, want.To}
				}
				for _, q := range squares {
					if c, ok := s.g.dialog.(*choice); ok {
						s.keys(fmt.Sprint(pick(c, want, q) + 1))
					}
					if s.g.game.Ply() > before {
						break
					}
					switch ply % 3 {
					case 0:
						s.clickOn(q)
					case 1:
						for tries := 0; s.g.cursor != q && tries < 200; tries++ {
							s.keys([]string{"tab", "shift+tab"}[ply/3%2])
						}
						s.keys("enter")
					case 2:
						go_(s, q)
						s.keys("space")
					}
				}
				if c, ok := s.g.dialog.(*choice); ok {
					s.keys(fmt.Sprint(pick(c, want, rules.NoSquare) + 1))
				}
				// By its final square; try again if the move is not made yet.
				for tries := 0; s.g.game.Ply() == before && tries < 20; tries++ {
					next, final := s.g.entry.targets()
					s.clickOn(append(final, next...)[0])
					if c, ok := s.g.dialog.(*choice); ok {
						s.keys(fmt.Sprint(pick(c, want, rules.NoSquare) + 1))
					}
				}
				if s.g.game.Ply() == before {
					t.Fatalf("%s by %v was not played:\n%s", v.FormatMove(want), squares, s.text())
				}
			}
			if s.g.game.Ply() < 20 && !s.g.game.Over() {
				t.Errorf("%d plies", s.g.game.Ply())
			}
			if s.g.game.Over() {
				s.has(strings.Fields(s.g.status())[0])
			}
		})
	}
}

// pick returns the option that is a move, or that continues from a square.
func pick(c *choice, m rules.Move, s rules.Square) int {
	for i, o := range c.moves {
		if o.step == rules.NoSquare && o.move == m || o.step != rules.NoSquare && o.step == s {
			return i
		}
	}
	return 0
}

// go_ moves the cursor to a square by the arrows: along the rows, then up and down in turns.
func go_(s *screen, q rules.Square) {
	b := s.g.v.Board
	sign := 1
	if s.g.flipped {
		sign = -1
	}
	for tries := 0; s.g.cursor != q && tries < 100; tries++ {
		switch dr, dc := sign*(b.Row(q)-b.Row(s.g.cursor)), sign*(b.Column(q)-b.Column(s.g.cursor)); {
		case dr > 0:
			s.keys("down")
		case dr < 0:
			s.keys("up")
		case dc > 0:
			s.keys("right")
		default:
			s.keys("left")
		}
	}
}

func TestArrowsReachEverySquare(t *testing.T) {
	for _, name := range rules.Names() {
		for _, flipped := range []bool{false, true} {
			s := newScreen(t, Config{Game: rules.NewGame(variant(t, name)), People: both, Flipped: flipped}, 80, 24)
			for q := rules.Square(1); int(q) <= s.g.v.Board.Squares(); q++ {
				if go_(s, q); s.g.cursor != q {
					t.Fatalf("%s, flipped %v: the arrows do not reach %d", name, flipped, q)
				}
			}
		}
	}
}

func TestDragAndClick(t *testing.T) {
	e := &book{}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Engine: e, Look: colored}, 80, 24)
	s.drag(32, 28)
	if s.g.game.Ply() != 2 || s.g.game.Moves()[0].To != 28 || e.thought != 1 {
		t.Fatalf("dragged: %d plies", s.g.game.Ply())
	}
	s.clickOn(33)
	if next, _ := s.g.entry.targets(); !slices.Equal(next, []rules.Square{29}) {
		t.Errorf("targets of 33: %v", next)
	}
	s.clickOn(33)
	if len(s.g.entry.walked) != 0 {
		t.Error("a second click does not let the piece go")
	}
	x, y := s.placeOf(33)
	s.button(tea.MouseActionPress, x, y)
	s.button(tea.MouseActionRelease, 79, 20)
	if len(s.g.entry.walked) != 0 || s.g.game.Ply() != 2 {
		t.Error("dragged off the board, the piece is not back")
	}
}

// Keys that are typed faster than they are read arrive together.
func TestManyKeysAtOnce(t *testing.T) {
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Look: grey}, 80, 24)
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("32-28")})
	s.keys("enter")
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("r1")})
	s.has("White wins: resignation.")
}

// A refusal gives its reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		do        func(s *screen)
		want      string
	}{
		{"an empty square", "W:W31-50:B1-20", func(s *screen) { s.clickOn(25) }, "No piece on 25."},
		{"not its square", "W:W31-50:B1-20", func(s *screen) { s.clickOn(32); s.clickOn(22) }, "goes to 27 or 28"},
		{"the opponent's", "W:W31-50:B1-20", func(s *screen) { s.clickOn(20) }, "Not your piece"},
		{"must capture", "W:W28,32,40:B23,13", func(s *screen) { s.drag(40, 35) }, "Must take 2: with 28"},
		{"must go on", "W:W28:B23,13,14", func(s *screen) { s.clickOn(28); s.clickOn(19); s.clickOn(30) }, "The capture goes on from 19 to"},
		{"typed", "W:W31-50:B1-20", func(s *screen) { s.typed("32-21"); s.keys("enter") }, "goes to 27 or 28"},
		{"typed nonsense", "W:W31-50:B1-20", func(s *screen) { s.keys(":"); s.typed("what"); s.keys("enter") }, "what"},
		{"no move to undo", "W:W31-50:B1-20", func(s *screen) { s.keys("u") }, "There is no move to take back."},
		{"no move to redo", "W:W31-50:B1-20", func(s *screen) { s.keys("y") }, "There is no move to make again."},
		{"no files", "W:W31-50:B1-20", func(s *screen) { s.keys("s") }, "There are no files here."},
		{"a wrong FEN", "W:W31-50:B1-20", func(s *screen) { s.keys("e", "ctrl+u"); s.typed("W:W51:B1"); s.keys("enter") }, "51"},
		{"no weaker", "W:W31-50:B1-20", func(s *screen) { s.keys("-") }, "It has no level below this."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, Config{Game: position(t, rules.International, c.fen), People: white, Look: letters}, 80, 24)
			before := s.g.game.Position()
			c.do(s)
			s.has(c.want)
			if !s.g.alarm || s.g.game.Position() != before {
				t.Errorf("alarm %v, position %s", s.g.alarm, s.g.v.FEN(s.g.game.Position()))
			}
		})
	}
}

// The program asks about an ambiguous capture. Each answer plays its move; esc plays none.
func TestAmbiguousCapture(t *testing.T) {
	// 47 can take three pieces on two ways to 36.
	const fen = "W:WK47:B5,14,19,29,31,42"
	g := position(t, rules.International, fen)
	var from, to rules.Square
	counts := map[[2]rules.Square]int{}
	for _, m := range g.Legal() {
		if counts[[2]rules.Square{m.From, m.To}]++; counts[[2]rules.Square{m.From, m.To}] == 2 {
			from, to = m.From, m.To
		}
	}
	if from == rules.NoSquare {
		t.Fatalf("%s has no ambiguous capture: %v", fen, counts)
	}
	for _, answer := range []string{"1", "2", "esc", "click"} {
		s := newScreen(t, Config{Game: position(t, rules.International, fen), People: both, Look: grey}, 80, 24)
		s.clickOn(from)
		s.clickOn(to)
		c, ok := s.g.dialog.(*choice)
		if !ok {
			t.Fatalf("nothing is asked:\n%s", s.text())
		}
		s.has("Which capture?", "1 takes 14,29,31,42")
		wants := c.moves
		switch answer {
		case "click":
			for i, b := range s.g.buttons {
				if b.y > 0 && b.y < 20 {
					s.click(b.x+1, s.g.buttons[i+1].y) // the second answer
					break
				}
			}
			answer = "2"
		default:
			s.keys(answer)
		}
		switch played := s.g.game.Moves(); {
		case answer == "esc":
			if len(played) != 0 {
				t.Error("esc plays")
			}
		case len(played) != 1 || played[0] != wants[answer[0]-'1'].move:
			t.Errorf("answer %s plays %v", answer, played)
		}
	}
	// The program asks also if the move is typed.
	s := newScreen(t, Config{Game: g, People: both, Look: grey}, 80, 24)
	s.typed(fmt.Sprintf("%dx%d", from, to))
	s.keys("enter")
	s.has("Which capture?")
	s.keys("down", "enter")
	if s.g.game.Ply() != 1 {
		t.Error("the answer plays nothing")
	}
}

func TestUndoRedo(t *testing.T) {
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Look: grey}, 80, 24)
	for _, m := range []string{"32-28", "33-29", "34-30"} {
		s.typed(m)
		s.keys("enter")
	}
	end := s.g.game.Position()
	if s.g.game.Ply() != 6 {
		t.Fatalf("%d plies:\n%s", s.g.game.Ply(), s.text())
	}
	s.keys("u")
	if s.g.game.Ply() != 4 || len(s.g.redo) != 2 {
		t.Errorf("undone: %d plies, %d to come", s.g.game.Ply(), len(s.g.redo))
	}
	s.has("(3. 34-30)"[1:3], "34-30)")
	s.keys("u", "u", "y", "y", "y")
	if s.g.game.Position() != end || len(s.g.redo) != 0 {
		t.Errorf("redone: %d plies", s.g.game.Ply())
	}
	s.keys("home")
	if s.g.game.Ply() != 0 || s.g.paused {
		t.Errorf("home: %d plies, paused %v", s.g.game.Ply(), s.g.paused)
	}
	s.keys("end")
	if s.g.game.Position() != end {
		t.Errorf("end: %d plies", s.g.game.Ply())
	}
	// A click on a move goes to it; if it is the engine's turn there, the engine waits for a
	// command.
	s.g.View()
	b := s.g.buttons[slices.IndexFunc(s.g.buttons, func(b button) bool { return b.y > 5 && b.y < 20 })]
	s.click(b.x, b.y)
	if s.g.game.Ply() != 1 || !s.g.paused {
		t.Errorf("clicked on the first move: ply %d, paused %v", s.g.game.Ply(), s.g.paused)
	}
	s.keys("t")
	if s.g.game.Ply() != 2 || len(s.g.redo) != 0 {
		t.Errorf("told to go on: ply %d, %d to come", s.g.game.Ply(), len(s.g.redo))
	}
	// A move other than the one taken back replaces the moves after it.
	s.keys("u")
	s.typed("31-27")
	s.keys("enter")
	if len(s.g.redo) != 0 || s.g.game.Ply() != 2 {
		t.Errorf("another move: ply %d, %d to come", s.g.game.Ply(), len(s.g.redo))
	}
}

func TestEndings(t *testing.T) {
	t.Run("resign", func(t *testing.T) {
		s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Look: grey}, 80, 24)
		s.keys("r")
		s.has("Does white give up?")
		s.keys("2")
		if s.g.game.Over() {
			t.Fatal("no resigns")
		}
		s.keys("r", "1")
		s.has("Black wins: resignation.")
		s.clickOn(32)
		s.has("g begins another")
		s.keys("u")
		if s.g.game.Over() {
			t.Error("a resignation cannot be taken back")
		}
	})
	t.Run("draw declined, then accepted", func(t *testing.T) {
		e := &book{score: 0} // a loss for the person: the engine expects to win
		s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Engine: e, Look: grey}, 80, 24)
		s.keys("d")
		s.has("book declines the draw")
		e.score = 0.5
		s.keys("d")
		s.has("The game is drawn:", "agreement.", "book accepts the draw.")
	})
	t.Run("draw between two persons", func(t *testing.T) {
		s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Look: grey}, 80, 24)
		s.keys("d", "1")
		s.has("The game is drawn: agreement. g begins another")
	})
	t.Run("the engine offers", func(t *testing.T) {
		s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Engine: &book{offer: true}, Look: grey}, 80, 24)
		s.keys("t") // it makes the person's move, which offers nothing, and then its own
		s.has("It offers a draw: d accepts, a move declines.")
		s.g.engine.Engine.(*book).offer = false
		s.keys("t")
		if s.g.offered {
			t.Error("a move does not decline the draw")
		}
		s.g.engine.Engine.(*book).offer = true
		s.keys("t", "d")
		s.has("The game is drawn:", "agreement.", "You accept the draw.")
	})
	t.Run("last piece", func(t *testing.T) {
		s := newScreen(t, Config{Game: position(t, rules.International, "W:W28:B23"), People: white, Look: grey}, 80, 24)
		s.drag(28, 19)
		s.has("White wins: no pieces left.")
	})
}

func TestEngineThinksWhileTheScreenLives(t *testing.T) {
	e := &book{hold: true, score: 0.625}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Engine: e, Look: grey}, 80, 24)
	s.press(":")
	s.typed("32-28")
	s.press("enter")
	s.until("a report", func() bool { return len(s.g.thought.Lines) > 0 })
	s.has("book thinking", "White expects 38 %", "depth 1, 12,345 nodes, 1.5 s", "expects", "16-21")
	s.press("f") // the screen still reacts
	s.press("?")
	s.has("Keys.")
	s.press("esc")
	s.press("enter")
	s.has("Book is thinking; t lets it move at once.")
	s.press("t")
	s.until("its move", func() bool { return s.g.game.Ply() == 2 })
	// An engine that was stopped waits.
	s.press("f")
	s.press(":")
	s.typed("33-29")
	s.press("enter")
	s.press("esc")
	s.settle()
	if s.g.game.Ply() != 3 || !s.g.paused {
		t.Errorf("stopped: ply %d, paused %v", s.g.game.Ply(), s.g.paused)
	}
	s.has("waits: t lets it go on")
	// Undo discards the thought that was not played.
	s.press("t")
	s.press("u")
	s.settle()
	if s.g.game.Ply() != 2 || s.g.search != nil {
		t.Errorf("undone while it thinks: ply %d", s.g.game.Ply())
	}
}

// An analysis and a hint say what endgame tables know about the best move.
func TestVerdictOfTables(t *testing.T) {
	e := &book{verdict: "wins in 12"}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Engine: e, Look: grey}, 80, 24)
	s.press("a")
	s.until("a report", func() bool { return len(s.g.thought.Lines) > 0 })
	s.has("tables: 31-26 wins in 12")
	s.press("a")
	s.settle()
	s.keys("h")
	s.has("book would play 31-26 (endgame tables: wins in 12).")
}

func TestAnalysis(t *testing.T) {
	e := &book{score: 1}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Engine: e, Look: grey}, 80, 24)
	s.press("a")
	s.until("a report", func() bool { return len(s.g.thought.Lines) > 0 })
	s.has("book studies", "White expects 100 %")
	x, y := s.placeOf(32)
	s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	x, y = s.placeOf(28)
	s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft})
	s.until("a report of the next position", func() bool { return s.g.about.Turn == rules.Black })
	s.has("White expects 0 %") // White's point of view
	s.press("a")
	s.settle()
	if s.g.search != nil || s.g.analysis {
		t.Error("the analysis does not stop")
	}
	s.keys("h")
	s.has("book would play 16-21.")
	if n := len(e.tasks); e.tasks[0] != Analyse || e.tasks[n-1] != Advise {
		t.Errorf("it was asked to %v", e.tasks)
	}
}

func TestEngineFails(t *testing.T) {
	e := &book{fail: errors.New("out of \x1b[31mpaper")}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: black, Engine: e, Look: grey}, 80, 24)
	s.settle()
	s.has("Book failed: out of [31mpaper")
	e.fail = nil
	s.keys("t")
	if s.g.game.Ply() != 1 {
		t.Error("it does not go on")
	}
	e.moves = []rules.Move{{From: 1, To: 50}}
	s.typed("20-24")
	s.keys("enter")
	s.has("Book played")
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/games.pdn"
	save := func(name string, g *notation.Game) error {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		return notation.Write(f, g)
	}
	config := Config{Game: rules.NewGame(rules.International), People: white, Look: grey, Save: save, Load: notation.ReadFile, PDN: file, Date: "2026.01.02"}
	s := newScreen(t, config, 80, 24)
	s.typed("32-28")
	s.keys("enter", "s", "enter")
	s.has("Saved to")
	if err := s.g.Close(); err != nil {
		t.Fatal(err)
	}
	s.typed("33-29")
	s.keys("enter", "g", "enter") // a new game: the one before goes to the file
	s.typed("34-30")
	s.keys("enter")
	if err := s.g.Close(); err != nil {
		t.Fatal(err)
	}
	games, err := notation.ReadFile(rules.International, file)
	if err != nil || len(games) != 3 || games[0].Ply() != 2 || games[1].Ply() != 4 || games[2].Ply() != 2 {
		t.Fatalf("%d games, %v", len(games), err)
	}
	if games[0].Tags.Get("White") != "you" || games[0].Tags.Get("Black") != "book" || games[0].Tags.Get("Date") != "2026.01.02" {
		t.Errorf("tags %v", games[0].Tags)
	}
	s.keys("o", "enter") // the file has three games
	s.has("Which game?")
	s.keys("down", "enter")
	if s.g.game.Ply() != 4 {
		t.Errorf("opened: %d plies", s.g.game.Ply())
	}
	s.keys("o", "ctrl+u")
	s.typed(dir + "/none.pdn")
	s.keys("enter")
	s.has("no such file")
	if err := s.g.Close(); err != nil {
		t.Fatal(err)
	}
	if games, _ := notation.ReadFile(rules.International, file); len(games) != 3 {
		t.Errorf("a game that was opened is written again: %d games", len(games))
	}
	// With another move instead of the one taken back, the game has the same length but is another
	// game.
	s.keys("u")
	last := s.g.game.Legal()[1]
	s.typed(notation.FormatMove(s.g.v, s.g.game.Position(), last))
	s.keys("enter")
	if err := s.g.Close(); err != nil {
		t.Fatal(err)
	}
	games, err = notation.ReadFile(rules.International, file)
	if err != nil || len(games) != 4 || games[3].Ply() != games[1].Ply() {
		t.Errorf("a game with another last move is not written: %d games, %v", len(games), err)
	}
}

// A game is saved to its end, whatever position the screen shows: also a game that was resigned,
// or that continued after an unclaimed draw.
func TestLooksBack(t *testing.T) {
	var written []*notation.Game
	save := func(_ string, g *notation.Game) error {
		written = append(written, g)
		return nil
	}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: both, Look: grey, Save: save, PDN: "x.pdn"}, 80, 24)
	for _, m := range []string{"32-28", "19-23", "28x19"} {
		s.typed(m)
		s.keys("enter")
	}
	s.keys("r", "1")
	s.has("White wins: resignation.")
	s.keys("[")
	if err := s.g.Close(); err != nil || s.g.game.Ply() != 0 || len(written) != 1 || written[0].Ply() != 3 || written[0].Result != notation.WhiteWin {
		t.Fatalf("looked at from its beginning: %v, %d written", err, len(written))
	}
	s.keys("]")
	s.has("White wins: resignation.")
	s.keys("[")
	s.typed("33-29") // another game
	s.keys("enter")
	if err := s.g.Close(); err != nil || len(written) != 2 || written[1].Ply() != 1 || written[1].Result != notation.Unknown {
		t.Errorf("another move from its beginning: %v, %d written", err, len(written))
	}

	// Pieces move to and fro: a draw after the third repetition, and the game continues.
	g := position(t, rules.International, "W:WK46,25:BK50,6")
	for _, m := range []string{"46-41", "50-45", "41-46", "45-50", "46-41", "50-45", "41-46", "45-50", "46-41", "50-45", "25-20"} {
		if o, _ := g.Outcome(); o == rules.Draw {
			g.End(rules.Ongoing, rules.NoReason)
		}
		n, err := notation.ParseMove(g.Variant(), g.Position(), m)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Play(n); err != nil {
			t.Fatal(err)
		}
	}
	s = newScreen(t, Config{Game: g, People: both, Look: grey}, 80, 24)
	s.keys("[", "]")
	if s.g.game.Ply() != 11 {
		t.Errorf("back at its end: %d plies of 11", s.g.game.Ply())
	}
}

func TestFEN(t *testing.T) {
	s := newScreen(t, Config{Game: rules.NewGame(rules.Russian), People: both, Look: grey}, 80, 24)
	s.keys("e")
	s.has("FEN: W:W21,22")
	s.keys("ctrl+u")
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("\"W:Wa1,c3:Bd4,\nd6\""), Paste: true})
	s.keys("enter")
	s.has("Set up.", "must take 2")
	s.keys(":")
	s.typed("c3:c7")
	s.keys("enter")
	if s.g.game.Ply() != 1 {
		t.Errorf("the capture is not played:\n%s", s.text())
	}
}

func TestNewVariant(t *testing.T) {
	var opened []string
	c := Config{Game: rules.NewGame(rules.International), People: white, Look: grey, Open: func(v *rules.Variant) (Engine, string, error) {
		opened = append(opened, v.Name)
		if v.Name == "thai" {
			return nil, "", errors.New("no engine")
		}
		return &book{}, "A note.", nil
	}}
	s := newScreen(t, c, 80, 24)
	s.keys("g")
	f := s.g.dialog.(*form)
	for f.rows[0].values[f.rows[0].at] != "canadian" {
		s.keys("right")
	}
	s.keys("down", "right", "enter")
	if s.g.v.Name != "canadian" || s.g.people != black || !s.g.flipped || s.g.game.Ply() != 1 {
		t.Errorf("%s, %v, ply %d", s.g.v.Name, s.g.people, s.g.game.Ply())
	}
	s.has("Damier  canadian", "you play black")
	s.keys("g")
	f = s.g.dialog.(*form)
	for f.rows[0].values[f.rows[0].at] != "thai" {
		s.keys("left")
	}
	s.keys("enter")
	s.has("Thai: no engine")
	if s.g.v.Name != "canadian" || !slices.Equal(opened, []string{"canadian", "thai"}) {
		t.Errorf("%s, %v", s.g.v.Name, opened)
	}
}

func TestQuit(t *testing.T) {
	for _, c := range []struct {
		keys []string
		how  tea.Msg
	}{
		{[]string{"q"}, tea.QuitMsg{}},
		{[]string{":", "3", "2", "-", "2", "8", "enter", "q", "1"}, tea.QuitMsg{}},
		{[]string{":", "3", "2", "-", "2", "8", "enter", "q", "2"}, nil},
		{[]string{"ctrl+c"}, tea.InterruptMsg{}},
		{[]string{"?", "ctrl+c"}, tea.InterruptMsg{}},
	} {
		save := func(string, *notation.Game) error { return nil }
		s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Look: grey, Save: save}, 80, 24)
		s.keys(c.keys...)
		if s.how != c.how {
			t.Errorf("%v: %T, want %T", c.keys, s.how, c.how)
		}
	}
}

func TestStrength(t *testing.T) {
	e := &book{}
	s := newScreen(t, Config{Game: rules.NewGame(rules.International), People: white, Engine: e, Look: grey}, 80, 24)
	s.keys("+", "+", "-")
	if e.level != 1 {
		t.Errorf("level %d", e.level)
	}
	s.has("book: level 1 a move.", "book, level 1")
}

// Random keys and clicks do no harm.
func TestAnyInput(t *testing.T) {
	names := []string{"enter", "esc", "tab", "up", "down", "left", "right", "backspace", "home", "end", "pgup", "pgdown", "space", "ctrl+u", "delete"}
	letters_ := "uyhatf+-vdrgsoe?:0123456789x-:"
	for seed := range uint64(6) {
		rng := generator(t, seed)
		v := variant(t, rules.Names()[rng.IntN(len(rules.Names()))])
		s := newScreen(t, Config{
			Game: rules.NewGame(v), People: [2]bool{rng.IntN(2) == 0, true}, Look: []Look{colored, grey, letters}[rng.IntN(3)],
			Open: func(*rules.Variant) (Engine, string, error) { return &book{}, "", nil },
			Load: func(*rules.Variant, string) ([]*notation.Game, error) { return nil, nil },
		}, 80, 24)
		for range 300 {
			switch rng.IntN(6) {
			case 0:
				s.press(names[rng.IntN(len(names))])
			case 1:
				s.press(string(letters_[rng.IntN(len(letters_))]))
			case 2, 3, 4:
				x, y := rng.IntN(s.g.width+2), rng.IntN(s.g.height+2)
				a := []tea.MouseAction{tea.MouseActionPress, tea.MouseActionRelease, tea.MouseActionMotion}[rng.IntN(3)]
				b := []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown, tea.MouseButtonRight}[rng.IntN(4)]
				s.send(tea.MouseMsg{X: x, Y: y, Action: a, Button: b})
			case 5:
				if rng.IntN(10) == 0 {
					s.send(tea.WindowSizeMsg{Width: rng.IntN(140), Height: rng.IntN(50)})
				}
			}
			if s.g.search == nil || rng.IntN(4) == 0 {
				for s.left > 2 && s.take() {
				}
			}
		}
	}
}

// A click on an answer counts as the answer, even if the list of moves lies below it.
func TestDialogAboveMoves(t *testing.T) {
	g := rules.NewGame(rules.International)
	for range 30 {
		if err := g.Play(g.Legal()[0]); err != nil {
			t.Fatal(err)
		}
	}
	covered := false
	for _, size := range [][2]int{{80, 24}, {60, 40}, {50, 60}} {
		s := newScreen(t, Config{Game: g.Clone(), People: both, Look: grey}, size[0], size[1])
		s.keys("r")
		c, ok := s.g.dialog.(*choice)
		if !ok {
			t.Fatalf("nothing is asked:\n%s", s.text())
		}
		x, y := -1, -1
		for i, line := range strings.Split(s.text(), "\n") {
			if at := strings.Index(line, "1 "+c.options[0]); at >= 0 {
				x, y = len([]rune(line[:at])), i
			}
		}
		below := 0
		for _, b := range s.g.buttons {
			if b.y == y && b.x <= x && x < b.x+b.width {
				below++
			}
		}
		covered = covered || below > 1
		s.click(x, y)
		if _, reason := s.g.game.Outcome(); reason != rules.Resignation {
			t.Errorf("%v: a click on %q: %v, %d plies", size, c.options[0], reason, s.g.game.Ply())
		}
	}
	if !covered {
		t.Error("no move lies below an answer")
	}
}
