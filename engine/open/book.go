package open

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"damier/arena"
	"damier/book"
	"damier/engine"
	"damier/internal/cli"
	"damier/rules"
)

// Book opens the opening book of v. setting is on, off, or the name of a file; for off and "", and
// for on where there is no book, it returns nil.
func Book(v *rules.Variant, setting string) (*book.Book, error) {
	b, err := book.Get(setting, v)
	if errors.Is(err, book.ErrDamaged) || errors.Is(err, book.ErrForeign) {
		return nil, cli.WithCode(cli.Damaged, err)
	}
	return b, err
}

// moves is a book as an engine has it.
type moves struct{ *book.Book }

// Choices implements [engine.Book].
func (m moves) Choices(g *rules.Game) []engine.Move {
	var all []engine.Move
	for _, c := range m.Book.Choices(g) {
		all = append(all, engine.Move{Line: []rules.Move{c.Move}, Expected: c.Score.Expected()})
	}
	return all
}

// withBook makes an engine, and gives it the book of the description or the settings.
func withBook(v *rules.Variant, s Spec, o Settings, make func(Spec) (engine.Engine, error)) (engine.Engine, error) {
	b, err := Book(v, cmp.Or(s.Book, o.Book))
	if err != nil || b == nil {
		if err != nil {
			return nil, err
		}
		return make(s)
	}
	level := s.Level
	s.Level = 0 // the Opener must know of it
	e, err := make(s)
	if err != nil {
		return nil, err
	}
	e = engine.NewOpener(e, moves{b}, o.BookUse)
	if level > 0 {
		return e, e.SetLevel(level)
	}
	return e, nil
}

// book gives the players of a side the book of its description. A level below full strength has
// none.
func (m maker) book(s *Side) {
	if m.spec.Level > 0 && !engine.LevelOf(m.spec.Level).Full {
		return
	}
	prepare, plain := s.prepare, s.Make
	s.prepare = func() error {
		s.Make = plain
		b, err := Book(m.v, m.spec.Book)
		if err != nil {
			return err
		}
		if b == nil && m.spec.Book == book.On {
			return cli.Usagef("player %q: there is no book of %s; make one by damier book build, or leave out book=on",
				m.text, m.v)
		}
		if prepare != nil {
			if err := prepare(); err != nil {
				return err
			}
		}
		if b == nil {
			return nil
		}
		without := s.Make // prepare may have set it
		s.Make = func() (arena.Player, error) {
			p, err := without()
			if err != nil {
				return nil, err
			}
			inner := p
			if named, ok := p.(arena.Named); ok {
				inner = named.Player
			}
			use := engine.BookUse{Margin: engine.DefaultBookMargin}
			if e, ok := inner.(interface {
				UseBook(engine.Book, engine.BookUse)
			}); ok {
				e.UseBook(moves{b}, use)
			}
			return p, nil
		}
		return nil
	}
}

// Searcher makes a searcher for the building of books: the engine of a description on one core,
// with a search of so many nodes (visits of a tree search) for each position. Name is the engine's.
// For the hash of its network see [NetworkHash].
func Searcher(v *rules.Variant, s Spec, nodes int, seed uint64) (searcher book.Searcher, name string, err error) {
	if s.Kind == Tree {
		s.Visits = nodes
	} else {
		s.Nodes = uint64(nodes)
	}
	e, err := Engine(v, s, Settings{Cores: 1, TableBits: searcherBits})
	if err != nil {
		return nil, "", err
	}
	name = e.Name()
	if s.Kind == Tree || s.Kind == NNUE {
		name = networkLabel(s) // with the kind of search
	}
	return &searches{e, seed}, name, nil
}

// NetworkHash returns the SHA-256 of the file of the network that the engine of a description has,
// in hexadecimal digits, as a book names it; "" if it has none.
func NetworkHash(v *rules.Variant, s Spec) (string, error) {
	content, err := NetworkContent(v, s)
	if err != nil || content == nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// searcherBits is the size of the table of a Searcher: small, because each search clears it.
const searcherBits = 15

type searches struct {
	engine engine.Engine
	seed   uint64
}

// Search implements [book.Searcher].
func (s *searches) Search(ctx context.Context, p rules.Position) (float64, error) {
	s.engine.NewGame() // so that nothing depends on earlier searches
	s.engine.Seed(s.seed)
	t, err := s.engine.Think(ctx, rules.NewGameFrom(s.engine.Variant(), p), engine.Limits{}, nil)
	return t.Expected, err
}
