package web_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/engine"
	"damier/mcts"
	"damier/rules"
	"damier/web"
)

// evens is a model that knows nothing: all moves alike, a quarter each side, half drawn.
type evens struct{}

func (evens) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	time.Sleep(time.Millisecond) // or the search is over before its first report
	for i := range leaves {
		for j := range leaves[i].Priors {
			leaves[i].Priors[j] = 1 / float32(len(leaves[i].Priors))
		}
		leaves[i].Value = rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
	}
	return nil
}

// networkConfig is a Config with a tree search over a network that knows nothing, and an alpha-beta search
// under the name of NNUE, in all variants but some.
func networkConfig(but ...string) web.Config {
	has := func(v *rules.Variant) bool { return !slices.Contains(but, v.Name) }
	return web.Config{
		Network: func(v *rules.Variant) (string, bool) { return "", has(v) },
		Open: func(v *rules.Variant, player, _ string) (engine.Engine, error) {
			if !has(v) {
				return nil, web.ErrNoNetwork
			}
			if player == "nnue" {
				return engine.NewBaseline(v, 12)
			}
			return engine.NewTree(v, engine.TreeConfig{
				Evaluators: []mcts.Evaluator{evens{}}, Search: mcts.Config{Root: mcts.PUCT, MaxNodes: 100_000},
				Repeatable: true, Own: engine.Limits{Nodes: 1},
			})
		},
	}
}

func evensConfig() web.Config { return networkConfig() }

func TestFirstMove(t *testing.T) {
	p := openTab(t, web.Config{}, 1280, 900)
	p.shot("start")
	p.click(32)
	if got := p.label(32); got != "32, white man, chosen" {
		t.Errorf("32 is %q", got)
	}
	if got := p.label(28); got != "28, empty, destination" {
		t.Errorf("28 is %q", got)
	}
	p.shot("selected")
	p.click(28)
	p.wait(`document.querySelectorAll("#moves button").length === 2 && !document.querySelector(".lifted")`)
	if got := p.label(28); !strings.HasPrefix(got, "28, white man") && !strings.HasPrefix(got, "28, empty") {
		t.Errorf("after the move 28 is %q", got)
	}
	p.wait(`document.querySelectorAll(".last").length === 2`)

	p.run(chromedp.Click(chromedp.CSS("#undo")))
	p.says("#status", "White to move")
	p.wait(`document.querySelectorAll("#moves button.later").length === 2`)
	p.run(chromedp.Click(chromedp.CSS("#redo")))
	p.wait(`document.querySelectorAll("#moves button.later").length === 0`)
	p.run(chromedp.Click(chromedp.CSS("#resign")))
	p.says("#status", "Black wins: resignation.")
	p.run(chromedp.Click(chromedp.CSS("#undo")))
	p.says("#status", "White to move")
}

func TestAnalysisIsLive(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
	p.do(`document.querySelector("#analyse").click()`)
	p.wait(`document.querySelectorAll("#top-moves tr").length === 8`)
	p.says("#wdl", "50")
	visits := eval[int](p, `Number(document.querySelector("#top-moves td:nth-child(2)").textContent.replace(/\D/g, ""))`)
	p.wait(fmt.Sprintf(`Number(document.querySelector("#top-moves td:nth-child(2)").textContent.replace(/\D/g, "")) > %d`, visits))
	p.wait(`document.querySelectorAll(".arrow").length > 0`)
	p.shot("analysis")
	p.click(32, 28)
	p.says("#moves", "32-28")
	p.do(`document.querySelector("#analyse").click()`)
	p.wait(`document.querySelector("#analysis").hidden`)
}

// A whole game by the mouse against the program, which is as weak as can be.
func TestGameByMouse(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 900)
	p.choose("black-level", "1")
	p.begin("russian", "person", "alphabeta")
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(class string) int {
		squares := eval[[]int](p, fmt.Sprintf(`[...document.querySelectorAll("#board button.%s")].map((b) => Number(b.dataset.square))`, class))
		if len(squares) == 0 {
			return 0
		}
		return squares[rng.IntN(len(squares))]
	}
	p.playOut(func() {
		p.click(pick("movable"))
		for range 12 {
			to := pick("target")
			if to == 0 {
				return
			}
			p.click(to)
			if eval[bool](p, `document.querySelector("#choose").open`) {
				p.run(chromedp.Click(chromedp.CSS("#choices button")))
				return
			}
		}
	})
}

