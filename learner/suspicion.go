package learner

import (
	"fmt"

	"damier/learner/journal"
)

// suspicious returns the signs in the numbers of a generation that the run does not learn.
func suspicious(l *Learner, p *journal.Progress) []string {
	var s []string
	g := l.run.Manifest.Generation
	if p.HeldRows > 0 && g >= 10 && g%10 == 0 && p.HeldValue > p.HeldMaterial {
		s = append(s, fmt.Sprintf("the value knows less than counting pieces would (held-out loss %.3f against %.3f)", p.HeldValue, p.HeldMaterial))
	}
	if p.Limited > 0.3 {
		s = append(s, fmt.Sprintf("%.0f %% of the games ended at the ply limit; raise selfplay.max_plies", 100*p.Limited))
	}
	if p.NewGames > 50 && p.Draws > 0.97 {
		s = append(s, fmt.Sprintf("%.0f %% of the games are draws: the outcome teaches little", 100*p.Draws))
	}
	if p.NewGames > 50 && p.Distinct < 0.3 {
		s = append(s, fmt.Sprintf("only %.0f %% of the positions of this generation are different: raise the exploration", 100*p.Distinct))
	}
	return s
}
