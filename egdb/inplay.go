package egdb

import (
	"context"
	"slices"

	"damier/rules"
)

// DefaultNodes is the default number of positions that [Tables.InPlay] visits at most.
const DefaultNodes = 100_000

// InPlay returns the result for the side to move of p with regard to the draw counters of p: a win
// that they prevent is a draw. It ignores repetition, because a side that wins need not repeat.
//
// A draw stays a draw. A win in n plies stays one if no counter can reach its limit in n plies.
// Otherwise a search over positions with their counters decides: the winner tries the moves that
// win by the tables, the other side tries all moves. The search visits at most the given number of
// positions, 0 for DefaultNodes. InPlay returns false if that is not enough, or if the tables do
// not know a position. It allocates memory, and is safe for concurrent use.
func (t *Tables) InPlay(p rules.Position, nodes int) (Result, bool) {
	return t.inPlay(context.Background(), p, nodes)
}

// inPlay is InPlay until the context ends; then it returns false.
func (t *Tables) inPlay(ctx context.Context, p rules.Position, nodes int) (Result, bool) {
	v, ok := t.value(&p)
	if !ok {
		return Draw, false
	}
	if nodes <= 0 {
		nodes = DefaultNodes
	}
	s := edgeSearch{tables: t, done: ctx.Done(), left: nodes, known: map[rules.Position]bool{}}
	result, _ := v.result()
	var holds bool
	switch result {
	case Win:
		holds = s.winnerMoves(p, v)
	case Loss:
		holds = s.loserMoves(p, v)
	}
	if s.gaveUp {
		return Draw, false
	}
	if !holds {
		return Draw, true
	}
	return result, true
}

// edgeSearch finds out whether a win by the tables comes before a counted draw.
type edgeSearch struct {
	tables *Tables
	done   <-chan struct{} // closed when nobody wants the result any more
	left   int             // positions that it may still visit
	gaveUp bool
	known  map[rules.Position]bool // whether the win is possible
}

// safe reports whether no counter can reach its limit in a game that lasts n more plies. A rule
// that begins to apply on the way counts from zero, or has as much left as the rule before it.
func (t *Tables) safe(p rules.Position, n int) bool {
	d := &t.board.v.Draws
	for _, limit := range []int{
		d.KingPlies, d.ThreePieces, d.TwoPieces, d.LongDiagonal, d.ManyKings, d.MainRoad, d.TwoKings,
		d.OneKing, d.FourPieces, d.SixPieces,
	} {
		if limit > 0 && n-1 >= limit {
			return false
		}
	}
	if d.LongDiagonal > 0 && p.Endgame > 0 {
		return false // one step can change the limit
	}
	later := func(count uint8) uint8 { return uint8(min(int(count)+n-1, 255)) }
	if n > 1 {
		p.Quiet = later(p.Quiet)
		p.Endgame = later(p.Endgame)
		if p.Road > 0 {
			p.Road = later(p.Road)
		}
	}
	return t.board.v.DrawByCount(p) == rules.NoReason
}

// lookPeriod is the number of visited positions between two looks at the context.
const lookPeriod = 64

// look counts a visited position. It returns false if there were too many, or the context ended.
func (s *edgeSearch) look() bool {
	s.left--
	if s.left < 0 {
		s.gaveUp = true
	}
	if s.left%lookPeriod == 0 {
		select {
		case <-s.done:
			s.gaveUp = true
		default:
		}
	}
	return !s.gaveUp
}

// settled reports whether the winner by the tables wins in play from p, of value has and with these
// moves; ok is false where a search must tell.
func (s *edgeSearch) settled(p rules.Position, has value, moves []rules.Move) (holds, ok bool) {
	if len(moves) == 0 {
		return true, true
	}
	if !s.look() || s.tables.board.v.DrawByCount(p) != rules.NoReason {
		return false, true
	}
	if _, n := has.result(); s.tables.safe(p, n) {
		return true, true
	}
	holds, ok = s.known[p]
	return holds, ok
}

// play returns the position after a move of p, and its value. The search gives up where the tables
// do not know it.
func (s *edgeSearch) play(p rules.Position, m rules.Move) (rules.Position, value, bool) {
	q := s.tables.board.v.Play(p, m)
	u, ok := s.tables.value(&q)
	s.gaveUp = s.gaveUp || !ok
	return q, u, ok
}

// winnerMoves reports whether the side to move, which wins by the tables, wins in play.
func (s *edgeSearch) winnerMoves(p rules.Position, has value) bool {
	moves := s.tables.board.v.AppendMoves(nil, p)
	if holds, ok := s.settled(p, has, moves); ok {
		return holds
	}
	type choice struct {
		after rules.Position
		value
	}
	var winning []choice
	for _, m := range moves {
		q, u, ok := s.play(p, m)
		if !ok {
			return false
		}
		if r, _ := u.result(); r == Loss {
			winning = append(winning, choice{q, u})
		}
	}
	slices.SortStableFunc(winning, func(a, b choice) int { return int(a.value) - int(b.value) })
	holds := false
	for _, c := range winning {
		if s.loserMoves(c.after, c.value) {
			holds = true
			break
		}
		if s.gaveUp {
			return false
		}
	}
	s.known[p] = holds
	return holds
}

// loserMoves reports whether the side to move, which loses by the tables, loses in play.
func (s *edgeSearch) loserMoves(p rules.Position, has value) bool {
	moves := s.tables.board.v.AppendMoves(nil, p)
	if holds, ok := s.settled(p, has, moves); ok {
		return holds
	}
	holds := true
	for _, m := range moves {
		q, u, ok := s.play(p, m)
		if !ok {
			return false
		}
		if !s.winnerMoves(q, u) {
			holds = false
			break
		}
	}
	if s.gaveUp {
		return false
	}
	s.known[p] = holds
	return holds
}
