package notation

import (
	"strconv"

	"damier/rules"
)

// Variation is an alternative continuation of a line. Its moves are legal; draws by rule do not
// end it.
type Variation struct {
	Ply   int          // number of moves of the line before it: it replaces the next one
	Moves []rules.Move // at least one
	// In the order of the text; Ply counts from the beginning of the variation.
	Notes      []Note
	Variations []Variation // its own variations, Ply ascending and counted in the same way
}

// maxDepth is the largest depth of nested variations that are kept.
const maxDepth = 60

// variation reads a variation after its opening bracket, including its closing bracket. It leaves
// the line after ply moves, at position p. ok is false if it has no move. It drops a move that the
// rules do not allow, and everything after it.
func (s *gameReader) variation(opened, ply, depth int, p rules.Position) (v Variation, ok bool, line int, err error) {
	v.Ply = ply
	positions := []rules.Position{p}
	lost := false // after a move that cannot be played
	for {
		t, err := s.peek()
		if err == nil && t.kind == tagToken && opening.Has(t.name) {
			return v, false, opened, errUnclosed // the token begins the next game
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
			lost = true // the moves continue from another position
		}
	}
}

// line writes moves from position p, which is after ply moves of the game, with their notes and
// variations.
func (m *movetext) line(g *Game, ply int, p rules.Position, moves []rules.Move, notes []Note, variations []Variation) {
	v := g.Variant()
	m.notes(&notes, 0)
	numbered := false // the last word already implies the number of the next move
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
