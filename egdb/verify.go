package egdb

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"damier/rules"
)

// wrongError is the error for a value that contradicts the rules. errors.Is treats it as
// ErrDamaged.
type wrongError struct {
	file     string
	fen      string
	has      value
	expected value
}

func (e *wrongError) Error() string {
	r, n := e.has.result()
	s, k := e.expected.result()
	return fmt.Sprintf("%s: %s is a %s in %d; its moves make it a %s in %d", e.file, e.fen, r, n, s, k)
}

// Is reports whether err is ErrDamaged.
func (e *wrongError) Is(err error) bool { return err == ErrDamaged }

// Verifier checks the files of tables.
type Verifier struct {
	Variant *rules.Variant
	Dir     string
	Pieces  int    // largest number of pieces, 2 to MaxPieces; 0 for all that exist
	Memory  uint64 // in bytes, 0 for DefaultMemory
	Quick   bool   // only read the files and compare their checksums

	// Progress, if not nil, is called with the number of checked positions, from several
	// goroutines at once.
	Progress func(done, total int64)
}

// Verify checks all existing files: first their checksums, then every position. It looks forward,
// by the rules only, and compares the value of a position with those of the positions after its
// moves. If all agree, all values are right: a position that ends in n plies has a move to a value
// of n-1 plies (or only such moves), down to the end of the game; and from the remaining
// positions, the draws, no side can force a win.
//
// It returns the number of positions it has checked. The error wraps ErrDamaged if a file is
// damaged or a value is wrong, and fs.ErrNotExist if there is no table.
func (r *Verifier) Verify(ctx context.Context) (int64, error) {
	pieces := r.Pieces
	if pieces == 0 {
		pieces = MaxPieces
	}
	p, err := newPlan(r.Variant, r.Dir, pieces, r.Memory, 2)
	if err != nil {
		return 0, err
	}
	defer p.close()
	var todo []Material
	var total int64
	for n := 2; n <= pieces; n++ {
		for _, m := range Materials(n) {
			f := p.files[m]
			if f == nil {
				continue
			}
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := f.check(); err != nil {
				return 0, err
			}
			todo = append(todo, m)
			total += int64(f.header.Positions)
		}
	}
	if len(todo) == 0 {
		return 0, fmt.Errorf("no endgame tables of %s in %s: %w", r.Variant, Folder(r.Dir, r.Variant), fs.ErrNotExist)
	}
	if r.Quick {
		return total, nil
	}
	progress := newCounter(r.Progress, 0, total)
	for _, m := range todo {
		if err := p.enough(m); err != nil {
			return progress.done.Load(), err
		}
		if err := p.load(m); err != nil {
			return progress.done.Load(), err
		}
		for _, n := range pair(m) {
			if err := p.hold(n); err != nil {
				return progress.done.Load(), err
			}
		}
		if err := p.tables.verify(ctx, m, p.files[m].name, progress); err != nil {
			return progress.done.Load(), err
		}
	}
	return total, nil
}

// verify compares all values of m, which are in memory, with those after its moves.
func (t *Tables) verify(ctx context.Context, m Material, name string, progress *counter) error {
	x := t.tables[m.id()]
	var next atomic.Uint64
	var failed atomic.Pointer[error]
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var moves []rules.Move
			for ctx.Err() == nil && failed.Load() == nil {
				from := (next.Add(1) - 1) * chunk
				if from >= x.index.size {
					return
				}
				to := min(from+chunk, x.index.size)
				for i := from; i < to; i++ {
					p := x.index.Position(i)
					var want value
					var err error
					if want, moves, err = t.expected(p, moves); err == nil && want != x.raw[i] {
						err = &wrongError{name, t.board.v.FEN(p), x.raw[i], want}
					}
					if err != nil {
						failed.CompareAndSwap(nil, &err)
						return
					}
				}
				progress.add(int64(to - from))
			}
		}()
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// expected returns the value of p that follows from the values of the positions after its moves.
// moves is memory for the moves, which it returns.
func (t *Tables) expected(p rules.Position, moves []rules.Move) (value, []rules.Move, error) {
	v := t.board.v
	moves = v.AppendMoves(moves[:0], p)
	if len(moves) == 0 {
		return stuck(v, &p), moves, nil
	}
	if v.DrawByCount(p) != rules.NoReason {
		return 0, moves, nil
	}
	var best value
	for i, m := range moves {
		q := v.Play(p, m)
		after, ok := t.value(&q)
		if !ok {
			if err := t.Err(); err != nil {
				return 0, moves, err
			}
			return 0, moves, fmt.Errorf("no table of %s for %s", v, v.FEN(q))
		}
		if u := after.before(); i == 0 || u.better(best) {
			best = u
		}
	}
	return best, moves, nil
}
