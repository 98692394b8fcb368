package board_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"damier/egdb"
	"damier/rules"
	"damier/web/board"
)

// withTables returns a Config with the verdicts of tables of English draughts, and the tables.
func withTables(t *testing.T) (board.Config, *egdb.Tables) {
	t.Helper()
	tables, err := egdb.Load(t.Context(), t.TempDir(), rules.English, 0)
	if err != nil {
		t.Fatal(err)
	}
	worth := map[egdb.Result]int{egdb.Win: 1, egdb.Loss: -1}
	ask := func(ctx context.Context, v *rules.Variant, q rules.Position) ([]board.Verdict, error) {
		var all []board.Verdict
		verdicts, err := tables.Verdicts(ctx, q, 0)
		if err != nil {
			return nil, err
		}
		for _, x := range verdicts {
			all = append(all, board.Verdict{
				Move: x.Move, Known: x.Known, Result: worth[x.Result], Plies: x.Plies, Sure: x.Sure,
				Forbidden: x.Forbidden, Theory: worth[x.Theory],
			})
		}
		return all, nil
	}
	return board.Config{Verdicts: ask}, tables
}

// knownEnding is a position that those tables know.
const knownEnding = "W:WK18,11:BK17"

// The page shows the verdicts of real tables on the position and on each move. axe finds no
// violation.
func TestVerdictsOnThePage(t *testing.T) {
	c, tables := withTables(t)
	p := openTab(t, c, 1280, 1000)
	p.begin("english", "person", "person")
	p.Script(`document.querySelector("#verdicts").click()`)
	p.Says("#verdict-text", "The endgame tables do not know this position.")
	p.setUp(knownEnding)
	p.Wait(`document.querySelectorAll("#verdict-rows tr").length > 0 && !document.querySelector("#verdict-moves").hidden`)
	start, err := rules.ParseFEN(rules.English, knownEnding)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	verdicts, err := tables.Verdicts(t.Context(), start, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range verdicts {
		want = append(want, x.String())
	}
	got := eval[[]string](p, `[...document.querySelectorAll("#verdict-rows tr")].map((r) => r.cells[1].textContent)`)
	p.Says("#verdict-text", fmt.Sprintf("White to move: %s.", got[0]))
	if !strings.HasPrefix(got[0], "wins in ") {
		t.Errorf("the position is %q", got[0])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the moves are %q, the tables say %q", got, want)
	}
	for _, theme := range []string{"light", "dark"} {
		p.Choose("set-theme", theme)
		p.Accessible("verdicts, " + theme)
	}
	for language, want := range map[string]string{"fr": "Trait aux Blancs : gagne en", "nl": "aan zet: wint in"} {
		p.speak(language)
		p.Says("#verdict-text", want)
	}
	p.Script(`document.querySelector("#verdicts").click()`)
	p.Wait(`document.querySelector("#verdict").hidden`)
}
