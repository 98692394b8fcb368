package cli

import (
	"fmt"
	"strings"
)

// DidYouMean returns ` (did you mean "X"?)` with the known word that is closest to a mistyped one,
// and "" if none is close.
func DidYouMean(word string, known []string) string {
	best, least := "", 3 // a word with more than two changes is another word
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < least && d < max(len(k), len(word)) && 2*d <= max(len(k), len(word)) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance returns the smallest number of letters to insert, delete, replace or swap with their
// neighbour to change a into b (Damerau-Levenshtein, optimal string alignment).
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
