package tactics

import (
	"math/rand/v2"

	"damier/rules"
)

// Compose makes up positions at random that may hold a coup turc, which games seldom do: it strews men of both sides
// and a king about the board, and where the king has one capture, which its prey stops and the solver answers, takes
// the solver's last move back. Most tries have none. The positions are for a [Finder].
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

// position returns one with the solver to move.
func position(solver rules.Color, own, their, kings rules.Set) rules.Position {
	if solver == rules.Black {
		own, their = their, own
	}
	return rules.NewPosition(own, their, kings, solver)
}

// strew puts so many men of the solver, and others of the opponent, one of them a king, on squares at random. The
// opponent is to move.
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
