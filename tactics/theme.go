package tactics

import (
	"slices"

	"damier/rules"
)

// Theme names what happens in a combination.
type Theme string

// The themes, each by a rule.
const (
	// Turc is the coup turc: what the opponent has captured stays on the board until his capture ends, and stops him
	// there. Were it taken off at once he could go on; so he ends where the solver's next move captures him.
	Turc Theme = "turc"

	// Majority: the opponent has to take more (or better), where he could take otherwise but for that rule.
	Majority Theme = "majority"

	// Sent, envoi à dame: a man of the opponent is made to become a king, and is captured.
	Sent Theme = "sent"

	// Crowning, passage à dame: a man of the solver becomes a king.
	Crowning Theme = "crowning"

	// Tempo, temps de repos: the opponent has to capture already, so the solver has a move to himself, which offers
	// nothing more.
	Tempo Theme = "tempo"

	// Round, rafle: the solver takes four pieces or more at once.
	Round Theme = "rafle"

	// Blockade: the game is won because the opponent, who has pieces left, cannot move.
	Blockade Theme = "blockade"
)

// AllThemes returns all themes, in the order in which they are listed.
func AllThemes() []Theme {
	return []Theme{Turc, Majority, Sent, Crowning, Tempo, Round, Blockade}
}

// Themes returns the themes of a line from p, whose side to move is the solver.
func Themes(v *rules.Variant, p rules.Position, line []rules.Move) []Theme {
	solver := p.Turn
	has := map[Theme]bool{}
	sent := rules.NoSquare // where a king that was sent stands
	for i, m := range line {
		q := v.Play(p, m)
		crowned := !v.Board.Has(p.Kings(p.Turn), m.From) && v.Board.Has(q.Kings(p.Turn), m.To)
		switch {
		case p.Turn == solver:
			if sent != rules.NoSquare && v.Board.Has(m.Captured(), sent) {
				has[Sent] = true
			}
			has[Crowning] = has[Crowning] || crowned
			has[Round] = has[Round] || m.Captured().Len() >= 4
			has[Tempo] = has[Tempo] || i > 0 && rests(v, p, q, m)
		default:
			switch {
			case crowned:
				sent = m.To
			case m.From == sent:
				sent = m.To
			}
			has[Majority] = has[Majority] || mustTakeMore(v, p)
			if i+1 < len(line) && v.Board.Has(line[i+1].Captured(), m.To) {
				has[Turc] = has[Turc] || StoppedByCaptured(v, p, m)
			}
		}
		p = q
	}
	if o, reason := v.Stuck(p); len(v.AppendMoves(nil, p)) == 0 && o == rules.Win(solver) && reason == rules.NoMoves {
		has[Blockade] = true
	}
	var themes []Theme
	for _, t := range AllThemes() {
		if has[t] {
			themes = append(themes, t)
		}
	}
	return themes
}

// rests reports whether the solver's quiet move m from p to q left the opponent the captures that he had before, and
// offered no other.
func rests(v *rules.Variant, p, q rules.Position, m rules.Move) bool {
	if m.IsCapture() {
		return false
	}
	p.Turn = p.Turn.Opponent()
	had, has := v.AppendMoves(nil, p), v.AppendMoves(nil, q)
	if len(had) == 0 || !had[0].IsCapture() {
		return false
	}
	for _, c := range has {
		if !slices.Contains(had, c) {
			return false
		}
	}
	return len(has) > 0
}

// themeJumps bounds the jumps that are tried to tell a theme; a position with more ways to capture has none that asks
// for them.
const themeJumps = 1 << 14

// mustTakeMore reports whether the side to move has captures that only the priority rules forbid.
func mustTakeMore(v *rules.Variant, p rules.Position) bool {
	if len(v.Priority) == 0 {
		return false
	}
	free := *v
	free.Priority = nil
	all, ok := free.BoundedReferenceMoves(p, themeJumps)
	return ok && len(all) > len(v.AppendMoves(nil, p))
}

// StoppedByCaptured reports whether the capture m of p ends where it does because a piece that it has captured is still on
// the board: were captured pieces removed at once, it could go on from there without turning straight back.
func StoppedByCaptured(v *rules.Variant, p rules.Position, m rules.Move) bool {
	if v.RemovedAtOnce || m.Captured().Len() < 2 {
		return false
	}
	free := *v
	free.RemovedAtOnce, free.NoTurnBack, free.Priority = true, true, nil
	var longer [][]rules.Square
	all, _ := free.BoundedReferenceMoves(p, themeJumps)
	for _, c := range all {
		if c.From == m.From && c.Captured().Len() > m.Captured().Len() {
			longer = append(longer, free.CapturePaths(p, c)...)
		}
	}
	for _, path := range v.CapturePaths(p, m) {
		for _, l := range longer {
			if len(l) > len(path) && slices.Equal(l[:len(path)], path) {
				return true
			}
		}
	}
	return false
}
