package arena

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"runtime"
	"sync"

	"damier/rules"
)

// Entrant is a player of a tournament.
type Entrant struct {
	Name string // unique; results belong to it
	New  Factory
}

// Tournament holds the settings of a tournament, in which every two players meet in pairs of games
// from the same openings. The zero value of an optional field means its default.
type Tournament struct {
	Variant  *rules.Variant
	Entrants []Entrant

	// Gauntlet is the number of first entrants that meet all the others; no other games are
	// played. With 0 all entrants meet each other.
	Gauntlet int

	// Openings are used in order, one for each pair of games, as in a Match. All meetings have the
	// same.
	Openings []Opening
	Pairs    int // number of pairs of games between two entrants

	// Concurrency, MaxPlies, Clock and Adjudication are those of a Match.
	Concurrency  int
	MaxPlies     int
	Clock        *Control
	Adjudication *Adjudication
	Tables       Tables // as those of a Match

	// Seed seeds players that are Seeders, together with the names of the two players, the pair
	// and the colour. So a game does not depend on the other entrants.
	Seed uint64

	// Played, if not nil, reports games that need not be played, because they were played before.
	Played func(Meeting) bool

	// OnGame, if not nil, is called for every finished game, in the order in which they end and
	// one call at a time. Its error ends the tournament.
	OnGame func(TournamentGame) error
}

// Meeting is one game of a tournament: the two entrants (A before B in the order of entrants), the
// number of their pair of games, and A's side.
type Meeting struct {
	A, B int
	Pair int // from 0
	Side rules.Color
}

// TournamentGame is a finished game. The Number of its record counts the games of these two
// players; its names are those of the entrants.
type TournamentGame struct {
	Meeting Meeting
	GameRecord

	// Failure is the error of a player that did not move and so lost, usually nil.
	Failure error
}

// failures is the number of games in a row that a player may lose by failing before the tournament
// ends.
const failures = 3

// Validate returns an error that names the first bad field.
func (t Tournament) Validate() error {
	switch n := len(t.Entrants); {
	case t.Variant == nil:
		return errors.New("tournament: no variant")
	case n < 2:
		return fmt.Errorf("tournament: %d players; at least 2 are needed", n)
	case t.Gauntlet < 0 || t.Gauntlet >= n:
		return fmt.Errorf("tournament: a gauntlet of %d of %d players leaves no opponent", t.Gauntlet, n)
	case t.Pairs < 1:
		return fmt.Errorf("tournament: %d pairs of games; at least 1 is needed", t.Pairs)
	case t.Concurrency < 0:
		return fmt.Errorf("tournament: concurrency %d is negative", t.Concurrency)
	}
	names := map[string]bool{}
	for _, e := range t.Entrants {
		switch {
		case e.Name == "":
			return errors.New("tournament: a player has no name")
		case names[e.Name]:
			return fmt.Errorf("tournament: two players are named %q", e.Name)
		case e.New == nil:
			return fmt.Errorf("tournament: %s cannot be made", e.Name)
		}
		names[e.Name] = true
	}
	if t.Clock != nil {
		if err := t.Clock.Validate(); err != nil {
			return err
		}
	}
	if t.Adjudication != nil {
		return t.Adjudication.Validate()
	}
	return nil
}

// Schedule returns all games in the order in which they begin: the first pair of all meetings,
// then the second. So the table of an interrupted tournament is as even as possible.
func (t Tournament) Schedule() []Meeting {
	var all []Meeting
	for pair := range t.Pairs {
		for a := range t.Entrants {
			for b := a + 1; b < len(t.Entrants); b++ {
				if t.Gauntlet > 0 && (a >= t.Gauntlet || b < t.Gauntlet) {
					continue
				}
				all = append(all, Meeting{a, b, pair, rules.White}, Meeting{a, b, pair, rules.Black})
			}
		}
	}
	return all
}