// A whole game by the keyboard, both sides.
func TestGameByKeyboard(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 900)
	p.do(`document.querySelector("#set-motion").click()`)
	p.begin("english", "person", "person")
	rng := rand.New(rand.NewPCG(3, 4))
	p.do(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.playOut(func() {
		for range 1 + rng.IntN(6) {
			p.run(chromedp.KeyEvent("n"))
		}
		p.run(chromedp.KeyEvent(kb.Enter))
		for range 12 {
			if !eval[bool](p, `Boolean(document.querySelector(".target"))`) {
				return
			}
			p.run(chromedp.KeyEvent("n"), chromedp.KeyEvent(" "))
			if eval[bool](p, `document.querySelector("#choose").open`) {
				p.run(chromedp.KeyEvent(kb.Enter))
				return
			}
		}
	})
	if !eval[bool](p, `document.querySelector("#board").contains(document.activeElement)`) {
		t.Error("the focus has left the board")
	}
}

// playOut makes moves by hand until the game is over.
func (p *tab) playOut(move func()) {
	p.Helper()
	over := `/(wins|Draw)/.test(document.querySelector("#status").textContent)`
	for range 300 {
		before := p.moves()
		p.wait(over + ` || document.querySelectorAll("#board button.movable").length > 0`)
		if eval[bool](p, over) {
			p.Logf("%s after %d moves", p.text("#status"), len(strings.Fields(p.moves())))
			p.shot("over-" + p.Name())
			return
		}
		move()
		p.wait(fmt.Sprintf(`[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ") !== %q`, before))
	}
	p.Fatal("the game does not end")
}

// diamond has two captures of two men from 26 to 10, round either side.
const diamond = "W:W26:B1,14,15,22,23"

func TestAmbiguousCapture(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 900)
	p.begin("english", "person", "person")
	p.setUp(diamond)
	p.says("#status", "must take 2")
	if got := p.label(26); got != "26, white man, must capture" {
		t.Errorf("26 is %q", got)
	}
	p.click(26, 10)
	p.says("#choose", "26 × 17 × 10, takes 14, 22")
	p.says("#choose", "26 × 19 × 10, takes 15, 23")
	p.shot("ambiguous")
	p.run(chromedp.Click(chromedp.CSS("#choices button:nth-child(2)")))
	p.played("26x19x10")
	if got := p.label(15); !strings.HasPrefix(got, "15, empty") {
		t.Errorf("15 is %q", got)
	}

	// Leg by leg there is nothing to ask, and what is taken stays as a ghost until the end.
	p.setUp(diamond)
	p.click(26, 17)
	if got := p.label(22); got != "22, black man, captured" {
		t.Errorf("22 is %q", got)
	}
	p.shot("legs")
	p.click(10)
	p.played("26x17x10")

	// Typed, it is asked too.
	p.setUp(diamond)
	p.run(chromedp.SendKeys(chromedp.CSS("#move"), "26x10"+kb.Enter))
	p.says("#choose", "26x17x10")
	p.run(chromedp.Click(chromedp.CSS("#choices button:nth-child(1)")))
	p.played("26x17x10")
}

func TestRefusals(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 900)
	p.begin("international", "person", "person")
	p.says("#player-top", "Black: Person")
	p.click(20)
	p.says("#refusal", "Not your piece: there is a black man on 20")
	p.click(32, 23)
	p.says("#refusal", "A man moves one step")
	p.setUp("W:W32,37,50:B1,28")
	p.click(50)
	p.says("#refusal", "Must take 1: with 32.")
	p.shot("refused")
	for language, want := range map[string]string{"fr": "Prise obligatoire de 1 : avec 32.", "nl": "Slagplicht: 1: met 32."} {
		p.choose("language", language)
		p.click(50)
		p.says("#refusal", want)
		if got := eval[string](p, "document.documentElement.lang"); got != language {
			t.Errorf("the page says it is in %q", got)
		}
		p.shot("language-" + language)
	}
	p.run(chromedp.SendKeys(chromedp.CSS("#move"), "50-44"+kb.Enter))
	p.says("#refusal", "must take 1")
}

