package arena

import (
	"fmt"

	"damier/rules"
)

// GameKey returns a text that is the same for two games if and only if they have the same start
// and moves.
func GameKey(g *rules.Game) string {
	var b []byte
	b = fmt.Appendf(b, "%v", g.Start())
	for _, m := range g.Moves() {
		c := m.Captured()
		b = append(b, byte(m.From), byte(m.To))
		for _, w := range []uint64{c.Lo, uint64(c.Hi)} {
			for range 8 {
				b = append(b, byte(w))
				w >>= 8
			}
		}
	}
	return string(b)
}

// Referee replays a finished game with the slow generator, rules.Variant.ReferenceMoves, and
// checks every move and the end. A game ended by something outside the rules must not have been
// over before.
func Referee(v *rules.Variant, g *rules.Game) error {
	p := g.Start()
	again := rules.NewGameFrom(v, p)
	for i, m := range g.Moves() {
		legal := refereeMoves(v, again.Position())
		found := false
		for _, l := range legal {
			found = found || l == m
		}
		if !found {
			return fmt.Errorf("referee: the generators disagree about the move %s at ply %d of %s", v.FormatMove(m), i, v.FEN(g.Start()))
		}
		if err := again.Play(m); err != nil {
			return fmt.Errorf("referee: ply %d: %w", i, err)
		}
	}
	outcome, reason := g.Outcome()
	switch reason {
	case rules.PlyLimit, rules.IllegalMove, rules.TimeForfeit, rules.Adjudication, rules.PlayerFailure,
		rules.Resignation, rules.Agreement:
		if again.Over() {
			_, earlier := again.Outcome()
			return fmt.Errorf("referee: the game was over by %s before it ended by %s", earlier, reason)
		}
		return nil
	case rules.NoMoves, rules.NoPieces:
		if n := len(refereeMoves(v, again.Position())); n != 0 {
			return fmt.Errorf("referee: the game ended by %s, but there are %d legal moves", reason, n)
		}
	}
	if o, r := again.Outcome(); o != outcome || r != reason {
		return fmt.Errorf("referee: the game ended %s by %s, its replay %s by %s", outcome, reason, o, r)
	}
	return nil
}

// refereeMoves returns the moves of the slow generator. In an invented position with too many
// captures to walk it returns those of the fast one.
func refereeMoves(v *rules.Variant, p rules.Position) []rules.Move {
	if moves, ok := v.BoundedReferenceMoves(p, 1<<20); ok {
		return moves
	}
	return v.AppendMoves(nil, p)
}
