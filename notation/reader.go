package notation

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"damier/rules"
)

// ParseError is the error for a game that cannot be read, with its place in the file and the
// reason. The Reader can continue with the next game.
type ParseError struct {
	Line int // from 1
	Game int // from 1
	Ply  int // number of moves read before the bad one
	Err  error

	// Read is the game up to the bad move, with its tags and without an end; nil where no move was
	// read.
	Read *Game
}

// Error returns the place and the reason.
func (e *ParseError) Error() string { return e.Message().Error() }

// Message implements [rules.Messenger].
func (e *ParseError) Message() *rules.Message {
	return rules.Messagef("line %d: game %d, ply %d: %v", e.Line, e.Game, e.Ply+1, e.Err)
}

// Unwrap returns the reason.
func (e *ParseError) Unwrap() error { return e.Err }

// Reader reads the games of a PDN file. It accepts what programs of three decades have written:
//
//   - UTF-8 or Latin-1, lines that begin with %, comments in braces or from ; to the end of the
//     line;
//   - games separated by * or by a result of any family (2-0, 1-0, 1/2-1/2 ...), or by nothing but
//     the tags of the next game; tags after the moves;
//   - moves in every form that [ParseMove] reads, move numbers of any kind or none;
//   - strength marks as annotation glyphs, variations, [pdn] wrappers of forums;
//   - squares as numbers or coordinates whatever the game; numbers counted from another corner
//     than the variant's, and another side to begin, where the GameType tag says so;
//   - a position as a FEN tag or as /FEN "..."/; one in mid-game ends the game there, and what
//     follows is the next game, from that position and with the same tags.
//
// The rules of the variant decide which moves are legal. But a game may go on after a draw by
// rule, because people may not have claimed it. A variation ends before a move that the rules do
// not allow.
type Reader struct {
	v     *rules.Variant
	lexer *lexer
	ahead *ahead // the next token, if it was peeked
	games int
	// The next game, begun by a SETUP in the middle of a game.
	carry   *Game
	manoury bool                               // brackets hold Black's moves, not variations
	choose  func(Tags) (*rules.Variant, error) // the variant of a game; nil where all are of v
}

// ahead is a token, or the error in its place.
type ahead struct {
	token token
	err   error
}

// NewReader returns a reader of r. It holds some MiB of r at a time; a comment or a line must not
// be longer than one MiB. A tag GameType, Variant or VariantOptions of another variant is an error
// of its game.
func NewReader(r io.Reader, v *rules.Variant) *Reader {
	return &Reader{v: v, lexer: newFileLexer(r, window)}
}

// ParsePDN returns all games of a PDN text. It stops at the first bad game and returns those
// before it.
func ParsePDN(v *rules.Variant, text string) ([]*Game, error) {
	return (&Reader{v: v, lexer: newLexer([]byte(text))}).all()
}

// all returns the games up to the end or the first bad one.
func (r *Reader) all() ([]*Game, error) {
	var games []*Game
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return games, err
		}
		games = append(games, g)
	}
}

// ReadFile returns all games of a PDN file; its errors name the file.
func ReadFile(v *rules.Variant, name string) ([]*Game, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	games, err := ParsePDN(v, string(text))
	if err != nil {
		err = rules.Messagef("%s: %w", name, err)
	}
	return games, err
}

// PartError is the error for a text of which only some games can be read.
type PartError struct {
	Bad, Of int   // number of unreadable games, and of all games
	Err     error // the error of the first unreadable game
}

// Error returns the numbers, and the first error.
func (e *PartError) Error() string { return e.Message().Error() }

// Message implements [rules.Messenger].
func (e *PartError) Message() *rules.Message {
	return rules.Messagef("%d of %d games cannot be read: %v", e.Bad, e.Of, e.Err)
}

// Unwrap returns the error for the first game that cannot be read.
func (e *PartError) Unwrap() error { return e.Err }

// Parse returns the games of a text in PDN, or in Manoury's notation if it looks like that. If
// only some games can be read it returns these and a [*PartError].
func Parse(v *rules.Variant, text string) ([]*Game, error) {
	pdn := func() ([]*Game, error) { return (&Reader{v: v, lexer: newLexer([]byte(text))}).good() }
	if v.Algebraic || !LooksLikeManoury(text) {
		return pdn()
	}
	r, err := NewManouryReader(strings.NewReader(text), v)
	if err != nil {
		return nil, err
	}
	games, err := r.good()
	if err != nil {
		if others, err := pdn(); err == nil && len(others) > 0 {
			return others, nil
		}
	}
	return games, err
}

