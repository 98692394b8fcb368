package board_test

import (
	"testing"

	"damier/web/board"
)

// axe finds no violation in the parts for analysis: variations, a reviewed game with the threat
// (during the search and after it), and the editor with a bad position; light and dark.
func TestAccessibilityOfAnalysis(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	check := func(name string) {
		t.Helper()
		for _, theme := range []string{"light", "dark"} {
			p.Choose("set-theme", theme)
			p.Accessible(name + ", " + theme)
		}
	}
	p.load("1. 32-28 $1 {good} (1. 33-28 $6 {slower} 18-23 (1... 19-23 2. 28x19)) 19-23 {[%clk 0:01:00]} 2. 28x19 {[%clk 0:00:42]} 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-22 17x28 *")
	p.Wait(`document.querySelectorAll("#moves button").length === 14`)
	check("variations")
	p.Script(`document.querySelector("#threats").click(); document.querySelector("#review").click(); for (const d of document.querySelectorAll("details")) d.open = true`)
	p.Says("#review-note", "11 positions have been searched.")
	p.clickOn("#faults button")
	p.Wait(`document.querySelector("#moves [aria-current='true']").textContent.startsWith("28-22")`)
	p.clickOn("#previous")
	p.Says("#threat", "hreat")
	p.Says("#times-text", "The lines are the time left.")
	check("a review")
	p.Script(`document.querySelector("#edit").click()`)
	p.Wait(`!document.querySelector("#editor").hidden`)
	p.clickOn("#edit-clear")
	p.Click(3)
	p.Says("#edit-faults", "promotion row")
	check("the editor")
}
