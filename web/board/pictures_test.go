package board_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"damier/book/played"
	"damier/engine"
	"damier/engine/open"
	"damier/rules"
	"damier/web/board"
	"damier/web/searches"
	"damier/web/webtest"
)

// shippedNetworks are the networks that come with the program.
var shippedNetworks = searches.Networks{
	Network: func(v *rules.Variant) (string, bool) {
		_, err := open.Network(v, "")
		return "", err == nil
	},
	Open: func(v *rules.Variant, player, _ string) (engine.Engine, error) {
		spec, err := open.ParseSpec(player)
		if err != nil {
			return nil, err
		}
		m, err := open.Network(v, "")
		if err != nil {
			return nil, err
		}
		return open.Over(v, spec, open.Settings{
			TableBits: searches.TableBits, MaxNodes: searches.MaxNodes,
		}, m.Evaluator())
	},
}

// sampleGame is a game of international draughts, with five minutes and 3 s for each move.
const sampleGame = `[White "Anna"]
[Black "Bert"]
[GameType "20"]
[TimeControl "300+3"]
1. 32-28 {[%clk 0:05:00]} 19-23 {[%clk 0:04:59]} 2. 28x19 {[%clk 0:05:01]} 14x23
{[%clk 0:04:59]} 3. 37-32 {[%clk 0:04:55]} 10-14 {[%clk 0:04:48]} 4. 41-37 {[%clk 0:04:51]}
14-19 {[%clk 0:04:29]} 5. 46-41 {[%clk 0:04:33]} 5-10 {[%clk 0:04:20]} 6. 34-30 {[%clk 0:04:18]}
20-25 {[%clk 0:04:14]} 7. 39-34 {[%clk 0:03:55]} 15-20 {[%clk 0:03:46]} 8. 44-39
{[%clk 0:03:44]} 10-14 {[%clk 0:03:31]} 9. 32-28 {[%clk 0:03:02]} 23x32 {[%clk 0:03:15]} 10.
37x28 {[%clk 0:02:42]} 16-21 {[%clk 0:02:35]} 11. 41-37 {[%clk 0:02:08]} 21-26 {[%clk 0:02:26]}
12. 37-32 {[%clk 0:01:13]} 26x37 {[%clk 0:02:09]} 13. 42x31 {[%clk 0:01:07]} 11-16
{[%clk 0:01:57]} 14. 50-44 {[%clk 0:00:56]} *`

// TestPictures draws the pictures of docs/board.md, light and dark, with the networks that come
// with the program:
//
//	DAMIER_PICTURES=docs/images go test ./web/board ./web/tactics ./web/dashboard -run TestPictures
func TestPictures(t *testing.T) {
	webtest.NeedPictures(t)
	games := &played.Games{}
	names := []string{"../../docs/experiments/int8-fixed.pdn"}
	games.Read(t.Context(), names, rules.International, func(err error) { t.Error(err) })
	c := board.Config{Networks: shippedNetworks, Book: shippedBook, Games: ownGames{games}}
	both := func(p *tab, name string) {
		for theme, end := range map[string]string{"light": "", "dark": "-dark"} {
			p.Choose("set-theme", theme)
			p.Picture(name + end)
		}
		p.Choose("set-theme", "light")
	}
	p := openTab(t, c, 1280, 800)
	p.Wait(`document.querySelectorAll(".movable").length > 0`)
	p.load(sampleGame)
	p.Wait(`document.querySelectorAll("#moves button").length === 27`)
	p.Script(`document.querySelector("#pdn").closest("details").open = false; document.querySelector("#beside").scrollTop = 0`)
	both(p, "board-game")

	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(`document.querySelectorAll("#top-moves tr").length >= 3`)
	p.Wait(`/\b[2-9][0-9.]* s$/.test(document.querySelector("#effort").textContent)`)
	p.Script(`document.querySelector(".analysis").scrollIntoView()`)
	both(p, "board-view")
	p.Script(`document.querySelector("#analyse").click()`)

	p.Choose("review-effort", "1")
	p.clickOn("#review")
	p.Wait(`document.querySelectorAll("#graph *").length > 0 && document.querySelector("#review-progress").hidden`)
	p.Script(`document.querySelector("#review").scrollIntoView()`)
	both(p, "board")

	p.Script(`document.querySelector("#explorer").open = true`)
	p.Script(`document.querySelector("#first").click()`)
	p.Wait(`document.querySelectorAll("#explorer-moves tr").length > 0`)
	p.Script(`document.querySelector("#explorer").scrollIntoView()`)
	both(p, "board-explorer")

	p = openTab(t, c, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	p.load(sampleGame)
	p.Wait(`document.querySelectorAll("#moves button").length === 27`)
	p.Script(`document.querySelector("#pdn").closest("details").open = false; scrollTo(0, 0)`)
	both(p, "board-phone")

	c, _ = withTables(t)
	p = openTab(t, c, 1280, 800)
	p.begin("english", "person", "person")
	p.Script(`document.querySelector("#verdicts").click()`)
	p.setUp(knownEnding)
	p.Wait(`document.querySelectorAll("#verdict-rows tr").length > 0 && !document.querySelector("#verdict-moves").hidden`)
	p.Script(`for (const d of document.querySelectorAll("details")) d.open = false; document.querySelector(".analysis").scrollIntoView()`)
	both(p, "board-verdicts")
}
