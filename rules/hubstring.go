package rules

// ParseHub reads the position string of the Hub protocol: the side to move, W or B, then a letter
// for each Square in ascending order, whatever its PDN number: w and b are men, W and B kings, e
// is empty.
func ParseHub(v *Variant, s string) (Position, error) {
	if len(s) != 1+v.Board.Squares() {
		return Position{}, Messagef("position in Hub form %s: %d characters; in %s it has 1 for the side and %d for the squares", quote(s), len(s), v.Name, v.Board.Squares())
	}
	turn := White
	switch s[0] {
	case 'W':
	case 'B':
		turn = Black
	default:
		return Position{}, Messagef("position in Hub form at byte 0, %q: not a side to move; write W or B", s[:1])
	}
	var pieces [2]Set
	var kings Set
	for i := 1; i < len(s); i++ {
		square := v.Board.Set(Square(i))
		switch s[i] {
		case 'w', 'W':
			pieces[White] = pieces[White].Or(square)
		case 'b', 'B':
			pieces[Black] = pieces[Black].Or(square)
		case 'e':
			continue
		default:
			return Position{}, Messagef("position in Hub form at byte %d, %q: not a piece; write w, b, W, B or e", i, s[i:i+1])
		}
		if s[i] < 'a' {
			kings = kings.Or(square)
		}
	}
	p := NewPosition(pieces[White], pieces[Black], kings, turn)
	if err := Validate(v, p); err != nil {
		return Position{}, Messagef("position in Hub form %s: %w", quote(s), err)
	}
	return p, nil
}

// HubString writes p as [ParseHub] reads it.
func (v *Variant) HubString(p Position) string {
	text := append(make([]byte, 0, 1+MaxSquares), "WB"[p.Turn])
	for s := Square(1); int(s) <= v.Board.Squares(); s++ {
		text = append(text, "ewWbB"[v.Piece(p, s)])
	}
	return string(text)
}
