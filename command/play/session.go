package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"damier/engine"
	"damier/notation"
	"damier/rules"
)

// people says which sides are played by a person, by colour.
type people [2]bool

// sidesNamed returns the people for a value of --side or of the command side.
func sidesNamed(name string) (people, bool) {
	switch strings.ToLower(name) {
	case "white", "w":
		return people{rules.White: true}, true
	case "black", "b":
		return people{rules.Black: true}, true
	case "both":
		return people{true, true}, true
	case "none":
		return people{}, true
	}
	return people{}, false
}

// session is a game in the terminal.
type session struct {
	v       *rules.Variant
	title   string // the variant and the options given
	note    string // printed at the beginning, "" for nothing
	level   int    // level of the engine at the beginning, 0 for none
	engine  engine.Engine
	game    *rules.Game
	people  people
	pdn     string // file to which the game is added at the end; "" for none
	out     *errWriter
	prompt  bool // a person types at a terminal
	board   boardStyle
	flipped bool

	informal bool      // see informal.go
	past     []episode // of an informal game, before the present one
	// The last move, while the other side may object; nil if there is nothing to object to.
	lapse *rules.Lapse

	choices []rules.Move // meanings of the ambiguous move just typed, to be chosen by number
	offered bool         // the engine has offered a draw, valid until the next move
	offers  engine.DrawOffers

	saved string // record() of the game when it was last written to pdn, "" for never
}

// run runs the session until quit, the end of the input, or the end of the context, whose error it
// returns.
func (s *session) run(ctx context.Context, in io.Reader) (err error) {
	defer func() {
		if e := s.leave(); e != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = e
		}
	}()
	if s.note != "" {
		s.say("%s", s.note)
	}
	if s.prompt {
		s.say("The board in the browser: play, or play web.")
	}
	who := s.engine.Name()
	if s.level > 0 {
		who += ", " + engine.LevelText(s.engine, s.level)
	}
	s.say("%s, %s. You play %s; type help for help.", who, s.title, s.side())
	s.show()
	lines := readLines(ctx, in)
	for {
		if err := s.answer(ctx); err != nil {
			return err
		}
		if s.out.err != nil {
			return fmt.Errorf("writing to the terminal: %w", s.out.err)
		}
		if s.prompt {
			fmt.Fprint(s.out, "> ")
		}
		select {
		case <-ctx.Done():
			if s.prompt {
				fmt.Fprintln(s.out)
			}
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				if s.prompt {
					fmt.Fprintln(s.out)
				}
				return ctx.Err()
			}
			quit, err := s.command(ctx, line)
			if quit || err != nil {
				return err
			}
		}
	}
}

