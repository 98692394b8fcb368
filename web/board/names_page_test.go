package board_test

import (
	"fmt"
	"strings"
	"testing"

	"damier/web/board"
)

// A person's own name stands at the board and in the PDN, whatever letters it has, and is
// remembered.
func TestNames(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	name := `Ann "the <b>" O'Hara \\ é`
	p.Script(fmt.Sprintf(`const f = document.querySelector("#white-name"); f.value = %q; f.dispatchEvent(new Event("change"))`, name))
	p.Wait(fmt.Sprintf(`document.querySelector("#player-bottom").textContent.includes(%q)`, "White: "+name))
	p.begin("international", "person", "person")
	p.Click(32, 28)
	p.Says("#moves", "32-28")
	if text := p.written(); !strings.Contains(text, `[White "Ann \"the <b>\" O'Hara \\\\ é"]`) || !strings.Contains(text, `[Black "Person"]`) {
		t.Errorf("the PDN is\n%s", text)
	}
	p.Script(`document.querySelector("#open-game").click()`)
	p.Accessible("names")
	p.Script(`document.querySelector("#game-close").click()`)

	// A game of a file has the names of the file, and a game without them has none.
	p.load("1. 32-28 19-23 *")
	p.Wait(`document.querySelectorAll("#moves button").length === 2`)
	p.Says("#player-bottom", "White: Person")
	p.Reload()
	if got := eval[string](p, `document.querySelector("#white-name").value`); got != name {
		t.Errorf("after a reload the name is %q", got)
	}
}
