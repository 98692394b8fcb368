package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"damier/rules"
)

// DefaultMaxPlies returns the default length in plies at which a game of a match is a draw: six
// plies for each square of the board, and at least 300, the value for 10x10.
func DefaultMaxPlies(v *rules.Variant) int { return max(300, 6*v.Board.Squares()) }

// grace is the time by which a move may exceed its limit before it counts as an overrun, because
// timers and schedulers are not exact.
const grace = 20 * time.Millisecond

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

// GameRecord is a finished game of a match. Its Game must not be changed.
type GameRecord struct {
	Number  int         // from 0; games 2i and 2i+1 are a pair
	Opening int         // index in the openings of the match; -1 for none
	Prefix  int         // number of plies that belong to the opening
	A       rules.Color // the side of player A
	White   string      // names of the players
	Black   string
	Game    *rules.Game
	Elapsed [2]time.Duration // by colour, summed over the game
	// The error text of a player that lost by an [Ending]; "" in any other game.
	Fault string

	Overruns [2]int // moves that exceeded the player's time limit, by player: A, B
}

// Points returns the result for A: 0 for a loss, 1 for a draw, 2 for a win.
func (r GameRecord) Points() int {
	switch o, _ := r.Game.Outcome(); o {
	case rules.Win(r.A):
		return 2
	case rules.Draw:
		return 1
	}
	return 0
}

// Result is the result of a match. Only complete pairs count.
type Result struct {
	A, B   string // names
	Wins   int    // of A
	Draws  int
	Losses int // of A
	Pairs  Pentanomial

	Distinct int // number of different games
	// Pairs of numbers of equal games, the earlier one first. They are a sign of a wrong set-up.
	Duplicates [][2]int
	Plies      int // in all games together
	PlyLimits  int // games drawn by MaxPlies
	Judged     int // games ended by adjudication

	// By player, A and then B.
	Illegal  [2]int // games lost by an illegal move
	Failures [2]int // games lost by a player that died or broke its protocol
	Forfeits [2]int // games lost on time
	Overruns [2]int // moves that exceeded the player's time limit

	Verdict     Verdict // of the SPRT; Inconclusive without one
	LLR         float64 // of the SPRT
	Interrupted bool    // the context ended the match early
}

// Games returns the number of games that count.
func (r Result) Games() int { return r.Wins + r.Draws + r.Losses }

// Score returns A's score in [0,1].
func (r Result) Score() float64 { return r.Pairs.Score() }

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

// begin returns game n with its opening played.
func (m Match) begin(n int) (GameRecord, error) {
	r := GameRecord{Number: n, Opening: -1, A: rules.Color(n % 2)}
	g := rules.NewGame(m.Variant)
	if len(m.Openings) > 0 {
		r.Opening = n / 2 % len(m.Openings)
		o := m.Openings[r.Opening]
		g = rules.NewGameFrom(m.Variant, o.Start)
		for _, move := range o.Moves {
			if err := g.Play(move); err != nil {
				return r, fmt.Errorf("opening %d: %w", r.Opening, err)
			}
		}
		r.Prefix = len(o.Moves)
	}
	r.Game = g
	return r, nil
}

// play plays game n to its end.
func (m Match) play(ctx context.Context, n int, players [2]Player) (GameRecord, error) {
	r, err := m.begin(n)
	if err != nil {
		return r, err
	}
	g := r.Game
	for i, p := range players {
		if s, ok := p.(Seeder); ok {
			s.Seed(gameSeed(m.Seed, n, i))
		}
		p.NewGame()
	}
	r.White, r.Black = players[r.A].Name(), players[1-r.A].Name()
	var clocks [2]clock // by colour
	if m.Clock != nil {
		clocks = [2]clock{m.Clock.start(), m.Clock.start()}
	}
	var judge adjudicator
	if m.Adjudication != nil {
		judge.Adjudication = *m.Adjudication
	}
	for !g.Over() {
		if m.MaxPlies > 0 && g.Ply() >= m.MaxPlies {
			g.End(rules.Draw, rules.PlyLimit)
			break
		}
		turn := g.Position().Turn
		player := players[turn^r.A]
		moved, err := m.playMove(ctx, &r, player, &clocks[turn])
		if err != nil {
			return r, err
		}
		if !moved {
			break
		}
		judgeByTables(m.Tables, g)
		if m.Adjudication != nil && !g.Over() {
			if o := judge.update(player, turn, g.Ply()); o != rules.Ongoing {
				g.End(o, rules.Adjudication)
			}
		}
	}
	for _, p := range players {
		if f, ok := p.(Finisher); ok {
			f.GameOver(g)
		}
	}
	if err := Referee(m.Variant, g); err != nil {
		return r, fmt.Errorf("game %d: %w", n, err)
	}
	return r, nil
}

// playMove has player, whose turn it is, play one move of the game of r. It reports false if the
// player lost the game instead: by an error that is an [Ending], by its clock or by an illegal
// move.
func (m Match) playMove(
	ctx context.Context, r *GameRecord, player Player, c *clock,
) (moved bool, err error) {
	g := r.Game
	turn := g.Position().Turn
	who := int(turn ^ r.A) // 0 for A, 1 for B
	if m.Clock != nil {
		m.Clock.setClock(player, *c)
	}
	began := time.Now()
	move, err := player.Play(ctx, g)
	elapsed := time.Since(began)
	var lost Ending
	if errors.As(err, &lost) && ctx.Err() == nil {
		r.Fault = fmt.Sprintf("ply %d: %s: %v", g.Ply(), player.Name(), err)
		r.Elapsed[turn] += elapsed
		g.End(rules.Win(turn.Opponent()), lost.Ending())
		return false, nil
	}
	if err != nil {
		err = fmt.Errorf("game %d, ply %d: %s: %w", r.Number, g.Ply(), player.Name(), err)
		return false, &playerError{who, err}
	}
	r.Elapsed[turn] += elapsed
	if m.Clock != nil {
		if !m.Clock.spend(c, elapsed) {
			g.End(rules.Win(turn.Opponent()), rules.TimeForfeit)
			return false, nil
		}
	} else if t, ok := player.(Timed); ok && t.MoveTime() > 0 && elapsed > t.MoveTime()+grace {
		r.Overruns[who]++
	}
	switch err := g.Play(move); {
	case errors.Is(err, rules.ErrIllegalMove):
		g.End(rules.Win(turn.Opponent()), rules.IllegalMove)
		return false, nil
	case err != nil:
		return false, fmt.Errorf("game %d, ply %d: %s: %w", r.Number, g.Ply(), player.Name(), err)
	}
	return true, nil
}

// playerError is the error of a player that did not move; the game is unfinished.
type playerError struct {
	who int // 0 for A, 1 for B
	err error
}

func (e *playerError) Error() string { return e.err.Error() }
func (e *playerError) Unwrap() error { return e.err }

// gameSeed computes a player's seed for a game (the mixer of SplitMix64, G. Steele et al., 2014).
func gameSeed(seed uint64, game, player int) uint64 {
	z := seed + 0x9e3779b97f4a7c15*uint64(2*game+player+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
