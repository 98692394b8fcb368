package evaluate

import (
	"fmt"

	"damier/arena"
	"damier/engine/open"
)

// What a proof needs, see docs/matches.md.
const (
	proofOpenings = 250  // different ones
	proofGames    = 1200 // the limit of a sequential test, at least
)

// lacks says what the match lacks as a proof that A is stronger than B: nothing if it is one.
func lacks(r arena.Result, m arena.Match, o *options) []string {
	missing := []string{}
	lack := func(is bool, format string, args ...any) {
		if is {
			missing = append(missing, fmt.Sprintf(format, args...))
		}
	}
	a, b := timeOf(o.a, o), timeOf(o.b, o)
	lack(m.Clock == nil && (a == "" || a != b), "the same time per move for both: --time, or --clock")
	lack(m.Clock != nil && (a != "" || b != ""), "players without limits of their own: the clock is the same, their use of it is not")
	lack(m.Concurrency > cores(), "a core for each game: %d at a time share %d", m.Concurrency, cores())
	for _, text := range []string{o.a, o.b} {
		spec, err := open.ParseSpec(text)
		lack(err == nil && spec.Cores > 1, "one core for %s, not %d", open.PlayerLabel(text), spec.Cores)
	}
	lack(o.unbalanced, "balanced openings")
	lack(len(m.Openings) < proofOpenings, "%d different openings or more, not %d", proofOpenings, len(m.Openings))
	lack(r.Games()/2 > len(m.Openings), "no opening played twice: %d pairs have %d openings", r.Games()/2, len(m.Openings))
	switch {
	case m.SPRT == nil:
		lack(true, "a sequential test: --sprt 0,50")
	case m.SPRT.Elo0 < 0 || m.SPRT.Elo1-m.SPRT.Elo0 > 50:
		lack(true, "a sequential test from 0 on, no wider than 50: --sprt 0,50")
	case r.Verdict != arena.Accepted:
		lack(true, "a test that accepts; this one is %s", r.Verdict)
	}
	lack(m.SPRT != nil && r.Verdict == arena.Inconclusive && m.Games < proofGames, "as many games as the test wants: --games %d", proofGames)
	lack(r.Distinct < r.Games(), "no two equal games; there are %d", len(r.Duplicates))
	lack(r.Illegal != [2]int{}, "no illegal move")
	lack(r.Overruns != [2]int{}, "no time overrun")
	lack(r.Failures != [2]int{}, "no player that fails")
	lack(m.Clock == nil && r.Forfeits != [2]int{}, "no game lost on time")
	lack(r.Judged > 0, "no adjudication")
	return missing
}

// timeOf says how the time of a player's moves is limited, "" if by something else.
func timeOf(text string, o *options) string {
	spec, err := open.ParseSpec(text)
	switch {
	case err != nil || text == "random":
		return ""
	case spec.Time > 0:
		return spec.Time.String()
	case spec.Limited() || o.time == 0:
		return ""
	}
	if o.clock != "" {
		return ""
	}
	return o.time.String()
}
