package board_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"damier/book"
	"damier/book/played"
	"damier/engine"
	"damier/rules"
	"damier/web/board"
)

// ownGames are games of a file, as the command play web gives them to the board.
type ownGames struct{ *played.Games }

func (g ownGames) Results(v *rules.Variant, p rules.Position) board.Results {
	r := g.Games.Results(v, p)
	if p.Turn == rules.Black {
		r.Wins, r.Losses = r.Losses, r.Wins
	}
	return board.Results{White: int(r.Wins), Draws: int(r.Draws), Black: int(r.Losses), Unknown: int(r.Unknown)}
}

func (g ownGames) Reading() board.CollectionState { return board.CollectionState(g.Progress()) }

// shippedBook is the book that comes with the program. An engine draws from the moves that lose at
// most four hundredths of a man.
func shippedBook(v *rules.Variant, p rules.Position) (moves []board.BookMove, there bool, err error) {
	b, err := book.Shipped(v)
	if b == nil || err != nil {
		return nil, false, err
	}
	all := b.Moves(p)
	drawn := engine.BookUse{Margin: engine.DefaultBookMargin}.Drawn(len(all), func(i int) float64 { return all[i].Score.Expected() })
	for i, c := range all {
		m := board.BookMove{Move: c.Move, Expected: c.Score.Expected()}
		if i < drawn {
			m.Share = 1 / float64(drawn)
		}
		moves = append(moves, m)
	}
	return moves, true, nil
}

// TestExplorerOnThePage: the explorer shows the moves of the book and of a person's file; a click
// plays one, and a transposition meets. Where no book comes with a variant it says so.
func TestExplorerOnThePage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.pdn")
	const text = `1. 34-29 20-25 2. 31-26 14-20 2-0
1. 31-26 20-25 2. 34-29 14-20 0-2
1. 31-26 20-25 2. 34-29 1-1
1. 31-26 20-24 2. 26-32 *
`
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	games := &played.Games{}
	games.Read(t.Context(), []string{name}, rules.International, func(error) {})
	p := openTab(t, board.Config{Book: shippedBook, Games: ownGames{games}}, 1280, 1000)
	p.begin("international", "person", "person")
	p.clickOn("#explorer summary")
	p.Says("#explorer-note", "4 games read, 4 of them passed this position. White scored 50% in them. 1 cannot be read, or not to their end:")
	p.Says("#explorer-bad", "mine.pdn: line 4: game 4, ply 3")
	p.Wait(`document.querySelectorAll("#explorer-moves tr").length === 9`)
	row := func(n int) []string {
		return eval[[]string](p, `[...document.querySelectorAll("#explorer-moves tr")]`+
			`[`+string(rune('0'+n))+`].innerText.split("\t").map((x) => x.trim())`)
	}
	if got := row(0); len(got) != 6 || got[0] != "31-26" || got[2] != "13%" || got[3] != "3 · 75%" || got[5] != "25%" {
		t.Errorf("the first row is %q", got)
	}
	if got := row(1); got[0] != "34-29" || got[3] != "1 · 25%" || got[5] != "100%" {
		t.Errorf("the second row is %q", got)
	}
	p.Wait(`document.querySelector("#explorer-moves .odds").getAttribute("aria-label") === "White wins 0%, draws 50%, Black wins 50%"`)
	p.Shot("explorer")
	for _, theme := range []string{"light", "dark"} {
		p.Choose("set-theme", theme)
		p.Accessible("explorer, " + theme)
	}
	for _, move := range []string{"31-26", "20-25", "34-29"} {
		p.Wait(`!document.querySelector(".lifted") && document.querySelector("#explorer-moves button")?.textContent === "` + move + `"`)
		p.clickOn("#explorer-moves button")
	}
	p.waitForMoves("31-26 20-25 34-29")
	// Three games come here, by two ways.
	p.Says("#explorer-note", "3 of them passed this position")
	p.Says("#explorer-moves", "14-20")

	// It stays open, and follows the game and the language.
	p.Drive(chromedp.Reload(), chromedp.WaitVisible(`body[data-ready="true"]`))
	p.Says("#explorer-note", "3 of them passed this position")
	p.clickOn("#undo")
	p.Says("#explorer-note", "2 of them passed this position")
	for language, want := range map[string]string{"fr": "4 parties lues", "nl": "4 partijen gelezen"} {
		p.speak(language)
		p.Says("#explorer-note", want)
	}
	p.speak("en")
	p.begin("thai", "person", "person")
	p.Says("#explorer-note", "There is no opening book for these rules. 4 games read, 0 of them passed this position.")
	p.Wait(`document.querySelector("#explorer-table").hidden`)
}
