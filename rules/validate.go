package rules

// tooMany returns an error if a side of p has more pieces than the variant allows.
func (v *Variant) tooMany(p Position) error {
	for _, c := range [2]Color{White, Black} {
		if n := p.Pieces(c).Len(); n > v.MaxPieces() {
			return Messagef("%s has %d pieces; in %s a side has at most %d", c, n, v.Name, v.MaxPieces())
		}
	}
	return nil
}

// Validate returns an error if p cannot stand on the board of v. Pieces must be on playing
// squares, one to a square, with no man on its promotion row and at most [Variant.MaxPieces] a
// side. The side that is not to move must have a piece, because it has just moved. Validate does
// not ask whether a game can reach p.
func Validate(v *Variant, p Position) error {
	white, black, kings := p.Pieces(White), p.Pieces(Black), Set{p.kings, p.kingsHi}
	switch both := white.And(black); {
	case p.Turn > Black:
		return Messagef("the side to move is neither White nor Black")
	case !white.Or(black).AndNot(v.Board.All()).Empty():
		return Messagef("a piece stands off the board")
	case !kings.AndNot(white.Or(black)).Empty():
		return Messagef("a king is a piece of neither side")
	case !both.Empty():
		return Messagef("square %s is occupied twice; name each square once", v.SquareName(v.Board.Pop(&both)))
	}
	for _, c := range [2]Color{White, Black} {
		for men := p.Men(c); !men.Empty(); {
			if s := v.Board.Pop(&men); v.Promotes(c, s) {
				return Messagef("a %s man cannot stand on %s, its promotion row; make it a king", c, v.SquareName(s))
			}
		}
	}
	if err := v.tooMany(p); err != nil {
		return err
	}
	if last := p.Turn.Opponent(); p.Pieces(last).Empty() {
		return Messagef("%s is not to move and has no piece; give it one or change the side to move", last)
	}
	return nil
}
