package board_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/book/played"
	"damier/rules"
	"damier/web/board"
	"damier/web/webtest"
)

// Where the engine answers while a person writes a note or is asked about a deletion, both are
// about the move that was shown before. While the engine thinks there is no hint.
func TestMoveIsKeptMeanwhile(t *testing.T) {
	c, moves := toldConfig()
	p := openTab(t, c, 1280, 1000)
	p.Click(32, 28)
	p.Says("#status", "the engine thinks")
	p.Wait(`document.querySelector("#hint").disabled`)
	p.Drive(chromedp.SendKeys(chromedp.CSS("#comment"), "mine"))
	moves <- "19-23"
	p.waitForMoves("32-28 19-23")
	p.Choose("glyph", "3")
	p.Drive(chromedp.SendKeys(chromedp.CSS("#comment"), kb.Enter))
	p.Says("#moves", "mine")
	if got, want := p.listed(), "1. 32-28!! mine 1… 19-23"; got != want {
		t.Errorf("the note is at another move: %s, want %s", got, want)
	}
	p.Wait(`!document.querySelector("#hint").disabled && document.querySelector("#comment").value === "" && document.querySelector("#glyph").value === ""`)

	p.Click(28, 19)
	p.Says("#status", "the engine thinks")
	p.clickOn("#delete")
	p.Wait(`document.querySelector("#choose").open`)
	moves <- "14x23"
	p.Wait(`document.querySelectorAll("#moves button").length === 4`)
	p.clickOn("#choices button")
	p.Wait(`document.querySelectorAll("#moves button").length === 2`)
}

// held returns a server whose answers to some paths wait while hold is set, until release.
func held(s *board.Server, suffix string) (handler http.Handler, hold *atomic.Bool, release func()) {
	hold = new(atomic.Bool)
	gate := make(chan struct{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, suffix) && hold.Load() {
			<-gate
		}
		s.ServeHTTP(w, r)
	}), hold, sync.OnceFunc(func() { close(gate) })
}

// A row of the explorer plays no move in another position than its own.
func TestExplorerRowsMeanwhile(t *testing.T) {
	webtest.NeedBrowser(t)
	games := &played.Games{}
	games.Read(t.Context(), nil, rules.International, func(error) {})
	s := board.New(board.Config{Book: shippedBook, Games: ownGames{games}})
	handler, hold, release := held(s, "/explorer")
	p := &tab{webtest.OpenPage(t, handler, s.Close, 1280, 1000)}
	t.Cleanup(release)
	p.Script(`document.querySelector("#set-motion").click()`)
	p.begin("international", "person", "person")
	p.clickOn("#explorer summary")
	p.Wait(`document.querySelectorAll("#explorer-moves tr").length === 9`)
	hold.Store(true)
	p.typeMoves("32-28")
	p.Script(`for (const b of document.querySelectorAll("#explorer-moves button")) b.click()`)
	p.typeMoves("20-25")
	p.waitForMoves("32-28 20-25")
	release()
	p.Wait(`document.querySelector("#explorer-moves button")?.getAttribute("aria-label").length > 0`)
}

// The editor sets up what it shows, also where the server has not answered about it yet.
func TestEditorMeanwhile(t *testing.T) {
	webtest.NeedBrowser(t)
	s := board.New(board.Config{})
	handler, hold, release := held(s, "/check")
	p := &tab{webtest.OpenPage(t, handler, s.Close, 1280, 1100)}
	t.Cleanup(release)
	p.begin("international", "person", "person")
	p.Script(`document.querySelector("#edit").closest("details").open = true`)
	p.clickOn("#edit")
	p.Says("#edit-faults", "Nothing is wrong")
	hold.Store(true)
	p.Click(32) // takes the man off
	p.clickOn("#edit-use")
	release()
	p.Wait(`document.querySelector("#editor").hidden`)
	p.Wait(`document.querySelector("#fen").value.startsWith("W:W31,33") && document.querySelectorAll("#board g.piece").length === 39`)
}
