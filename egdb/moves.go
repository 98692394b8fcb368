package egdb

import (
	"slices"

	"damier/rules"
)

// Judged is a legal move with its result.
type Judged struct {
	Move   rules.Move
	Result Result // for the side that makes the move
	Plies  int    // to the end of the game, including this move; 0 for a draw
	Known  bool   // whether the tables know the position after the move
}

// Moves returns the legal moves of p with their results: the best first, unknown ones last, equal
// ones in the order of the rules. It allocates memory.
func (t *Tables) Moves(p rules.Position) []Judged {
	v := t.board.v
	legal := v.AppendMoves(nil, p)
	if len(legal) > 0 && v.DrawByCount(bareCounters(p)) != rules.NoReason {
		legal = nil // the game is over
	}
	var all []Judged
	for _, m := range legal {
		q := v.Play(p, m)
		j := Judged{Move: m}
		if u, ok := t.value(&q); ok {
			j.Result, j.Plies = u.before().result()
			j.Known = true
		}
		all = append(all, j)
	}
	slices.SortStableFunc(all, func(a, b Judged) int {
		switch {
		case a.Known != b.Known:
			if a.Known {
				return -1
			}
			return 1
		case a.Known && a.value().better(b.value()):
			return -1
		case a.Known && b.value().better(a.value()):
			return 1
		}
		return 0
	})
	return all
}

func (j Judged) value() value {
	switch j.Result {
	case Win:
		return winIn(j.Plies)
	case Loss:
		return lossIn(j.Plies)
	}
	return 0
}

// bareCounters returns p with its draw counters at zero.
func bareCounters(p rules.Position) rules.Position {
	p.Quiet, p.Endgame, p.Road = 0, 0, 0
	return p
}
