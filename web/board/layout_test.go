package board_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/web/board"
)

// Everything needed to play is visible at once: the board does not scroll, the moves and the
// analysis scroll beside it.
func TestOneView(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 800)
	p.begin("international", "person", "person")
	p.load("[Event \"x\"]\n1. 32-28 17-21 2. 37-32 21-26 3. 41-37 11-17 4. 46-41 6-11 5. 33-29 1-6 6. 39-33 20-25 *")
	p.Wait(`document.querySelectorAll("#moves button").length > 10`)
	p.Script(`document.querySelector("#analyse").click(); document.querySelector("#pdn").closest("details").open = true`)
	p.Wait(`document.querySelectorAll("#top-moves tr").length > 0`)
	for _, size := range [][2]int64{{1280, 800}, {1366, 768}} {
		p.Drive(chromedp.EmulateViewport(size[0], size[1]))
		for _, id := range []string{"board", "player-top", "player-bottom", "status", "moves-title", "move", "resign", "draw", "previous", "undo", "open-game", "hint"} {
			box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.getElementById(%q).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]})()`, id))
			if box[0] < 0 || box[1] < 0 || box[2] > float64(size[0]) || box[3] > float64(size[1]) || box[3]-box[1] < 5 {
				t.Errorf("%v: #%s is at %v", size, id, box)
			}
		}
		if width := eval[float64](p, `document.querySelector("#board").getBoundingClientRect().width`); width < 0.65*float64(size[1]) {
			t.Errorf("%v: the board is %.0f wide", size, width)
		}
		if by := eval[float64](p, `document.documentElement.scrollHeight - innerHeight`); by > 0 {
			t.Errorf("%v: the page is %.0f too high", size, by)
		}
		if !eval[bool](p, `(() => {const s = document.querySelector("#beside"); return s.scrollHeight > s.clientHeight && getComputedStyle(s).overflowY === "auto"})()`) {
			t.Errorf("%v: moves and analysis do not scroll by themselves", size)
		}
		p.Shot(fmt.Sprintf("view-%d", size[0]))
	}
	if eval[bool](p, `document.querySelector("#variant").offsetParent !== null`) {
		t.Error("the dialog of a new game is visible before it is opened")
	}

	// The keys step through the game, also after a click on a square.
	last := eval[int](p, `document.querySelectorAll("#moves button").length`)
	later := func(n int) {
		t.Helper()
		p.Wait(fmt.Sprintf(`document.querySelectorAll("#moves button.later").length === %d`, n))
	}
	p.Script(`document.activeElement.blur()`)
	p.Drive(chromedp.KeyEvent(kb.Home))
	later(last)
	p.Drive(chromedp.KeyEvent(kb.ArrowRight))
	later(last - 1)
	p.Drive(chromedp.KeyEvent(kb.End))
	later(0)
	p.Click(28)
	p.Drive(chromedp.KeyEvent(kb.ArrowLeft))
	later(1)
	p.Script(`document.querySelector("#move").focus()`)
	p.Drive(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowLeft))
	later(1)
}

// Actions that cannot be undone ask for confirmation; the draw, the hint, the arrows and the links
// do what their labels say.
func TestAsksHintsAndLinks(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 800)
	p.press("#draw")
	p.Says("#refusal", "the game has not begun")
	p.press("#hint")
	p.Says("#refusal", "The engine would play ")
	p.Wait(`document.querySelectorAll(".arrow.hint").length === 1`)
	if p.moves() != "" {
		t.Error("a hint was played")
	}
	p.begin("frisian", "person", "person")
	p.typeMoves("31-27", "20-25")
	p.press("#resign")
	p.Says("#choose-title", "Resign the game? Undo takes it back.")
	p.press("#choose-cancel")
	p.Says("#status", "White")
	p.press("#delete")
	p.Says("#choose-title", "cannot be undone")
	p.press("#choose-cancel")
	p.waitForMoves("31-27 20-25")

	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(`document.querySelectorAll(".arrow").length === 3 && document.querySelectorAll(".arrow.second").length === 1`)
	p.Says("#expected", "White's lead")
	if text := p.Text("#top-moves td:nth-child(3)"); !strings.Contains(text, "·") || !strings.Contains(text, "%") {
		t.Errorf("the best move is worth %q, which has not both men and the expected score", text)
	}

	for kind, moves := range map[string]string{"pdn": "31-27 20-25", "fen": ""} {
		p.Script(`document.querySelector("#link").closest("details").open = true; document.querySelector("#link").value = ""; document.querySelector("#link-` + kind + `").click()`)
		p.Wait(`document.querySelector("#link").value !== "" && document.querySelector("#link-note").textContent !== ""`)
		fen, address := eval[string](p, `document.querySelector("#fen").value`), eval[string](p, `document.querySelector("#link").value`)
		o := &tab{p.Beside(address)}
		o.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, fen))
		o.waitForMoves(moves)
		o.Says("#title", "Frisian")
		if got := eval[string](o, `location.hash`); got != "" {
			t.Errorf("the address still holds %q", got)
		}
	}
}
