// Package plain makes text from outside safe to print.
package plain

import (
	"strings"
	"unicode"
)

// Text returns s with a question mark for each character that a terminal may interpret as a
// command or that hides other text: control characters except newline and tab, marks of writing
// direction, and bytes that are not UTF-8.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r),
			unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return '?'
		}
		return r
	}, s)
}

// Line is Text for one line: newlines and tabs become blanks.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Text(s))
}
