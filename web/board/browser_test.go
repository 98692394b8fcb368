package board_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"damier/web/board"
	"damier/web/webtest"
)

// tab is a page of the board or of tactics in its own window.
type tab struct{ *webtest.Tab }

func eval[T any](p *tab, expression string) T {
	p.Helper()
	return webtest.Eval[T](p.Tab, expression)
}

const square = webtest.Square

func TestMain(m *testing.M) { webtest.Main(m) }

// openTab starts a server and opens the board in a new tab.
func openTab(t *testing.T, c board.Config, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	webtest.NeedBrowser(t)
	s := board.New(c)
	return &tab{webtest.OpenPage(t, s, s.Close, width, height, options...)}
}

// begin starts a game of a variant.
func (p *tab) begin(variant, white, black string) {
	p.Helper()
	p.Choose("white-player", white)
	p.Choose("black-player", black)
	p.Choose("variant", variant)
	p.newGame()
	p.Wait(fmt.Sprintf(`document.title.toLowerCase().startsWith(%q)`, variant))
}

// answered waits until the page shows the answers to all its actions.
func (p *tab) answered() {
	p.Helper()
	p.Wait(`document.querySelector("#board").ariaBusy !== "true"`)
}

// speak chooses the language of the page.
func (p *tab) speak(language string) {
	p.Helper()
	p.Choose("language", language)
	p.Wait(fmt.Sprintf("document.documentElement.lang === %q", language))
}

// newGame starts a new game by the dialog.
func (p *tab) newGame() {
	p.Helper()
	p.Drive(chromedp.Click(chromedp.CSS("#open-game")), chromedp.Click(chromedp.CSS("#new")))
	p.Wait(`!document.querySelector("#game").open`)
	p.answered()
}

// setUp starts a game from a FEN.
func (p *tab) setUp(fen string) {
	p.Helper()
	p.Script(fmt.Sprintf(`const f = document.querySelector("#fen"); f.closest("details").open = true; f.value = %q; f.form.requestSubmit()`, fen))
	p.answered()
	p.Wait(`document.querySelectorAll("#moves button").length === 0 && document.querySelectorAll(".movable").length > 0`)
}

func (p *tab) label(n int) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector('button[data-square="%d"]').getAttribute("aria-label")`, n))
}

// moves returns the texts of the list of moves.
func (p *tab) moves() string {
	p.Helper()
	return eval[string](p, `[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ")`)
}

// waitForMoves waits until the list and the board show these moves.
func (p *tab) waitForMoves(moves string) {
	p.Helper()
	p.Wait(fmt.Sprintf(`[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ") === %q && !document.querySelector(".lifted")`, moves))
}
