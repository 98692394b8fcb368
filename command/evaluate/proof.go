package evaluate

import (
	"fmt"

	"damier/arena"
	"damier/engine/open"
)

// Requirements of a proof; see docs/matches.md.
const (
	proofOpenings = 250  // number of different openings, at least
	proofGames    = 1200 // --games of a sequential test, at least
)

// missingForProof returns what the match lacks as a proof that A is stronger than B. The list is
// empty if the match is a proof.
func missingForProof(r arena.Result, m arena.Match, o *options) []string {
	missing := []string{}
	addIf := func(condition bool, format string, args ...any) {
		if condition {
			missing = append(missing, fmt.Sprintf(format, args...))
		}
	}
	a, b := timePerMove(o.a, o), timePerMove(o.b, o)
	addIf(m.Clock == nil && (a == "" || a != b), "the same time per move for both: --time, or --clock")
	addIf(m.Clock != nil && !(clocked(o.a) && clocked(o.b)),
		"players without limits of their own: the clock is the same, their use of it is not")
	addIf(m.Concurrency > cores(), "a core for each game: %d at a time share %d", m.Concurrency, cores())
	for _, text := range []string{o.a, o.b} {
		spec, err := open.ParseSpec(text)
		addIf(err == nil && spec.Cores > 1, "one core for %s, not %d", open.PlayerLabel(text), spec.Cores)
	}
	addIf(o.unbalanced, "balanced openings")
	addIf(len(m.Openings) < proofOpenings, "%d different openings or more, not %d", proofOpenings, len(m.Openings))
	addIf(r.Games()/2 > len(m.Openings),
		"no opening played twice: %d pairs have %d openings", r.Games()/2, len(m.Openings))
	switch {
	case m.SPRT == nil:
		addIf(true, "a sequential test: --sprt 0,50")
	case m.SPRT.Elo0 < 0 || m.SPRT.Elo1-m.SPRT.Elo0 > 50:
		addIf(true, "a sequential test from 0 on, no wider than 50: --sprt 0,50")
	case r.Verdict != arena.Accepted:
		addIf(true, "a test that accepts; this one is %s", r.Verdict)
	}
	addIf(m.SPRT != nil && r.Verdict == arena.Inconclusive && m.Games < proofGames,
		"as many games as the test wants: --games %d", proofGames)
	addIf(r.Distinct < r.Games(), "no two equal games; there are %d", len(r.Duplicates))
	addIf(r.Illegal != [2]int{}, "no illegal move")
	addIf(r.Overruns != [2]int{}, "no time overrun")
	addIf(r.Failures != [2]int{}, "no player that fails")
	addIf(m.Clock == nil && r.Forfeits != [2]int{}, "no game lost on time")
	addIf(r.Judged > 0, "no adjudication")
	return missing
}

// timePerMove returns the time limit per move of a player, "" if something else ends its searches.
func timePerMove(text string, o *options) string {
	spec, err := open.ParseSpec(text)
	switch {
	case err != nil || spec.Kind == open.Random || spec.Kind == open.DXP: // DXP has a time for the game
		return ""
	case spec.Depth > 0 || spec.Nodes > 0 || spec.Visits > 0 || spec.Level > 0:
		return ""
	case spec.Time > 0:
		return spec.Time.String()
	case o.time == 0:
		return ""
	}
	return o.time.String()
}

// clocked reports whether a player has its time from the match's clock alone. One behind DXP has no
// increment.
func clocked(text string) bool {
	spec, err := open.ParseSpec(text)
	return err == nil && !spec.Limited() && spec.Kind != open.Random && spec.Kind != open.DXP
}
