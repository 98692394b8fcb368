package notation

import (
	"slices"
	"strings"

	"damier/rules"
)

// gameReader reads one game.
type gameReader struct {
	*Reader
	game    *Game
	body    bool     // the game has a start position, which no FEN can change any more
	kind    gameType // from the GameType tag, zero without one
	tagged  string   // the GameType tag
	names   names
	bracket bool     // the next move is in brackets, in Manoury's notation
	early   []string // comments before the tags
	chosen  bool     // the variant of the game is known, where it had to be chosen
}

// opening are the tags that begin a game if the game before has no terminator.
var opening = Tags{
	{Name: "Event"}, {Name: "Site"}, {Name: "Date"}, {Name: "Round"}, {Name: "White"}, {Name: "Black"},
	{Name: "Result"}, {Name: "GameType"}, {Name: "FEN"},
}

// read reads to the end of the game. It also returns the line of an error.
func (s *gameReader) read() (int, error) {
	for {
		t, err := s.peek()
		if err != nil {
			s.take()
			return t.line, err
		}
		switch t.kind {
		case endOfFile:
			return t.line, s.finish(Unknown)
		case result:
			if err := s.finish(t.result); err != nil {
				return t.line, err // skipGame will take the terminator
			}
			s.take()
			return t.line, nil
		case tagToken:
			if s.body && (opening.Has(t.name) || s.game.Tags.Has(t.name)) {
				return t.line, s.finish(Unknown)
			}
			if err := s.tag(t); err != nil {
				s.take()
				return t.line, err
			}
		case moveToken:
			err = s.move(t.text)
		case comment:
			if err = s.begin(); err == nil {
				s.comment(t.text)
			}
		case nag:
			if err = s.begin(); err == nil {
				s.game.Notes = append(s.game.Notes, Note{Ply: s.game.Ply(), NAG: t.number})
			}
		case setup:
			var done bool
			if done, err = s.setup(t.text); done {
				s.take()
				return t.line, s.finish(Unknown)
			}
		case openParen:
			s.take()
			if s.manoury {
				if s.bracket {
					return t.line, rules.Messagef("a bracket is opened within brackets")
				}
				s.bracket = true
				continue
			}
			if line, err := s.branch(t.line); err != nil {
				return line, err
			}
			continue
		case closeParen:
			if !s.manoury || !s.bracket {
				err = rules.Messagef("a bracket is closed that was not opened")
			}
			s.bracket = false
		}
		s.take()
		if err != nil {
			return t.line, err
		}
	}
}

// tag adds a tag. If a name occurs twice, the first one counts.
func (s *gameReader) tag(t token) error {
	if s.game.Tags.Has(t.name) {
		return nil
	}
	if len(s.game.Tags) == mostTags {
		return rules.Messagef("the game has more than %d tags", mostTags)
	}
	tag := Tag{t.name, oneLine(t.text)}
	s.game.Tags = append(s.game.Tags, tag)
	if s.choose != nil && !s.chosen {
		return nil // it is looked at when the variant is known
	}
	if err := checkTag(s.v, tag); err != nil {
		return err
	}
	if strings.EqualFold(tag.Name, "GameType") {
		s.setType(tag.Value)
	}
	return nil
}

// setType sets the notation of squares from a GameType tag.
func (s *gameReader) setType(tag string) {
	if t, ok := parseGameType(tag); ok {
		s.kind, s.tagged = t, plainTag(tag)
		s.names = t.names(s.v, s.tagged)
	}
}

// fen reads a position in the notation of the game.
func (s *gameReader) fen(text string) (rules.Position, error) {
	return rules.ParseFEN(s.v, s.kind.fen(s.v, s.tagged, text))
}

// begin makes the start of the game from its tags, once.
func (s *gameReader) begin() error {
	if s.body {
		return nil
	}
	s.body = true
	if err := s.chooseVariant(); err != nil {
		return err
	}
	start := s.v.Start()
	if s.kind.full {
		start.Turn = s.kind.first
	}
	if fen := s.game.Tags.Get("FEN"); fen != "" {
		p, err := s.fen(fen)
		if err != nil {
			s.game.Game = rules.NewGame(s.v)
			return err
		}
		start = p
	}
	s.game.Game = rules.NewGameFrom(s.v, start)
	s.keepEarly()
	return nil
}