// Play plays the games that were not played before. When the context is done it stops at once and
// returns the error of the context; games in progress are lost. A player that fails loses its
// game, with reason rules.PlayerFailure, and is replaced by a new one. Three failures in a row end
// the tournament with the player's error. An error of OnGame or of the referee also ends it. The
// referee replays every game with the slow generator of package rules.
func (t Tournament) Play(ctx context.Context) error {
	if err := t.Validate(); err != nil {
		return err
	}
	if t.MaxPlies == 0 {
		t.MaxPlies = DefaultMaxPlies(t.Variant)
	}
	if t.Concurrency == 0 {
		t.Concurrency = runtime.GOMAXPROCS(0)
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	h := playerPool{Tournament: t, idle: make([][]Player, len(t.Entrants)), failed: make([]int, len(t.Entrants))}
	defer h.close()
	games := make(chan Meeting)
	var workers sync.WaitGroup
	for range t.Concurrency {
		workers.Go(func() {
			for m := range games {
				if err := h.play(inner, m); err != nil {
					stop(err)
				}
			}
		})
	}
send:
	for _, m := range t.Schedule() {
		if t.Played != nil && t.Played(m) {
			continue
		}
		select {
		case games <- m:
		case <-inner.Done():
			break send
		}
	}
	close(games)
	workers.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return context.Cause(inner)
}

// playerPool is a tournament in progress, with a pool of players for each entrant.
type playerPool struct {
	Tournament

	mu     sync.Mutex // guards idle and failed, and is held during calls of OnGame
	idle   [][]Player // by entrant
	failed []int      // by entrant: number of games in a row in which it failed
}

// take returns an idle player of an entrant, or a new one.
func (h *playerPool) take(entrant int) (Player, error) {
	h.mu.Lock()
	if n := len(h.idle[entrant]); n > 0 {
		p := h.idle[entrant][n-1]
		h.idle[entrant] = h.idle[entrant][:n-1]
		h.mu.Unlock()
		return p, nil
	}
	h.mu.Unlock()
	e := h.Entrants[entrant]
	p, err := e.New()
	if err != nil {
		return nil, fmt.Errorf("player %s: %w", e.Name, err)
	}
	return Named{Player: p, As: e.Name}, nil
}

// give returns a player to the pool.
func (h *playerPool) give(entrant int, p Player) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle[entrant] = append(h.idle[entrant], p)
}

func (h *playerPool) close() {
	for _, players := range h.idle {
		for _, p := range players {
			closePlayer(p)
		}
	}
}

func closePlayer(p Player) {
	if c, ok := p.(io.Closer); ok {
		c.Close()
	}
}

// play plays one game and reports it.
func (h *playerPool) play(ctx context.Context, m Meeting) error {
	if ctx.Err() != nil {
		return nil
	}
	var players [2]Player
	entrants := [2]int{m.A, m.B}
	for i, e := range entrants {
		p, err := h.take(e)
		if err != nil {
			if i == 1 {
				h.give(m.A, players[0])
			}
			return err
		}
		players[i] = p
	}
	match := Match{
		Variant: h.Variant, Openings: h.Openings, MaxPlies: h.MaxPlies, Clock: h.Clock, Adjudication: h.Adjudication, Tables: h.Tables,
		Seed: meetingSeed(h.Seed, h.Entrants[m.A].Name, h.Entrants[m.B].Name),
	}
	record, err := match.play(ctx, 2*m.Pair+int(m.Side), players)
	g := TournamentGame{Meeting: m, GameRecord: record}
	var failure *playerError
	if errors.As(err, &failure) && ctx.Err() == nil {
		loser := rules.Color(failure.who) ^ record.A
		record.Game.End(rules.Win(loser.Opponent()), rules.PlayerFailure)
		g.Failure = failure
		if err = Referee(h.Variant, record.Game); err != nil {
			err = fmt.Errorf("game %d: %w", record.Number, err)
		}
	} else if _, reason := gameEnd(record); err == nil && reason == rules.PlayerFailure {
		failure = &playerError{int(record.Game.Position().Turn ^ record.A), errors.New(record.Fault)}
		g.Failure = failure
	}
	if failure != nil {
		closePlayer(players[failure.who])
		players[failure.who] = nil
	}
	for i, p := range players {
		if p != nil {
			h.give(entrants[i], p)
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil // the game was stopped
		}
		return fmt.Errorf("%s against %s: %w", h.Entrants[m.A].Name, h.Entrants[m.B].Name, err)
	}
	return h.reportGame(g, failure)
}

// gameEnd returns the outcome of a game; the game may not even have begun.
func gameEnd(r GameRecord) (rules.Outcome, rules.Reason) {
	if r.Game == nil {
		return rules.Ongoing, rules.NoReason
	}
	return r.Game.Outcome()
}

// reportGame calls OnGame with a finished game and counts failures.
func (h *playerPool) reportGame(g TournamentGame, failure *playerError) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.OnGame != nil {
		if err := h.OnGame(g); err != nil {
			return err
		}
	}
	for i, e := range []int{g.Meeting.A, g.Meeting.B} {
		if failure == nil || failure.who != i {
			h.failed[e] = 0
			continue
		}
		if h.failed[e]++; h.failed[e] == failures {
			return fmt.Errorf("player %s failed in %d games in a row: %w", h.Entrants[e].Name, failures, failure)
		}
	}
	return nil
}

// meetingSeed computes the seed of the games of two players.
func meetingSeed(seed uint64, a, b string) uint64 {
	f := fnv.New64a()
	fmt.Fprintf(f, "%q %q", a, b)
	return seed ^ f.Sum64()
}
