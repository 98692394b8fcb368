package plain

import (
	"strings"
	"testing"
	"unicode"
)

func TestText(t *testing.T) {
	for from, want := range map[string]string{
		"":                          "",
		"Scan 3.1, é, 国, 32-28\n\t": "Scan 3.1, é, 国, 32-28\n\t",
		"\x1b[2J\x1b]0;title\x07":   "?[2J?]0;title?",
		"a\r\x00b\x7fc\u0085d":      "a??b?c?d",
		"\u202egnp.exe\u200b":       "?gnp.exe?",
		"\xff\x9b31m":               "??31m",
	} {
		if got := Text(from); got != want {
			t.Errorf("%q: %q, want %q", from, got, want)
		}
	}
	if got := Line("a\nb\tc\x1b"); got != "a b c?" {
		t.Errorf("%q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Line(s) {
			if unicode.IsControl(r) {
				t.Fatalf("%q keeps %q", s, r)
			}
		}
		if got := Text(Text(s)); got != Text(s) {
			t.Fatalf("%q changes twice", s)
		}
		if strings.Count(Text(s), "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q loses a line", s)
		}
	})
}
