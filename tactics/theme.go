package tactics

import (
	"slices"

	"damier/rules"
)

// Theme is a theme of a combination.
type Theme string

// The themes, each defined by a rule.
const (
	// Turc is the coup turc: a piece that the opponent has captured stays on the board until the
	// capture ends, and stops it. If it were removed at once, the capture could go on. So the
	// capture ends where the solver's next move captures the capturing piece.
	Turc Theme = "turc"

	// Majority: the rule of the most (or best) pieces forbids the opponent's other captures.
	Majority Theme = "majority"

	// Sent, envoi à dame: a man of the opponent is forced to become a king, and is captured.
	Sent Theme = "sent"

	// Crowning, passage à dame: a man of the solver becomes a king.
	Crowning Theme = "crowning"

	// Tempo, temps de repos: the opponent must capture already, so the solver has a free move,
	// which offers nothing more.
	Tempo Theme = "tempo"

	// Round, rafle: the solver captures four pieces or more at once.
	Round Theme = "rafle"

	// Blockade: the game is won because the opponent has pieces left but cannot move.
	Blockade Theme = "blockade"
)

// AllThemes returns all themes in their usual order.
func AllThemes() []Theme {
	return []Theme{Turc, Majority, Sent, Crowning, Tempo, Round, Blockade}
}

// Themes returns the themes of a line from p, whose side to move is the solver.
func Themes(v *rules.Variant, p rules.Position, line []rules.Move) []Theme {
	solver := p.Turn
	has := map[Theme]bool{}
	sent := rules.NoSquare // square of a king that was sent
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

// rests reports whether the solver's quiet move m from p to q leaves the opponent exactly the
// captures that it had before.
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

// themeJumps limits the jumps tried to find a theme. Positions with more captures get none of the
// themes that need them.
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

// StoppedByCaptured reports whether the capture m of p ends because a piece that it has captured
// is still on the board: if captured pieces were removed at once, it could go on from there
// without turning straight back.
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
