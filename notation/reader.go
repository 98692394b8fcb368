package notation

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"damier/rules"
)

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
	size    int                                // of the tokens of the game so far; -1 while a game is skipped
}

// The limits of a game, far above those of any that was played.
const (
	mostPlies = 10_000
	mostTags  = 1_000
	mostSize  = 8 << 20 // bytes of its tokens, each with tokenSize more
	tokenSize = 64
)

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
	defer func() { r.size = 0 }()
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
		if err == nil {
			err = r.count(t)
		}
		r.ahead = &ahead{t, err}
	}
	return r.ahead.token, r.ahead.err
}

// count adds t to the size of its game, unless it may belong to the next one.
func (r *Reader) count(t token) error {
	if r.size < 0 || t.kind == result || t.kind == endOfFile || t.kind == tagToken && opening.Has(t.name) {
		return nil
	}
	if r.size += len(t.text) + len(t.name) + tokenSize; r.size > mostSize {
		return rules.Messagef("the game is longer than %d MiB", mostSize>>20)
	}
	return nil
}

func (r *Reader) take() { r.ahead = nil }

// skipGame skips to the end of a bad game: after its terminator or, if its body has begun, before
// the tags of the next game.
func (r *Reader) skipGame(body bool) {
	r.size = -1
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
