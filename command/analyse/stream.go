package analyse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"damier/notation"
	"damier/review"
	"damier/rules"
)

// ahead is how many games are read before they can be written.
const ahead = 256

// task is a game on its way, or what cannot be read of one.
type task struct {
	file   string
	number int            // of the game in its file, from 1
	game   *notation.Game // nil if nothing of it can be read
	bad    error          // why it cannot be read to its end

	review *review.Review
	err    error
	done   chan struct{}
}

// output is where games go, in their order.
type output interface {
	game(t *task) error
	end(bad int) error
}

// stream reviews games on several cores and writes them in the order of the files.
type stream struct {
	who         *judge
	variant     *rules.Variant // of games that tell none
	concurrency int
	progress    *progress
}

// run returns how many games were written, and how many could not be read to their end. tell gets
// a line about each of these.
func (s *stream) run(ctx context.Context, sources []source, out output, tell func(string)) (good, bad int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	order, jobs := make(chan *task, ahead), make(chan *task, ahead)
	var readErr error // of a file; set before order is closed
	group.Go(func() {
		defer close(order)
		defer close(jobs)
		readErr = s.read(ctx, sources, func(t *task) bool {
			select {
			case order <- t:
			case <-ctx.Done():
				return false
			}
			jobs <- t // never more than order holds, and one for each that waits
			return true
		})
	})
	for range s.concurrency {
		group.Go(func() { s.work(ctx, jobs) })
	}
	for t := range order {
		select {
		case <-t.done:
		case <-ctx.Done():
			return good, bad, ctx.Err()
		}
		if t.err != nil {
			return good, bad, t.err
		}
		if t.bad != nil {
			bad++
			tell(t.complaint())
		}
		if t.game == nil {
			continue
		}
		if err := out.game(t); err != nil {
			return good, bad, err
		}
		good++
	}
	if err := ctx.Err(); err != nil {
		return good, bad, err
	}
	return good, bad, readErr
}

// complaint says what cannot be read of the game, and what is done with the rest.
func (t *task) complaint() string {
	if t.game == nil {
		return fmt.Sprintf("%s: %v; the game is left out", t.file, t.bad)
	}
	moves := "moves before it are"
	if t.game.Ply() == 1 {
		moves = "move before it is"
	}
	return fmt.Sprintf("%s: %v; the %d %s analysed", t.file, t.bad, t.game.Ply(), moves)
}

// read gives all games of the sources to yield, until that returns false.
func (s *stream) read(ctx context.Context, sources []source, yield func(*task) bool) error {
	for _, x := range sources {
		s.progress.expect(x.size)
	}
	for _, x := range sources {
		counted := &counter{r: x.r, n: &s.progress.bytes}
		r := notation.NewVariantsReader(counted, func(t notation.Tags) (*rules.Variant, error) {
			return notation.VariantOf(t, s.variant)
		})
		for n := 1; ; n++ {
			g, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			t := &task{file: x.name, number: n, game: g, bad: err, done: make(chan struct{})}
			var parse *notation.ParseError
			switch {
			case err == nil:
			case errors.As(err, &parse):
				t.game = parse.Read
			default:
				return fmt.Errorf("%s: %w", x.name, err)
			}
			if t.game != nil {
				s.progress.read(t.game.Ply() + 1)
			}
			if !yield(t) {
				return ctx.Err()
			}
		}
	}
	s.progress.all()
	return nil
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// work reviews games until there are no more.
func (s *stream) work(ctx context.Context, jobs <-chan *task) {
	analysts := map[string]*review.Analyst{}
	for t := range jobs {
		if t.game != nil && ctx.Err() == nil {
			t.review, t.err = s.review(ctx, analysts, t.game)
		}
		close(t.done)
	}
}

func (s *stream) review(ctx context.Context, analysts map[string]*review.Analyst, g *notation.Game) (*review.Review, error) {
	v := g.Variant()
	a := analysts[v.String()]
	if a == nil {
		var err error
		if a, err = s.who.analyst(ctx, v); err != nil {
			return nil, err
		}
		analysts[v.String()] = a
	}
	return a.Review(ctx, g.Game, s.progress.step)
}
