package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"damier/rules"
)

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

// grace is the time by which a move may exceed its limit before it counts as an overrun, because
// timers and schedulers are not exact.
const grace = 20 * time.Millisecond

// gameSeed computes a player's seed for a game (the mixer of SplitMix64, G. Steele et al., 2014).
func gameSeed(seed uint64, game, player int) uint64 {
	z := seed + 0x9e3779b97f4a7c15*uint64(2*game+player+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
