package play

import (
	"context"
	"strconv"
	"strings"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/rules"
)

// commands are the commands that can be typed besides moves, with their help.
var commands = []struct{ name, args, help string }{
	{"moves", "", "list the legal moves"},
	{"why", "MOVE", "why a move is not legal"},
	{"undo", "", "take back your last move and the answer to it"},
	{"hint", "", "what the engine would play here"},
	{"go", "", "let the engine play this move for you"},
	{"side", "white|black|both|none", "change what you play"},
	{"flip", "", "turn the board round"},
	{"level", "N", "strength: from 1, a beginner, to 10"},
	{"visits", "N", "strength: visits per move"},
	{"time", "SECONDS", "strength: seconds per move"},
	{"draw", "", "offer a draw"},
	{"accept", "", "accept the engine's offer"},
	{"decline", "", "decline it"},
	{"resign", "", "give up"},
	{"new", "", "a new game from the start"},
	{"fen", "[FEN]", "print the position, or set it up"},
	{"save", "FILE", "add the game to a PDN file"},
	{"manoury", "[FILE]", "print the game in Manoury's notation, or add it to a file"},
	{"load", "FILE", "go on with the last game of a file, PDN or Manoury's notation"},
	{"force", "", "informal play: have a capture made that was omitted or cut short"},
	{"huff", "SQUARE", "informal play: take the piece off that should have captured"},
	{"board", "", "draw the board again"},
	{"help", "", "this list"},
	{"quit", "", "leave (also: end of input, Ctrl-C)"},
}

// command handles a line. quit is true if the session is over. It returns only errors that end the
// session.
func (s *session) command(ctx context.Context, line string) (quit bool, err error) {
	line = strings.TrimSpace(line)
	if line == "" {
		return false, nil
	}
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	switch strings.ToLower(name) {
	case "quit", "exit", "q":
		return true, nil
	case "help", "?":
		s.help()
	case "moves":
		s.listMoves()
	case "why":
		s.why(arg)
	case "undo":
		s.undo()
	case "hint":
		err = s.hint(ctx)
	case "go":
		err = s.playForPerson(ctx)
	case "side":
		if sides, ok := sidesNamed(arg); ok {
			s.people = sides
			s.say("You play %s.", s.side())
		} else {
			s.say("side %q is not known; use white, black, both or none", arg)
		}
	case "flip":
		s.flipped = !s.flipped
		s.show()
	case "visits", "time", "level":
		s.strength(strings.ToLower(name), arg)
	case "draw":
		err = s.offer(ctx)
	case "accept", "decline":
		s.reply(strings.ToLower(name) == "accept")
	case "resign":
		s.resign()
	case "new":
		err = s.restart(rules.NewGame(s.v))
	case "fen":
		err = s.fen(arg)
	case "save":
		if arg == "" {
			s.say("save needs a file name: save game.pdn")
		} else if e := s.save(arg); e != nil {
			s.say("%v", e)
		} else {
			s.say("Saved to %s.", arg)
		}
	case "manoury":
		s.manoury(arg)
	case "load":
		err = s.load(arg)
	case "force":
		s.force()
	case "huff":
		s.huff(arg)
	case "board", "show":
		s.show()
	default:
		err = s.move(ctx, line)
	}
	return false, err
}

func (s *session) help() {
	s.say("A move: %s; with the squares between where that is ambiguous.", notation.Example(s.v))
	for _, c := range commands {
		s.say("  %-28s %s", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
}

func (s *session) listMoves() {
	legal := s.game.Legal()
	if len(legal) == 0 {
		s.say("There is no legal move.")
		return
	}
	texts := make([]string, len(legal))
	for i, m := range legal {
		texts[i] = notation.FormatMove(s.v, s.game.Position(), m)
	}
	s.say("%s", strings.Join(texts, " "))
}

// why explains a move without playing it.
func (s *session) why(text string) {
	if _, err := notation.ParseMove(s.v, s.game.Position(), text); err != nil {
		s.say("%v", err)
		return
	}
	s.say("%s is legal.", text)
}

// undo goes back to the person's turn before its last move.
func (s *session) undo() {
	if outcome, reason := s.game.Outcome(); outcome != rules.Ongoing && declared(reason) {
		s.game.End(rules.Ongoing, rules.NoReason)
		s.show()
		return
	}
	if !s.game.Undo() && !s.reopen() {
		s.say("There is no move to take back.")
		return
	}
	for s.people != (people{}) && !s.people[s.game.Position().Turn] && s.game.Undo() {
	}
	s.played()
	s.show()
}

func (s *session) hint(ctx context.Context) error {
	if s.over() {
		return nil
	}
	// The best it knows, whatever its level.
	t, err := s.engine.Think(ctx, s.game, engine.Limits{Analyze: true}, nil)
	if err != nil {
		return err
	}
	p := s.game.Position()
	s.say("%s would play %s   %s", s.engine.Name(), notation.FormatMove(s.v, p, t.Move), s.describe(p, t))
	return nil
}

func (s *session) strength(name, arg string) {
	var to engine.Limits
	if name == "level" {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > engine.Levels() {
			s.say("level %q is not a number from 1, a beginner, to %d", arg, engine.Levels())
			return
		}
		if err := s.engine.SetLevel(n); err != nil {
			s.say("%v", err)
			return
		}
		s.say("%s now plays at %s.", s.engine.Name(), engine.LevelText(s.engine, n))
		return
	}
	if name == "visits" {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > 1<<20 {
			s.say("visits %q is not a number from 1 to %d", arg, 1<<20)
			return
		}
		to.Nodes = int64(n)
	} else {
		seconds, err := strconv.ParseFloat(strings.TrimSuffix(arg, "s"), 64)
		if err != nil || !(seconds > 0 && seconds <= 3600) {
			s.say("time %q is not a number of seconds, above 0 and up to 3600", arg)
			return
		}
		to.Time = time.Duration(seconds * float64(time.Second))
	}
	if name == "visits" && s.engine.Counts() == "nodes" {
		s.say("%s counts no visits; use time", s.engine.Name())
		return
	}
	if err := s.engine.SetOwn(to); err != nil {
		s.say("%v", err)
		return
	}
	s.say("%s now takes %s %s a move.", s.engine.Name(), arg, map[string]string{"visits": "visits", "time": "seconds"}[name])
}

// restart begins another game; it first writes the old one to the PDN file.
func (s *session) restart(g *rules.Game) error {
	if err := s.leave(); err != nil {
		return err
	}
	s.game, s.past = g, nil
	s.saved = ""
	s.engine.NewGame()
	s.played()
	s.show()
	return nil
}

// fen prints the position, or sets up another one.
func (s *session) fen(text string) error {
	if text == "" {
		s.say("%s", s.v.FEN(s.game.Position()))
		if s.v.Algebraic {
			s.say("%s", s.v.FENCoordinates(s.game.Position()))
		}
		return nil
	}
	p, err := rules.ParseFEN(s.v, strings.Trim(text, `"`))
	if err != nil {
		s.say("%v", err)
		return nil
	}
	return s.restart(rules.NewGameFrom(s.v, p))
}
