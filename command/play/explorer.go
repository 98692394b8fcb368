package play

import (
	"context"
	"fmt"
	"io"

	"damier/book/played"
	"damier/engine/open"
	"damier/internal/plain"
	"damier/rules"
	"damier/web/board"
)

// bookMoves implements board.Config.Book.
func (s *networkShelf) bookMoves(
	v *rules.Variant, p rules.Position,
) (moves []board.BookMove, there bool, err error) {
	b, err := open.Book(v, s.bookSetting(v))
	if b == nil || err != nil {
		return nil, false, err
	}
	all := b.Moves(p)
	drawn := s.book.use.Drawn(len(all), func(i int) float64 { return all[i].Score.Expected() })
	for i, c := range all {
		m := board.BookMove{Move: c.Move, Expected: c.Score.Expected()}
		if i < drawn {
			m.Share = 1 / float64(drawn)
		}
		moves = append(moves, m)
	}
	return moves, true, nil
}

// ownGames implements board.Collection.
type ownGames struct{ *played.Games }

// Results implements board.Collection.
func (g ownGames) Results(v *rules.Variant, p rules.Position) board.Results {
	r := g.Games.Results(v, p)
	x := board.Results{
		White: int(r.Wins), Draws: int(r.Draws), Black: int(r.Losses), Unknown: int(r.Unknown),
	}
	if p.Turn == rules.Black {
		x.White, x.Black = x.Black, x.White
	}
	return x
}

// Reading implements board.Collection.
func (g ownGames) Reading() board.CollectionState { return board.CollectionState(g.Progress()) }

// maxBadPrinted is the number of errors of games that are printed.
const maxBadPrinted = 20

// readGames reads the games of files until ctx is done. It prints to log which cannot be read, and
// how many games there are.
func readGames(
	ctx context.Context, g *played.Games, names []string, preferred *rules.Variant, log io.Writer,
) {
	n := 0
	g.Read(ctx, names, preferred, func(err error) {
		if n++; n <= maxBadPrinted {
			fmt.Fprintf(log, "--games: %s\n", plain.Line(err.Error()))
		}
	})
	p := g.Progress()
	if n > maxBadPrinted {
		fmt.Fprintf(log, "--games: and %d more errors\n", n-maxBadPrinted)
	}
	fmt.Fprintf(log, "--games: %d games read for the opening explorer", p.Games)
	fmt.Fprintf(log, "; %d cannot be read to their end\n", p.Bad)
	if p.Full {
		fmt.Fprintf(log, "--games: they have more than %d positions, so the rest is not read\n",
			played.MaxPositions)
	}
}
