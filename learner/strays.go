package learner

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"damier/data"
	"damier/selfplay"
)

// mixture is what a refit learns: the rows of the window, and those of stray positions.
type mixture struct {
	window *data.Window
	strays *data.Rows
}

var _ data.Source = mixture{}

// Len implements [data.Source]. The rows of the window come first.
func (m mixture) Len() int { return m.window.Len() + m.strays.Len() }

// At implements [data.Source].
func (m mixture) At(i int) data.Sample {
	if n := m.window.Len(); i >= n {
		return m.strays.At(i - n)
	}
	return m.window.At(i)
}

// Prefetch implements [data.Source].
func (m mixture) Prefetch(i int) {
	if n := m.window.Len(); i >= n {
		m.strays.Prefetch(i - n)
	} else {
		m.window.Prefetch(i)
	}
}

// straysTogether is the number of stray positions that are searched before their rows are added.
const straysTogether = 4096

// strays searches stray positions with the run's newest network, and returns their rows with those
// of the window. They depend on the run and its generation, not on the number of actors.
func (l *Learner) strays(ctx context.Context) (mixture, error) {
	m := mixture{l.replay.train, &data.Rows{}}
	want := int(l.cfg.Refit.Strays * float64(m.window.Len()))
	if want == 0 {
		return m, nil
	}
	l.report.Note("for a new network, the newest one searches %s stray positions", thousands(want))
	makers := make([]*selfplay.Strays, l.cfg.ActorCount())
	for i := range makers {
		leaves, err := l.newest().Evaluator()
		if err != nil {
			return m, err
		}
		if makers[i], err = selfplay.NewStrays(l.variant, l.cfg.SelfPlay, leaves); err != nil {
			return m, err
		}
	}
	if err := giveTables(ctx, l.variant, l.cfg.SelfPlay.Tables, makers...); err != nil {
		return m, err
	}
	for done := 0; done < want; {
		n := min(straysTogether, want-done)
		all, err := l.someStrays(ctx, makers, m.window, done, n)
		if err != nil {
			return m, err
		}
		for _, s := range all {
			if s.ok {
				m.strays.Add(s.row.Position, s.row.Score)
			}
		}
		done += n
		l.report.Playing(l, done, want)
	}
	return m, nil
}

// stray is a stray position with its value, if its line has led to one.
type stray struct {
	row data.Sample
	ok  bool
}

// someStrays searches the stray positions numbered from first to below first+n.
func (l *Learner) someStrays(ctx context.Context, makers []*selfplay.Strays, w *data.Window, first, n int) ([]stray, error) {
	all := make([]stray, n)
	var next atomic.Int64
	making, ctx := errgroup.WithContext(ctx)
	for _, maker := range makers {
		making.Go(func() error {
			for {
				k := int(next.Add(1)) - 1
				if k >= n {
					return nil
				}
				rng := rand.New(rand.NewPCG(l.cfg.Seed^'s'<<56, uint64(l.run.Manifest.Generation)<<32|uint64(first+k)))
				from := w.At(rng.IntN(w.Len())).Position
				var err error
				if all[k].row, all[k].ok, err = maker.Search(ctx, from, rng); err != nil {
					return err
				}
			}
		})
	}
	return all, making.Wait()
}
