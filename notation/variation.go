package notation

import (
	"strconv"

	"damier/rules"
)

// Variation is another way that a line might have gone. Its moves are legal where they stand; draws by rule do not end
// it.
type Variation struct {
	Ply        int          // moves of the line that stand before it: it replaces the next one
	Moves      []rules.Move // at least one
	Notes      []Note       // Ply counted from the beginning of the variation, in the order of the text
	Variations []Variation  // its own, Ply ascending and counted likewise
}

// maxDepth is how deep variations within variations are kept.
const maxDepth = 60

// variation reads a variation just opened, with its closing bracket. It leaves the line after the given number of moves,
// at p. ok is false where there is no move in it: of moves that the rules do not allow, and what follows them,
// nothing is kept.
func (s *gameReader) variation(opened, ply, depth int, p rules.Position) (v Variation, ok bool, line int, err error) {
	v.Ply = ply
	positions := []rules.Position{p}
	lost := false // behind a move that cannot be played
	for {
		t, err := s.peek()
		if err == nil && t.kind == tagToken && opening.Has(t.name) {
			return v, false, opened, errUnclosed // the next game is to be read
		}
		s.take()
		if err != nil {
			return v, false, t.line, err
		}
		now := len(v.Moves)
		switch t.kind {
		case endOfFile:
			return v, false, opened, errUnclosed
		case closeParen:
			return v, now > 0, 0, nil
		case openParen:
			if lost || now == 0 || depth == maxDepth {
				if line, err := s.skipVariation(t.line); err != nil {
					return v, false, line, err
				}
				continue
			}
			w, kept, line, err := s.variation(t.line, now-1, depth+1, positions[now-1])
			if err != nil {
				return v, false, line, err
			}
			if kept {
				v.Variations = append(v.Variations, w)
			}
		case moveToken:
			if lost {
				continue
			}
			p := positions[now]
			m, err := parseMove(s.v, s.names, p, s.v.AppendMoves(nil, p), t.text)
			if lost = err != nil; lost {
				continue
			}
			v.Moves = append(v.Moves, m)
			positions = append(positions, s.v.Play(p, m))
		case comment:
			if text := CleanComment(t.text); text != "" && !lost {
				v.Notes = append(v.Notes, Comment(now, text))
			}
		case nag:
			if !lost {
				v.Notes = append(v.Notes, Note{Ply: now, NAG: t.number})
			}
		case setup:
			lost = true // another position
		}
	}
}

// line writes moves from a position that stands after ply moves of the game, with what belongs to them.
func (m *movetext) line(g *Game, ply int, p rules.Position, moves []rules.Move, notes []Note, variations []Variation) {
	v := g.Variant()
	m.notes(&notes, 0)
	numbered := false // the number of the move goes without saying
	for i, mv := range moves {
		number := strconv.Itoa(moveNumber(g, ply+i))
		switch {
		case p.Turn == v.First:
			m.word(number + ".")
		case !numbered:
			m.word(number + "...")
		}
		numbered = true
		m.word(FormatMove(v, p, mv))
		m.notes(&notes, i+1)
		for ; len(variations) > 0 && variations[0].Ply <= i; variations = variations[1:] {
			w := variations[0]
			m.open++
			m.line(g, ply+i, p, w.Moves, w.Notes, w.Variations)
			m.b.WriteByte(')')
			m.column++
			numbered = false
		}
		p = v.Play(p, mv)
	}
}