func TestDrag(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 900)
	p.begin("international", "person", "person")
	at := func(n int) (x, y float64) {
		box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector('button[data-square="%d"]').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()`, n))
		return box[0], box[1]
	}
	drag := func(from, to int) {
		x, y := at(from)
		u, v := at(to)
		p.run(chromedp.DragAndDropXY(x, y, u, v, 5))
	}
	drag(32, 28)
	p.played("32-28")
	drag(19, 14) // back home: refused, and the piece is where it was
	p.says("#refusal", "14 is occupied by a black man")
	drag(19, 23)
	p.played("32-28 19-23")
	drag(28, 19)
	p.played("32-28 19-23 28x19")
}

const twoGames = `[Event "First"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]
[GameType "20"]

1. 32-28 19-23 2. 28x19 {the exchange} 14x23 3. 37-32 2-0

[Event "Second"]
[White "Carla"]
[Black "Dirk"]
[Result "1-1"]
[GameType "20"]

1. 33-28 18-23 1-1
`

func TestPDNRoundTrip(t *testing.T) {
	p := openTab(t, web.Config{}, 1200, 1000)
	p.do(`document.querySelector("#pdn").closest("details").open = true; document.querySelector("#pdn").value = ` + fmt.Sprintf("%q", twoGames) + `; document.querySelector("#pdn-form").requestSubmit()`)
	p.says("#choose", "1. Anna – Bert, 2-0, 5 moves (First)")
	p.says("#choose", "2. Carla – Dirk, 1-1, 2 moves (Second)")
	p.shot("games")
	p.run(chromedp.Click(chromedp.CSS("#choices button:nth-child(1)")))
	p.played("32-28 19-23 28x19 14x23 37-32")
	p.says("#moves", "the exchange")
	p.says("#player-bottom", "Anna")
	p.says("#status", "White wins")
	written := func() string {
		p.do(`document.querySelector("#pdn").value = ""; document.querySelector("#pdn-write").click()`)
		p.wait(`document.querySelector("#pdn").value !== ""`)
		return eval[string](p, `document.querySelector("#pdn").value`)
	}
	first := written()
	for _, part := range []string{`[White "Anna"]`, "{the exchange}", `[Result "2-0"]`} {
		if !strings.Contains(first, part) {
			t.Errorf("no %s in\n%s", part, first)
		}
	}
	p.run(chromedp.Click(chromedp.CSS("#new")))
	p.played("")
	p.do(`document.querySelector("#pdn-form").requestSubmit()`)
	p.played("32-28 19-23 28x19 14x23 37-32")
	if second := written(); second != first {
		t.Errorf("written again it is\n%s\nand was\n%s", second, first)
	}
	p.do(`document.querySelector("#pdn").value = "1. 32-21 *"; document.querySelector("#pdn-form").requestSubmit()`)
	p.says("#file-note", "32-21")

	p.run(chromedp.Click(chromedp.CSS("#first")))
	p.wait(`document.querySelectorAll("#moves button.later").length === 5`)
	p.do(`document.querySelector("#set-motion").click()`)
	p.run(chromedp.Click(chromedp.CSS("#replay")))
	p.wait(`document.querySelectorAll("#moves button.later").length === 0`)
	p.run(chromedp.Click(chromedp.CSS("#moves button:nth-of-type(2)")))
	p.wait(`document.querySelectorAll("#moves button.later").length === 3`)
	p.do(`document.querySelector("#set-manoury").click()`)
	p.says("#moves", "(14x23)")
}

func TestLargeBoard(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 1000)
	p.begin("canadian", "person", "person")
	p.wait(`document.querySelectorAll("#board button").length === 72`)
	p.shot("canadian")
	p.click(46, 40)
	p.wait(`document.querySelectorAll("#moves button").length === 1`)
	row := func(n int) float64 {
		return eval[float64](p, fmt.Sprintf(`document.querySelector('button[data-square="%d"]').getBoundingClientRect().y`, n))
	}
	before := row(1) < row(72)
	p.run(chromedp.Click(chromedp.CSS("#flip")))
	if after := row(1) < row(72); !before || after {
		t.Errorf("square 1 is above 72: %t, flipped %t", before, after)
	}
}

// Every variant is laid out with its squares, and its side begins.
func TestEveryVariant(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 1000)
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.choose("variant", name)
		p.choose("white-player", "person")
		p.choose("black-player", "person")
		p.run(chromedp.Click(chromedp.CSS("#new")))
		first := strings.ToUpper(v.First.String()[:1]) + v.First.String()[1:]
		p.wait(fmt.Sprintf(`document.querySelectorAll("#board button").length === %d && document.querySelector("#fen").value === %q && document.title.toLowerCase().startsWith(%q)`, v.Board.Squares(), v.FEN(v.Start()), name))
		p.says("#status", first+" to move")
		last := rules.Square(v.Board.Squares())
		if got := p.label(int(last)); v.EmptyRows == 0 && !strings.HasPrefix(got, v.SquareName(last)+", white man") {
			t.Errorf("%s: the last square is %q", name, got)
		}
	}
	p.choose("variant", "turkish")
	p.run(chromedp.Click(chromedp.CSS("#new")))
	p.wait(`document.querySelectorAll("#board button").length === 64`)
	p.shot("turkish")
}

func TestPhone(t *testing.T) {
	p := openTab(t, web.Config{}, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	if size := eval[float64](p, `document.querySelector("#board button").getBoundingClientRect().width`); size < 34 {
		t.Errorf("a square is %.0f wide", size)
	}
	p.run(chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, 32))), chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, 28))))
	p.says("#moves", "32-28")
	p.shot("phone")
}

func TestKingsAndDark(t *testing.T) {
	p := openTab(t, web.Config{}, 1000, 900)
	p.begin("international", "person", "person")
	p.setUp("W:W10,44,K46:B28,41,K5")
	p.choose("set-theme", "dark")
	p.says("#status", "must take 2")
	p.shot("dark")
}