// keepEarly puts the comments before the tags at the start of the game.
func (s *gameReader) keepEarly() {
	for _, text := range s.early {
		s.comment(text)
	}
	s.early = nil
}

// comment adds a comment at the present ply.
func (s *gameReader) comment(text string) {
	if text = CleanComment(text); text != "" {
		s.game.Notes = append(s.game.Notes, Comment(s.game.Ply(), text))
	}
}

// setup reads the text of a SETUP. At the beginning of the game it sets the start position; later
// it ends the game, and another one begins there.
func (s *gameReader) setup(text string) (done bool, err error) {
	if err := s.chooseVariant(); err != nil {
		return false, err
	}
	fen, ok := strings.CutPrefix(strings.TrimSpace(text), "FEN")
	if !ok {
		return false, rules.Messagef("setup %q: only FEN is known; write /FEN \"W:...\"/", clip(text))
	}
	p, err := s.fen(strings.Trim(strings.TrimSpace(fen), `"`))
	if err != nil {
		return false, err
	}
	if !s.body || s.game.Ply() == 0 {
		s.body = true
		s.game.Game = rules.NewGameFrom(s.v, p)
		s.keepEarly()
		return false, nil
	}
	next := &Game{Game: rules.NewGameFrom(s.v, p), Tags: slices.Clone(s.game.Tags)}
	next.Tags.Set("FEN", fenOf(s.v, p))
	s.carry = next
	return true, nil
}

// move plays a move. If the rules found a draw before it, nobody claimed it.
func (s *gameReader) move(text string) error {
	if err := s.begin(); err != nil {
		return err
	}
	g := s.game.Game
	if g.Ply() == mostPlies {
		return rules.Messagef("the game has more than %d plies", mostPlies)
	}
	if turn := g.Position().Turn; s.manoury && s.bracket != (turn == rules.Black) {
		return rules.Messagef("%s is to move, and Black's moves alone stand in brackets: %q", turn, clip(text))
	}
	if outcome, _ := g.Outcome(); outcome == rules.Draw {
		g.End(rules.Ongoing, rules.NoReason)
	}
	m, err := parseMove(s.v, s.names, g.Position(), g.Legal(), text)
	if err != nil {
		return err
	}
	return g.Play(m)
}

// CleanComment returns a text in the form of a comment: on one line, without the closing brace.
func CleanComment(text string) string { return strings.ReplaceAll(oneLine(text), "}", ")") }

// branch reads a variation of the game after its opening bracket.
func (s *gameReader) branch(opened int) (int, error) {
	if !s.body || s.game.Ply() == 0 {
		return s.skipVariation(opened) // there is no move to replace
	}
	at := s.game.Ply() - 1
	v, ok, line, err := s.variation(opened, at, 0, s.game.Positions()[at])
	if ok {
		s.game.Variations = append(s.game.Variations, v)
	}
	return line, err
}

// skipVariation skips to the closing bracket of the variation just opened.
func (s *gameReader) skipVariation(opened int) (int, error) {
	for depth := 1; depth > 0; {
		t, err := s.peek()
		if err != nil {
			s.take()
			return t.line, err
		}
		switch t.kind {
		case openParen:
			depth++
		case closeParen:
			depth--
		case endOfFile:
			return opened, errUnclosed
		case tagToken:
			if opening.Has(t.name) {
				return opened, errUnclosed
			}
		}
		s.take()
	}
	return 0, nil
}

// errUnclosed is the error for a variation that goes on to the next game or the end of the file.
var errUnclosed error = rules.Messagef("a variation is opened and not closed")

// finish sets the result of the game: that of its Result tag, or else that of the terminator.
func (s *gameReader) finish(terminator Result) error {
	if err := s.begin(); err != nil {
		return err
	}
	if s.bracket {
		return rules.Messagef("a bracket is opened and not closed")
	}
	s.game.Result = terminator
	if r, ok := resultTexts[s.game.Tags.Get("Result")]; ok && r != Unknown {
		s.game.Result = r
	}
	if s.carry != nil {
		s.game.Result = Unknown // the game continues from another position
	}
	s.game.settle()
	return nil
}
