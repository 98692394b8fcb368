package board_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/web/board"
)

// A person replays the mistakes of a reviewed game: a wrong move is refuted, a right one is
// accepted, the solution can be shown, and the game stays as it was.
func TestLessonsOnThePage(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.load(loses)
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	p.Choose("review-effort", "0")
	p.clickOn("#review")
	p.Wait(`!document.querySelector("#learn-box").hidden && !document.querySelector("#learn").disabled`)
	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(`document.querySelectorAll(".arrow").length > 0`)
	p.Choose("learn-side", "white")
	game := p.moves()
	// The lines of the analysis move the button while they grow; a click by place may miss it.
	p.Script(`document.querySelector("#learn").click()`)
	p.Says("#learn-text", "Mistake 1 of ")
	p.Says("#learn-text", "Find a better move for White")
	for eval[bool](p, `!document.querySelector("#learn-text").textContent.includes("5. 28-22")`) {
		p.clickOn("#learn-next")
		p.Says("#learn-text", "Mistake ")
	}
	p.Wait(`document.querySelectorAll("#moves button.later").length === 2 && document.querySelectorAll(".movable").length > 0`)
	// Nothing tells the solution, once the server has ended the analysis.
	p.Wait(`document.querySelector("#analysis").hidden && document.querySelectorAll(".arrow").length === 0 && document.querySelector("#faults").getClientRects().length === 0`)
	p.Shot("lesson")

	// A move that is refused leaves the task as it is.
	p.Drive(chromedp.SendKeys(chromedp.CSS("#move"), "28-9"+kb.Enter))
	p.Wait(`document.querySelector("#refusal").textContent !== ""`)
	p.Says("#learn-text", "Find a better move for White")

	p.Click(28, 22)
	p.Says("#learn-text", "28-22 is not good enough")
	p.Says("#learn-text", "the answer is 17x28")
	p.Wait(`document.querySelectorAll(".arrow.wrong").length === 1`)
	p.Drive(chromedp.SendKeys(chromedp.CSS("#move"), "28-22"+kb.Enter))
	p.Wait(`document.querySelector("#move").value === ""`)
	p.Says("#learn-text", "28-22 is not good enough")
	p.Accessible("a lesson")

	// Away from the position a move is a move of the game, and there is a way back.
	p.clickOn("#last")
	p.Says("#learn-text", "another position")
	p.clickOn("#learn-back")
	p.Says("#learn-text", "Mistake ")
	p.clickOn("#learn-show")
	p.Says("#learn-text", "Better was ")
	better := eval[string](p, `document.querySelector("#learn-text").textContent.match(/was (\S+?)[ .]/)[1]`)
	p.Wait(`document.querySelectorAll(".arrow.hint").length === 1`)
	p.Drive(chromedp.SendKeys(chromedp.CSS("#move"), better+kb.Enter))
	p.Says("#learn-text", better+" is right: the best move.")
	p.speak("fr")
	p.Says("#learn-text", better+" est juste")
	p.speak("nl")
	p.Says("#learn-text", better+" is goed")
	p.speak("en")
	if got := p.moves(); got != game {
		t.Errorf("the attempts have changed the game to %s, it was %s", got, game)
	}
	for eval[bool](p, `!document.querySelector("#learn-tools").hidden`) {
		before := p.Text("#learn-text")
		p.clickOn("#learn-next")
		p.Wait(`document.querySelector("#learn-text").textContent !== ` + quoted(before))
	}
	p.Says("#learn-text", "That was the last mistake. You found 0 of ")
	// The analysis is on again, as before the lessons.
	p.Wait(`document.querySelector("#analyse").checked`)
	p.newGame()
	p.Wait(`document.querySelector("#learn-box").hidden`)
}

// quoted returns a text as a JavaScript string.
func quoted(text string) string { return fmt.Sprintf("%q", text) }
