package journal

import (
	"fmt"
	"math"
	"slices"
)

// Trend answers "is it getting better?" from the last rated evaluation.
func Trend(ratings []Rating) string {
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
	return slices.DeleteFunc(slices.Clone(all), func(r Rating) bool { return !r.Rated() })
}

// StallLength is the number of evaluations without a gain that cause a warning.
const StallLength = 4

// Stalled reports whether the last evaluations show no gain.
func Stalled(all []Rating) bool {
	all = slices.DeleteFunc(ratedOnes(all), func(r Rating) bool { return r.Refit })
	if len(all) <= StallLength {
		return false
	}
	best := math.Inf(-1)
	for _, r := range all[:len(all)-StallLength] {
		best = max(best, r.Elo)
	}
	for _, r := range all[len(all)-StallLength:] {
		if r.Elo > best {
			return false
		}
	}
	return true
}
