package board_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/web/board"
)

// The focus of the keyboard stays in a list that is drawn anew: at the same move or mistake, or at
// the first move of the explorer in the next position.
func TestFocusStaysInLists(t *testing.T) {
	p := openTab(t, board.Config{Book: shippedBook}, 1280, 1000)
	p.Script(`document.querySelector("#set-motion").click()`)
	p.begin("international", "person", "person")
	focused := `document.querySelector(":focus")`
	p.load(loses)
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	p.Script(`document.querySelector("#moves button").focus()`)
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Wait(`document.querySelectorAll("#moves button.later").length === 9`)
	p.Wait(focused + `?.textContent === "32-28"`)
	p.Drive(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.Wait(`document.querySelectorAll("#moves button.later").length === 8`)
	p.Wait(focused + `?.textContent === "19-23"`)

	p.Choose("review-effort", "0")
	p.clickOn("#review")
	p.Wait(`document.querySelectorAll("#faults button").length > 0`)
	p.Script(`[...document.querySelectorAll("#faults button")].at(-1).focus()`)
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Wait(`document.querySelector("#moves [aria-current='true']").textContent !== "19-23"`)
	p.Wait(focused + ` === [...document.querySelectorAll("#faults button")].at(-1)`)

	p.newGame()
	p.clickOn("#explorer summary")
	p.Wait(`document.querySelectorAll("#explorer-moves tr").length === 9`)
	p.Script(`document.querySelector("#explorer-moves button").focus()`)
	for range 3 {
		first := p.Text("#explorer-moves button")
		p.Drive(chromedp.KeyEvent(kb.Enter))
		p.Wait(`document.querySelector("#explorer-moves button").textContent !== ` + quoted(first))
		p.Wait(focused + ` === document.querySelector("#explorer-moves button")`)
	}
}
