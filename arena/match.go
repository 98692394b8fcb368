package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"damier/rules"
)

// DefaultMaxPlies returns the default length in plies at which a game of a match is a draw: six
// plies for each square of the board, and at least 300, the value for 10x10.
func DefaultMaxPlies(v *rules.Variant) int { return max(300, 6*v.Board.Squares()) }

// Match holds the settings of a match. The zero value of an optional field means its default.
type Match struct {
	Variant *rules.Variant
	A, B    Factory

	// Openings are used in order, one for each pair of games. If there are more pairs than
	// openings, they start again with the first. With none, every game begins at the start
	// position.
	Openings []Opening

	// Games is the number of games, even and at least 2. With an SPRT it is the largest number.
	Games int

	// Concurrency is the number of games played at a time, each by its own players on its own
	// goroutine; the default is the number of processors of the process. Players that share an
	// evaluator which collects leaves from many games need more; players with a time limit must
	// not have more than there are processors.
	Concurrency int

	// MaxPlies draws a game of that many plies, including the opening, with reason rules.PlyLimit.
	// Zero means DefaultMaxPlies of the variant, negative no limit.
	MaxPlies int

	// Seed seeds players that are Seeders.
	Seed uint64

	// Clock, if not nil, is the time control. Players that are Clocked or Paced play by it, and a
	// player whose clock runs out has lost. Without a clock players have their own limits.
	Clock *Control

	// Adjudication, if not nil, ends a game early when its players agree on the result.
	Adjudication *Adjudication

	// Tables, if not nil, end a game as soon as they know its outcome, with regard to the draw
	// counters.
	Tables Tables

	// SPRT, if not nil, ends the match as soon as it reaches a verdict.
	SPRT *SPRT

	// Elsewhere, if not nil, has the games played by others, with the same players: it takes the
	// numbers of games, which come in order and end with the channel, and sends each finished game
	// once; see [Match.PlayPair]. It returns when all are sent, or the context is done.
	Elsewhere func(ctx context.Context, games <-chan int, done chan<- GameRecord) error

	// OnGame, if not nil, is called for every game that counts, in the order of their numbers and
	// one call at a time. Its error ends the match.
	OnGame func(GameRecord) error
}

// Validate returns an error that names the first bad field.
func (m Match) Validate() error {
	switch {
	case m.Variant == nil:
		return errors.New("match: no variant")
	case m.A == nil || m.B == nil:
		return errors.New("match: a player is missing")
	case m.Games < 2:
		return fmt.Errorf("match: %d games; at least 2 are needed", m.Games)
	case m.Games%2 != 0:
		return fmt.Errorf("match: %d games is an odd number, but every opening is played twice, with colours reversed: ask for %d or %d", m.Games, m.Games-1, m.Games+1)
	case m.Concurrency < 0:
		return fmt.Errorf("match: concurrency %d is negative", m.Concurrency)
	}
	if m.Clock != nil {
		if err := m.Clock.Validate(); err != nil {
			return err
		}
	}
	if m.Adjudication != nil {
		if err := m.Adjudication.Validate(); err != nil {
			return err
		}
	}
	if m.SPRT != nil {
		return m.SPRT.Validate()
	}
	return nil
}

