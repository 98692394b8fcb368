package notation

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"damier/rules"
)

// TestGameLimits reads games beyond each limit: they are errors, and the game after them is read.
func TestGameLimits(t *testing.T) {
	shuffle := "35-30 20-25 "
	kings := `[FEN "W:WK48:BK3"] `
	for name, c := range map[string]struct{ text, want string }{
		"comments":        {"32-28 " + strings.Repeat("{"+strings.Repeat("x", 100_000)+"} ", 90), "longer than 8 MiB"},
		"early comments":  {strings.Repeat("{"+strings.Repeat("x", 100_000)+"} ", 90) + "32-28", "longer than 8 MiB"},
		"variations":      {"32-28 " + strings.Repeat("(31-27 19-23) ", 60_000), "longer than 8 MiB"},
		"plies":           {kings + strings.Repeat("48-43 3-9 43-48 9-3 ", 2_501), "more than 10000 plies"},
		"tags":            {manyTags(mostTags+1) + shuffle, "more than 1000 tags"},
		"as many tags":    {manyTags(mostTags) + shuffle, ""},
		"as many plies":   {kings + strings.Repeat("48-43 3-9 43-48 9-3 ", 2_500), ""},
		"a long comment":  {"32-28 {" + strings.Repeat("x", 900_000) + "}", ""},
		"many variations": {"32-28 " + strings.Repeat("(31-27 19-23) ", 1_000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(strings.NewReader(c.text+" *\n[Event \"next\"]\n33-28 *\n"), rules.International)
			_, err := r.Next()
			var parse *ParseError
			switch {
			case c.want == "" && err != nil:
				t.Errorf("error %v", err)
			case c.want != "" && (!errors.As(err, &parse) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			next, err := r.Next()
			if err != nil || next.Tags.Get("Event") != "next" || next.Ply() != 1 {
				t.Fatalf("the next game: %v, %v", next, err)
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// manyTags returns n tags.
func manyTags(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[Tag%d \"x\"]\n", i)
	}
	return b.String()
}

// TestCommentBeforeSetup: a comment before the position of a game belongs to the game.
func TestCommentBeforeSetup(t *testing.T) {
	g, err := NewReader(strings.NewReader(`{a lesson} /FEN "W:W26,40:B17,3"/ 26-21 17x26 *`), rules.International).Next()
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Notes) != 1 || g.Notes[0] != Comment(0, "a lesson") || g.Ply() != 2 {
		t.Errorf("notes %v, %d plies", g.Notes, g.Ply())
	}
}
