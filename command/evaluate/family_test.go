package evaluate

import (
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"damier/arena"
	"damier/notation"
	"damier/rules"
)

// TestEveryVariant plays a match in every variant, from its own openings, and reads the games back
// from the PDN file.
func TestEveryVariant(t *testing.T) {
	for _, name := range rules.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := rules.Lookup(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			openings, err := arena.Openings(v)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "games.pdn")
			c := newCommand()
			var out strings.Builder
			c.SetOut(&out)
			c.SetErr(io.Discard)
			c.SetArgs([]string{"--variant", name, "--a", "alphabeta:depth=2", "--b", "random", "--games", "4", "--pdn", file})
			if err := c.ExecuteContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(out.String(), v.String()+"\n") || !strings.Contains(out.String(), "games           4: ") {
				t.Errorf("the table of results is\n%s", out.String())
			}
			games, err := notation.ReadFile(v, file)
			if err != nil {
				t.Fatal(err)
			}
			if len(games) != 4 {
				t.Fatalf("%d games in the file", len(games))
			}
			for i, g := range games {
				if g.Result == notation.Unknown || v.GameType != 0 && !strings.HasPrefix(g.Tags.Get("GameType"), strconv.Itoa(v.GameType)) {
					t.Errorf("game %d: result %s, tags %v", i+1, g.Result, g.Tags)
				}
				opening := openings[i/2].Moves
				if n := len(opening); len(g.Moves()) < n || !slices.Equal(g.Moves()[:n], opening) {
					t.Errorf("game %d does not begin with opening %d", i+1, i/2+1)
				}
			}
		})
	}
}
