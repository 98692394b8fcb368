package board_test

import (
	"testing"
)

// axe finds no violation in the page: light and dark, with a game, an analysis and everything
// unfolded, and with an open dialog.
func TestAccessibility(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
	p.Accessible("the start")
	p.Script(`document.querySelector("#analyse").click(); for (const d of document.querySelectorAll("details")) d.open = true`)
	p.Wait(`document.querySelectorAll("#top-moves tr").length > 0`)
	p.Click(32)
	p.Says("#status", "From 32")
	p.Accessible("an analysis")
	p.Choose("set-theme", "dark")
	p.Accessible("dark")
	p.Choose("set-theme", "light")
	p.Click(28)
	p.Says("#moves", "32-28")
	p.Accessible("a game")
	p.begin("english", "person", "person")
	p.setUp(diamond)
	p.Click(26)
	p.Says("#status", "From 26")
	p.Click(10)
	p.Wait(`document.querySelector("#choose").open`)
	p.Accessible("a dialog")
}
