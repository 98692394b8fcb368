package tactics

import (
	"math/rand/v2"

	"damier/rules"
)

// Compose makes random positions that may contain a coup turc, which is rare in games. It puts men
// of both sides and a king on random squares. If the king has one capture, which ends because of a
// piece it has captured, and the solver can answer it, Compose takes back the solver's last move.
// Most attempts give no position. The positions are for a [Finder].
func Compose(v *rules.Variant, rng *rand.Rand) []rules.Position {
	solver := rules.Color(rng.IntN(2))
	p := strew(v, rng, solver, 6+rng.IntN(5), 3+rng.IntN(4))
	var room [16]rules.Move
	moves := v.AppendMoves(room[:0], p)
	if len(moves) != 1 || moves[0].Captured().Len() < 3 || !StoppedByCaptured(v, p, moves[0]) {
		return nil
	}
	answered := false
	for _, m := range v.AppendMoves(nil, v.Play(p, moves[0])) {
		answered = answered || v.Board.Has(m.Captured(), moves[0].To)
	}
	if !answered {
		return nil
	}
	var all []rules.Position
	for men := p.Men(solver); !men.Empty(); {
		at := v.Board.Pop(&men)
		for _, d := range v.MoveLines {
			from := v.Board.Neighbour(at, d)
			if !d.Backward(solver) || from == rules.NoSquare || v.Piece(p, from) != rules.Empty {
				continue
			}
			own := p.Pieces(solver).AndNot(v.Board.Set(at)).Or(v.Board.Set(from))
			if before := position(solver, own, p.Pieces(solver.Opponent()), p.Kings(solver.Opponent())); !v.HasCaptures(before) {
				all = append(all, before)
			}
		}
	}
	return all
}

// position returns a position with the solver to move.
func position(solver rules.Color, own, their, kings rules.Set) rules.Position {
	if solver == rules.Black {
		own, their = their, own
	}
	return rules.NewPosition(own, their, kings, solver)
}

// strew puts men of the solver, and pieces of the opponent of which one is a king, on random
// squares. The opponent is to move.
func strew(v *rules.Variant, rng *rand.Rand, solver rules.Color, men, others int) rules.Position {
	var own, their, kings rules.Set
	for _, i := range rng.Perm(v.Board.Squares()) {
		s := rules.Square(i + 1)
		switch at := v.Board.Set(s); {
		case kings.Empty():
			kings, their = at, at
		case men > 0 && !v.Promotes(solver, s):
			own = own.Or(at)
			men--
		case others > 1 && men == 0 && !v.Promotes(solver.Opponent(), s):
			their = their.Or(at)
			others--
		}
	}
	p := position(solver, own, their, kings)
	p.Turn = solver.Opponent()
	return p
}
