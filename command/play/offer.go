package play

import (
	"context"

	"damier/engine"
	"damier/rules"
)

// offer offers the engine a draw. It accepts unless it expects more than half a point.
func (s *session) offer(ctx context.Context) error {
	switch {
	case s.over():
		return nil
	case s.offered:
		s.reply(true)
		return nil
	case s.people == people{true, true}:
		s.game.End(rules.Draw, rules.Agreement)
		s.status()
		return nil
	}
	t, err := s.engine.Think(ctx, s.game, engine.Limits{Analyze: true}, nil)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if hopes := 1 - t.Expected; hopes > 0.52 {
		s.say("%s declines: it expects a score of %.2f.", s.engine.Name(), hopes)
		return nil
	}
	s.say("%s accepts.", s.engine.Name())
	s.game.End(rules.Draw, rules.Agreement)
	s.status()
	return nil
}

// reply answers the draw offer of the engine.
func (s *session) reply(accept bool) {
	switch {
	case s.over():
	case !s.offered:
		s.say("Nobody has offered a draw.")
	case accept:
		s.game.End(rules.Draw, rules.Agreement)
		s.status()
	default:
		s.offered = false
		s.say("You play on.")
	}
}

func (s *session) resign() {
	if s.over() {
		return
	}
	loser := s.game.Position().Turn
	switch s.people {
	case people{rules.White: true}:
		loser = rules.White
	case people{rules.Black: true}:
		loser = rules.Black
	}
	s.game.End(rules.Win(loser.Opponent()), rules.Resignation)
	s.status()
}
