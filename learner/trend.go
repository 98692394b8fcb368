package learner

import (
	"fmt"
	"math"
	"slices"
)

// trend answers "is it getting better?" from the last rated evaluation.
func trend(ratings []Rating) string {
	all := ratedOnes(ratings)
	if len(all) == 0 {
		return "not measured yet"
	}
	now := all[len(all)-1]
	if now.Gain == nil {
		return fmt.Sprintf("Elo %.0f, first measure", now.Elo)
	}
	word := "no clear change"
	switch {
	case now.Gain.Elo > now.Gain.Half:
		word = "better"
	case now.Gain.Elo < -now.Gain.Half:
		word = "worse"
	}
	s := fmt.Sprintf("%s, %v", word, now.Gain)
	if now.Total.Since != now.Gain.Since {
		s += fmt.Sprintf(", %v", now.Total)
	}
	return s
}

// String returns the gain in words, such as "+35 ± 30 Elo since generation 12".
func (g *Gain) String() string {
	return fmt.Sprintf("%+.0f ± %.0f Elo since generation %d", g.Elo, g.Half, g.Since)
}

// ratedOnes returns the ratings whose Elo is known.
func ratedOnes(all []Rating) []Rating {
	return slices.DeleteFunc(slices.Clone(all), func(r Rating) bool { return !r.rated() })
}

// stallLength is the number of evaluations without a gain that cause a warning.
const stallLength = 4

// stalled reports whether the last evaluations show no gain.
func stalled(all []Rating) bool {
	all = slices.DeleteFunc(ratedOnes(all), func(r Rating) bool { return r.Refit })
	if len(all) <= stallLength {
		return false
	}
	best := math.Inf(-1)
	for _, r := range all[:len(all)-stallLength] {
		best = max(best, r.Elo)
	}
	for _, r := range all[len(all)-stallLength:] {
		if r.Elo > best {
			return false
		}
	}
	return true
}

// suspicious returns the signs in the numbers of a generation that the run does not learn.
func suspicious(l *Learner, p *Progress) []string {
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
