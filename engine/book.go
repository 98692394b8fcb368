package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"damier/rules"
)

// Book holds moves for the beginning of a game. It is safe for concurrent use.
type Book interface {
	// Choices returns the moves of the book in a game, the best first, with their expected scores
	// for the side to move; none if the book does not serve here.
	Choices(g *rules.Game) []Move
}

// BookUse says how an engine uses its book.
type BookUse struct {
	Off    bool
	Margin int // hundredths of a man: moves that lose at most so much against the best are drawn from
	Plies  int // the book serves for so many plies of a game; 0 means any number
}

// DefaultBookMargin is the default of BookUse.Margin.
const DefaultBookMargin = 4

// Opener is an engine that first looks into a book. It searches to analyse, and at a level below
// full strength: a book of strong moves would not be weak play.
type Opener struct {
	Engine
	book Book
	use  BookUse
	weak bool // a level below full strength
	rng  *rand.Rand
}

// NewOpener returns e with a book.
func NewOpener(e Engine, b Book, use BookUse) *Opener {
	o := &Opener{Engine: e, book: b, use: use}
	o.rng = rand.New(rand.NewPCG(rand.Uint64(), bookStream))
	return o
}

// bookStream separates the choice among moves of the book from the other random choices.
const bookStream = 0x626f6f6b

// UseBook changes how the engine uses its book.
func (o *Opener) UseBook(use BookUse) { o.use = use }

// Seed implements [Engine]; it also seeds the choice among moves of the book.
func (o *Opener) Seed(seed uint64) {
	o.Engine.Seed(seed)
	o.rng = rand.New(rand.NewPCG(seed, bookStream))
}

// SetLevel implements [Engine].
func (o *Opener) SetLevel(n int) error {
	err := o.Engine.SetLevel(n)
	if err == nil {
		o.weak = !LevelOf(n).Full
	}
	return err
}

// SetOwn implements [Engine].
func (o *Opener) SetOwn(l Limits) error {
	err := o.Engine.SetOwn(l)
	if err == nil {
		o.weak = false
	}
	return err
}

// Drawn returns how many moves of a position an engine chooses from at random: those that lose at
// most Margin against the best. There are n moves, the best first; expected is the score of one.
func (u BookUse) Drawn(n int, expected func(i int) float64) int {
	for i := range n {
		if Men(expected(0))-Men(expected(i)) > float64(u.Margin)/100+1e-9 {
			return i
		}
	}
	return n
}

// bookLine is the largest number of moves of a line from the book.
const bookLine = 12

// Think implements [Engine].
func (o *Opener) Think(ctx context.Context, g *rules.Game, l Limits, report func(Thought)) (Thought, error) {
	began := time.Now()
	if o.use.Off || o.weak || l.Analyze || l.Infinite || o.use.Plies > 0 && g.Ply() >= o.use.Plies {
		return o.Engine.Think(ctx, g, l, report)
	}
	all := o.book.Choices(g)
	if len(all) == 0 {
		return o.Engine.Think(ctx, g, l, report)
	}
	n := o.use.Drawn(len(all), func(i int) float64 { return all[i].Expected })
	chosen := all[o.rng.IntN(n)]
	found := Thought{
		Move: chosen.Line[0], Expected: chosen.Expected, Moves: all, Book: true,
		Line: slices.Clone(chosen.Line),
	}
	sortMoves(found.Moves, found.Move)
	for after := g.Clone(); len(found.Line) < bookLine; {
		if after.Play(found.Line[len(found.Line)-1]) != nil || after.Over() {
			break
		}
		next := o.book.Choices(after)
		if len(next) == 0 {
			break
		}
		found.Line = append(found.Line, next[0].Line[0])
	}
	found.Moves[0].Line = found.Line
	found.Elapsed = time.Since(began)
	if report != nil {
		report(found)
	}
	return found, nil
}