// Play plays the match. The result depends only on the players and the seed, not on the order in
// which games finish: games count in the order of their numbers, and those after the verdict of
// the SPRT do not count.
//
// When the context is done Play stops at once and returns the result of all complete pairs, with
// Interrupted set and no error. An error of a player, of OnGame or of the referee ends the match
// with that error and the result so far. The referee replays every finished game with the slow
// generator of package rules.
func (m Match) Play(ctx context.Context) (Result, error) {
	if err := m.Validate(); err != nil {
		return Result{}, err
	}
	m = m.withDefaults()
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var (
		next    = make(chan int)
		done    = make(chan GameRecord)
		failed  = make(chan error, m.Concurrency)
		workers sync.WaitGroup
	)
	work, goroutines := m.work, min(m.Concurrency, m.Games)
	if m.Elsewhere != nil {
		work, goroutines = m.Elsewhere, 1
	}
	for range goroutines {
		workers.Go(func() {
			if err := work(inner, next, done); err != nil {
				failed <- err
				stop()
			}
		})
	}
	go func() {
		defer close(next)
		for n := range m.Games {
			select {
			case next <- n:
			case <-inner.Done():
				return
			}
		}
	}()
	go func() {
		workers.Wait()
		close(done)
		close(failed)
	}()

	t := tally{match: m, first: map[string]int{}, waiting: map[int]GameRecord{}}
	var err error
	for record := range done {
		if err != nil || t.result.Verdict != Inconclusive {
			continue
		}
		if err = t.add(record); err != nil || t.result.Verdict != Inconclusive {
			stop()
		}
	}
	for e := range failed {
		// The context error of a worker that was stopped because another failed is not the cause.
		if err == nil && !errors.Is(e, context.Canceled) && !errors.Is(e, context.DeadlineExceeded) {
			err = e
		}
	}
	if err == nil && t.result.Verdict == Inconclusive && t.result.Games() < m.Games {
		t.result.Interrupted = true
		err = t.rest()
	}
	return t.result, err
}

func (m Match) withDefaults() Match {
	if m.MaxPlies == 0 {
		m.MaxPlies = DefaultMaxPlies(m.Variant)
	}
	if m.Concurrency == 0 {
		m.Concurrency = runtime.GOMAXPROCS(0)
	}
	return m
}

// PlayPair plays the two games of a pair, from 0, as [Match.Play] does: on whatever machine,
// players whose search no clock ends play the same games.
func (m Match) PlayPair(ctx context.Context, pair int, a, b Player) (games [2]GameRecord, err error) {
	m = m.withDefaults()
	for i := range games {
		if games[i], err = m.play(ctx, 2*pair+i, [2]Player{a, b}); err != nil {
			return games, err
		}
	}
	return games, nil
}

// Replay makes the record of game n of the match from the moves that were played after its
// opening, as numbers among the legal moves, and how it ended. The referee replays it; a game that
// this match cannot have is an error. a and b are the names of the players.
func (m Match) Replay(n int, moves []int, o rules.Outcome, why rules.Reason, a, b string) (GameRecord, error) {
	m = m.withDefaults()
	r, err := m.begin(n)
	if err != nil {
		return r, err
	}
	r.White, r.Black = a, b
	if r.A == rules.Black {
		r.White, r.Black = b, a
	}
	g := r.Game
	for i, k := range moves {
		if g.Over() || k < 0 || k >= len(g.Legal()) || m.MaxPlies > 0 && g.Ply() >= m.MaxPlies {
			return r, fmt.Errorf("game %d: its move %d is none of the game", n, i)
		}
		if err := g.Play(g.Legal()[k]); err != nil {
			return r, fmt.Errorf("game %d: %w", n, err)
		}
	}
	if !g.Over() {
		limit := why == rules.PlyLimit && o == rules.Draw && m.MaxPlies > 0 && g.Ply() >= m.MaxPlies
		judged := why == rules.Adjudication && o != rules.Ongoing && m.Adjudication != nil
		if !limit && !judged {
			return r, fmt.Errorf("game %d: it is not over, and said to end by %q", n, why)
		}
		g.End(o, why)
	}
	if was, by := g.Outcome(); was != o || by != why {
		return r, fmt.Errorf("game %d: it ends %v by %q, and is said to end %v by %q", n, was, by, o, why)
	}
	return r, Referee(m.Variant, g)
}

// work plays the games whose numbers it receives from next.
func (m Match) work(ctx context.Context, next <-chan int, done chan<- GameRecord) error {
	var players [2]Player
	defer func() {
		for _, p := range players {
			if c, ok := p.(io.Closer); ok {
				c.Close()
			}
		}
	}()
	for n := range next {
		for i, make := range []Factory{m.A, m.B} {
			if players[i] == nil {
				p, err := make()
				if err != nil {
					return fmt.Errorf("player %c: %w", 'A'+i, err)
				}
				players[i] = p
			}
		}
		record, err := m.play(ctx, n, players)
		if err != nil {
			return err
		}
		done <- record // the tally receives until the end, so no finished game is lost
	}
	return nil
}
