package book

import "damier/rules"

// words are the random words of a key: by square, and by the piece on it as the side to move sees
// it: our man, our king, their man, their king. They are a part of the format.
var words = func() (w [rules.MaxSquares + 1][4]uint64) {
	state := uint64(0x626f6f6b) // splitmix64 (Steele, Lea and Flood, 2014)
	for s := range w {
		for piece := range w[s] {
			state += 0x9e3779b97f4a7c15
			z := state
			z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			w[s][piece] = z ^ z>>31
		}
	}
	return w
}()

// Key returns the key of a position: a hash of its pieces as the side to move sees them. A
// position and the one with the colours exchanged, half a turn round, have the same key. Counters
// are not part of it.
func Key(v *rules.Variant, p rules.Position) uint64 {
	key := uint64(0)
	white, black, kings := p.Sets()
	for color, set := range [2]rules.Set{white, black} {
		kind := 0
		if rules.Color(color) != p.Turn {
			kind = 2
		}
		for !set.Empty() {
			s := v.Board.Pop(&set)
			piece := kind
			if v.Board.Has(kings, s) {
				piece++
			}
			if p.Turn == rules.Black {
				s = v.Board.Rotate(s)
			}
			key ^= words[s][piece]
		}
	}
	return key
}

// bare returns p without its counters.
func bare(p rules.Position) rules.Position {
	white, black, kings := p.Sets()
	return rules.NewPosition(white, black, kings, p.Turn)
}