// LastGame returns the last readable game of a file in PDN or Manoury's notation, nil if there is
// none, and a [*PartError] if other games cannot be read. It holds one game at a time in memory.
// Errors name the file.
func LastGame(v *rules.Variant, name string) (*Game, error) {
	last, err := lastGame(v, name)
	if path := (*fs.PathError)(nil); err != nil && !errors.As(err, &path) {
		err = rules.Messagef("%s: %w", name, err)
	}
	return last, err
}

func lastGame(v *rules.Variant, name string) (last *Game, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	keep := func(g *Game) { last = g }
	if head := make([]byte, window); !v.Algebraic {
		n, err := io.ReadFull(f, head)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
		manoury := LooksLikeManoury(decode(head[:n]))
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if manoury {
			r, err := NewManouryReader(f, v)
			if err != nil {
				return nil, err
			}
			if err = r.eachGood(keep); err == nil || last != nil {
				return last, err
			}
			if _, e := f.Seek(0, io.SeekStart); e != nil {
				return nil, e
			}
			if NewReader(f, v).eachGood(keep) == nil {
				return last, nil
			}
			return nil, err
		}
	}
	err = NewReader(f, v).eachGood(keep)
	return last, err
}

// good returns the games that can be read.
func (r *Reader) good() (games []*Game, err error) {
	err = r.eachGood(func(g *Game) { games = append(games, g) })
	return games, err
}

// eachGood calls yield with every readable game. If some games cannot be read its error is a
// [*PartError]; if none can, it is the error of the first.
func (r *Reader) eachGood(yield func(*Game)) (err error) {
	good, bad := 0, 0
	for {
		g, e := r.Next()
		if errors.Is(e, io.EOF) {
			break
		}
		if e == nil {
			yield(g)
			good++
			continue
		}
		if bad++; err == nil {
			err = e
		}
	}
	if bad > 0 && good > 0 {
		err = &PartError{Bad: bad, Of: bad + good, Err: err}
	}
	return err
}

// Next returns the next game, or io.EOF after the last. A [*ParseError] concerns one game; the
// next call continues with the game after it. Any other error is that of the file, and no game
// follows it.
func (r *Reader) Next() (*Game, error) {
	s := gameReader{Reader: r, game: &Game{}, names: playersNames(r.v)}
	if r.carry != nil {
		s.game, r.carry = r.carry, nil
		s.body = true
		s.chosen = true
		s.setType(s.game.Tags.Get("GameType"))
	} else {
		t, err := r.peek()
		for err == nil && (t.kind == result || t.kind == comment) {
			if t.kind == comment { // it belongs to the next game, or if only a result follows, to none
				s.early = append(s.early, t.text)
			} else { // a separator without a game
				s.early = nil
			}
			r.take()
			t, err = r.peek()
		}
		if err == nil && t.kind == endOfFile {
			if err := r.lexer.err; err != nil {
				r.lexer.err = nil
				return nil, rules.Messagef("reading games: %w", err)
			}
			return nil, io.EOF
		}
	}
	r.games++
	if line, err := s.read(); err != nil {
		ply := 0
		if s.game.Game != nil {
			ply = s.game.Ply()
		}
		r.skipGame(s.body)
		return nil, &ParseError{Line: line, Game: r.games, Ply: ply, Err: err, Read: s.part()}
	}
	return s.game, nil
}

// peek returns the next token without taking it.
func (r *Reader) peek() (token, error) {
	if r.ahead == nil {
		t, err := r.lexer.next()
		r.ahead = &ahead{t, err}
	}
	return r.ahead.token, r.ahead.err
}

func (r *Reader) take() { r.ahead = nil }

// skipGame skips to the end of a bad game: after its terminator or, if its body has begun, before
// the tags of the next game.
func (r *Reader) skipGame(body bool) {
	for {
		t, err := r.peek()
		if err == nil && (t.kind == endOfFile || t.kind == tagToken && body) {
			return
		}
		r.take()
		if err == nil && t.kind == result {
			return
		}
		body = body || err == nil && t.kind != tagToken
	}
}

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
	for _, text := range s.early {
		s.comment(text)
	}
	return nil
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
