package tactics

import (
	"cmp"
	"slices"
)

// Choose returns count of the tactics, all of one variant, that differ as much as possible: no two
// of them near each other, rare themes first, and equal numbers of each level as far as possible.
// The result is in the order of [Sort].
func Choose(all []Tactic, count int) []Tactic {
	seen := map[Theme]int{}
	for i := range all {
		for _, t := range all[i].Themes {
			seen[t]++
		}
	}
	rarity := func(t *Tactic) int { // number of tactics with its rarest theme
		n := len(all) + 1
		for _, theme := range t.Themes {
			n = min(n, seen[theme])
		}
		return n
	}
	levels := map[int][]Tactic{}
	for _, t := range all {
		levels[t.Level] = append(levels[t.Level], t)
	}
	for _, l := range levels {
		slices.SortStableFunc(l, func(a, b Tactic) int {
			return cmp.Or(cmp.Compare(rarity(&a), rarity(&b)), -cmp.Compare(a.Gain, b.Gain), -cmp.Compare(len(a.Line), len(b.Line)))
		})
	}
	var chosen []Tactic
	for more := true; more && len(chosen) < count; {
		more = false
		for level := 5; level >= 1 && len(chosen) < count; level-- {
			for l := levels[level]; len(l) > 0; {
				t := l[0]
				l = l[1:]
				levels[level] = l
				if !slices.ContainsFunc(chosen, func(c Tactic) bool { return Near(&c, &t) }) {
					chosen = append(chosen, t)
					more = true
					break
				}
			}
		}
	}
	Sort(chosen)
	return chosen
}

// Sort orders tactics by level, then by the number of moves.
func Sort(all []Tactic) {
	slices.SortStableFunc(all, func(a, b Tactic) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(len(a.Line), len(b.Line)))
	})
}