// readLines reads lines until the input ends. When the context ends it may remain blocked in a
// Read.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewScanner(in)
		r.Buffer(nil, 1<<20)
		for r.Scan() {
			select {
			case lines <- r.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// side describes the sides that a person plays.
func (s *session) side() string {
	switch s.people {
	case people{true, true}:
		return "both sides"
	case people{true, false}:
		return "white"
	case people{false, true}:
		return "black"
	}
	return "neither side"
}

func (s *session) show() {
	var last rules.Move
	if moves := s.game.Moves(); len(moves) > 0 {
		last = moves[len(moves)-1]
	}
	s.board.draw(s.out, s.v, s.game.Position(), last, s.flipped)
	s.status()
}

// status says whose turn it is, or how the game ended.
func (s *session) status() {
	if outcome, reason := s.game.Outcome(); outcome != rules.Ongoing {
		if outcome == rules.Draw {
			s.say("The game is drawn: %s.", reason)
		} else {
			s.say("%s wins: %s.", title(outcome.String()), reason)
		}
		return
	}
	must := notation.Obligation(s.game.Legal())
	if must != "" {
		must = ", " + must
	}
	s.say("%s to move (move %d)%s.", title(s.game.Position().Turn.String()), s.number(), must)
}

// number returns the number of the next move, counted as in PDN.
func (s *session) number() int {
	ply := s.game.Ply()
	if s.game.Start().Turn != s.v.First {
		ply++
	}
	return ply/2 + 1
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// answer plays the engine's moves as long as it is its turn.
func (s *session) answer(ctx context.Context) error {
	for !s.game.Over() && !s.people[s.game.Position().Turn] {
		t, err := s.engineMoves(ctx)
		if err != nil {
			return err
		}
		if s.offers.Played(&t, s.game.Ply()) && !s.game.Over() && s.people[s.game.Position().Turn] {
			s.offered = true
			s.say("%s offers a draw: type accept, or play on.", s.engine.Name())
		}
	}
	return nil
}

// engineMoves lets the engine play a move of either side, and returns what it thought.
func (s *session) engineMoves(ctx context.Context) (engine.Thought, error) {
	if err := ctx.Err(); err != nil {
		return engine.Thought{}, err
	}
	t, err := s.engine.Think(ctx, s.game, engine.Limits{}, nil)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return t, err
	}
	p := s.game.Position()
	if err := s.game.Play(t.Move); err != nil {
		return t, fmt.Errorf("%s played %w", s.engine.Name(), err)
	}
	s.played()
	s.say("%s plays %s   %s", s.engine.Name(), notation.FormatMove(s.v, p, t.Move), s.describe(p, t))
	s.show()
	return t, nil
}

// played clears what belonged to the position before a move.
func (s *session) played() {
	s.choices, s.offered, s.lapse = nil, false, nil
}

// describe prints the engine's score of its move, from its own point of view, and the expected
// line.
func (s *session) describe(p rules.Position, t engine.Thought) string {
	var b strings.Builder
	fmt.Fprintf(&b, "score %+.2f", men(t.Expected, t.WinIn))
	fmt.Fprintf(&b, "; line")
	for _, m := range t.Line {
		fmt.Fprintf(&b, " %s", notation.FormatMove(s.v, p, m))
		p = s.v.Play(p, m)
	}
	if t.Book {
		b.WriteString("; book")
		return b.String()
	}
	fmt.Fprintf(&b, "; %d nodes, %.1f s", t.Nodes, t.Elapsed.Seconds())
	return b.String()
}

// move plays a move typed by a person.
func (s *session) move(ctx context.Context, text string) error {
	if s.game.Over() {
		s.status()
		s.say("Type undo, new, save or quit.")
		return nil
	}
	p := s.game.Position()
	m, err := notation.ParseMove(s.v, p, text)
	if s.informal && errors.Is(err, rules.ErrIllegalMove) {
		if lapse, e := notation.ParseAmong(s.v, p, s.v.Lapses(p), text); !errors.Is(e, rules.ErrIllegalMove) {
			m, err = lapse, e
		}
	}
	if n, e := strconv.Atoi(text); e == nil && n >= 1 && n <= len(s.choices) {
		m, err = s.choices[n-1], nil
	}
	var several *notation.AmbiguousError
	switch {
	case errors.As(err, &several):
		s.choices = several.Choices
		s.say("%v; type the number of your choice:", err)
		for i, c := range s.choices {
			var taken []string
			for _, q := range s.v.Board.AppendSquares(nil, c.Captured()) {
				taken = append(taken, s.v.SquareName(q))
			}
			s.say("  %d  %s takes %s", i+1, notation.FormatLong(s.v, p, c), strings.Join(taken, ","))
		}
		return nil
	case errors.Is(err, notation.ErrSyntax) && !likeMove(text):
		s.say("%q is neither a move nor a command; type help", clip(text))
		return nil
	case err != nil:
		s.say("%v", err)
		return nil
	}
	if l, ok := s.v.Lapse(p, m); s.informal && ok {
		return s.lapsed(ctx, l)
	}
	if err := s.game.Play(m); err != nil {
		s.say("%v", err)
		return nil
	}
	s.played()
	s.show()
	return nil
}

// likeMove reports whether a text begins like a move: with a digit, or with a letter and a digit.
func likeMove(text string) bool {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	return digit(text[0]) || len(text) > 1 && 'a' <= text[0]|0x20 && text[0]|0x20 <= 'l' && digit(text[1])
}

func clip(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}

// declared reports whether a player, and not the rules, ended the game.
func declared(r rules.Reason) bool { return r == rules.Resignation || r == rules.Agreement }

// over reports whether the game is over, and prints that if it is.
func (s *session) over() bool {
	if s.game.Over() {
		s.status()
	}
	return s.game.Over()
}

// playForPerson lets the engine play one move for the person.
func (s *session) playForPerson(ctx context.Context) error {
	if s.over() {
		return nil
	}
	_, err := s.engineMoves(ctx)
	return err
}

// plies returns the number of moves of the game, including those of previous episodes.
func (s *session) plies() int {
	n := s.game.Ply()
	for _, e := range s.past {
		n += e.game.Ply() + 1
	}
	return n
}

// leave writes the game to the file of --pdn, unless it is already there or nothing has been
// played.
func (s *session) leave() error {
	if s.pdn == "" || s.plies() == 0 || s.saved == s.record() {
		return nil
	}
	if err := s.save(s.pdn); err != nil {
		return err
	}
	s.saved = s.record()
	return nil
}
