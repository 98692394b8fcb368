package play

import (
	"context"
	"fmt"
	"strings"

	"damier/engine"
	"damier/notation"
	"damier/rules"
)

// Informal play: a move that omits or shortens a capture stands until the other side has chosen a
// remedy. A [rules.Game] does not allow such a move, so the game continues from the position after
// it as a new game, and the part before becomes an episode.

// episode is a part of an informal game, up to a move that the rules do not allow.
type episode struct {
	game *rules.Game
	note string // what ended it
}

// lapsed plays a move of a person that only informal play allows. Another person at the board may
// object until it has moved; the engine decides at once.
func (s *session) lapsed(ctx context.Context, l rules.Lapse) error {
	move := s.v.FormatMove(l.Move)
	other := l.Before.Turn.Opponent()
	if s.people[other] {
		s.goOn(l.After, fmt.Sprintf("%s: %s, let stand", move, l.Fault))
		s.lapse = &l
		s.show()
		s.say("%s: %s. %s may type %s, or let it stand by playing on.", move, l.Fault, title(other.String()), s.remedies(l))
		return nil
	}
	remedy, piece, err := s.judge(ctx, l)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch remedy {
	case rules.Force:
		s.say("%s: %s. %s forces: %s.", move, l.Fault, s.engine.Name(), s.missed(l))
	case rules.LetStand:
		s.say("%s: %s. %s lets it stand.", move, l.Fault, s.engine.Name())
		s.goOn(l.After, fmt.Sprintf("%s: %s, let stand", move, l.Fault))
		s.show()
	case rules.Huff:
		q, err := l.Huff(piece)
		if err != nil {
			return err
		}
		s.say("%s: %s. %s huffs the piece on %s.", move, l.Fault, s.engine.Name(), s.v.SquareName(piece))
		s.goOn(q, fmt.Sprintf("%s: %s, huffed %s", move, l.Fault, s.v.SquareName(piece)))
		s.show()
	}
	return nil
}

// goOn begins the next episode.
func (s *session) goOn(p rules.Position, note string) {
	s.past = append(s.past, episode{s.game, note})
	s.game = rules.NewGameFrom(s.v, p)
	s.played()
}

// reopen goes back to the previous episode; it returns false if there is none.
func (s *session) reopen() bool {
	if len(s.past) == 0 {
		return false
	}
	last := len(s.past) - 1
	s.game, s.past = s.past[last].game, s.past[:last]
	return true
}

// remedies says what a person can type about a lapse.
func (s *session) remedies(l rules.Lapse) string {
	text := "force"
	if len(l.Guilty) > 0 {
		names := make([]string, len(l.Guilty))
		for i, q := range l.Guilty {
			names[i] = "huff " + s.v.SquareName(q)
		}
		text += " or " + strings.Join(names, " or ")
	}
	return text
}

// missed says which moves should have been played.
func (s *session) missed(l rules.Lapse) string {
	var moves []string
	for _, m := range l.Missed {
		if text := s.v.FormatMove(m); len(moves) == 0 || moves[len(moves)-1] != text {
			moves = append(moves, text)
		}
	}
	return notation.Obligation(l.Missed) + ": " + strings.Join(moves, " or ")
}

// judge chooses the engine's remedy for a lapse: the one with the highest expected score.
func (s *session) judge(ctx context.Context, l rules.Lapse) (rules.Remedy, rules.Square, error) {
	me := l.Before.Turn.Opponent()
	forced, err := s.expects(ctx, me, l.Before)
	if err != nil {
		return "", rules.NoSquare, err
	}
	stands, err := s.expects(ctx, me, l.After)
	if err != nil {
		return "", rules.NoSquare, err
	}
	remedy, piece, best := rules.Force, rules.NoSquare, forced
	if stands > best {
		remedy, best = rules.LetStand, stands
	}
	for _, q := range l.Guilty {
		p, err := l.Huff(q)
		if err != nil {
			return "", rules.NoSquare, err
		}
		huffed, err := s.expects(ctx, me, p)
		if err != nil {
			return "", rules.NoSquare, err
		}
		if huffed > best {
			remedy, piece, best = rules.Huff, q, huffed
		}
	}
	return remedy, piece, nil
}

// expects returns the score in [0,1] that the engine expects in a position for a side. It plays
// forced moves first, because an engine may answer them without a search.
func (s *session) expects(ctx context.Context, side rules.Color, p rules.Position) (float64, error) {
	g := rules.NewGameFrom(s.v, p)
	for !g.Over() && len(g.Legal()) == 1 {
		if err := g.Play(g.Legal()[0]); err != nil {
			return 0, err
		}
	}
	if outcome, _ := g.Outcome(); outcome != rules.Ongoing {
		return float64(outcome.WDL(side).Score()), nil
	}
	t, err := s.engine.Think(ctx, g, engine.Limits{}, nil)
	if err != nil {
		return 0, err
	}
	if g.Position().Turn == side {
		return t.Expected, nil
	}
	return 1 - t.Expected, nil
}

// force takes back the move that the other side has objected to.
func (s *session) force() {
	if s.lapse == nil {
		s.say("%s", s.nothingToObject())
		return
	}
	why := s.missed(*s.lapse)
	s.reopen()
	s.played()
	s.say("Taken back: %s.", why)
	s.show()
}

// huff takes a piece off for the move just made.
func (s *session) huff(square string) {
	if s.lapse == nil {
		s.say("%s", s.nothingToObject())
		return
	}
	l := *s.lapse
	q, err := s.v.ParseSquare(square)
	if square == "" && len(l.Guilty) == 1 {
		q, err = l.Guilty[0], nil
	}
	if err != nil {
		s.say("%v", err)
		return
	}
	p, err := l.Huff(q)
	if err != nil {
		s.say("%v", err)
		return
	}
	s.reopen()
	s.goOn(p, fmt.Sprintf("%s: %s, huffed %s", s.v.FormatMove(l.Move), l.Fault, s.v.SquareName(q)))
	s.say("The piece on %s is huffed.", s.v.SquareName(q))
	s.show()
}

func (s *session) nothingToObject() string {
	if !s.informal {
		return "Captures are compulsory; --informal plays otherwise."
	}
	return "There is nothing to object to."
}
