package board_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/engine"
	"damier/rules"
	"damier/web/board"
	"damier/web/webtest"
)

// networkConfig returns a Config with a tree search over [webtest.Evens], and alpha-beta in place
// of a trained network, in all variants except some.
func networkConfig(but ...string) board.Config {
	evens := webtest.Evens{Value: rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}, Pause: time.Millisecond}
	return board.Config{Networks: webtest.Networks(evens, func(v *rules.Variant) bool { return !slices.Contains(but, v.Name) })}
}

func evensConfig() board.Config { return networkConfig() }

func TestFirstMove(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 900)
	p.Shot("start")
	p.Click(32)
	if got := p.label(32); got != "32, white man, chosen" {
		t.Errorf("32 is %q", got)
	}
	if got := p.label(28); got != "28, empty, destination" {
		t.Errorf("28 is %q", got)
	}
	p.Shot("selected")
	p.Click(28)
	p.Wait(`document.querySelectorAll("#moves button").length === 2 && !document.querySelector(".lifted")`)
	if got := p.label(28); !strings.HasPrefix(got, "28, white man") && !strings.HasPrefix(got, "28, empty") {
		t.Errorf("after the move 28 is %q", got)
	}
	p.Wait(`document.querySelectorAll(".last").length === 2`)

	p.Drive(chromedp.Click(chromedp.CSS("#undo")))
	p.Says("#status", "White to move")
	p.Wait(`document.querySelectorAll("#moves button.later").length === 2`)
	p.Drive(chromedp.Click(chromedp.CSS("#redo")))
	p.Wait(`document.querySelectorAll("#moves button.later").length === 0`)
	p.press("#resign")
	p.press("#choices button")
	p.Says("#status", "Black wins: resignation.")
	p.Drive(chromedp.Click(chromedp.CSS("#undo")))
	p.Says("#status", "White to move")
}

func TestAnalysisIsLive(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(`document.querySelectorAll("#top-moves tr").length === 8`)
	p.Says("#expected", "50")
	visits := eval[int](p, `Number(document.querySelector("#top-moves td:nth-child(2)").textContent.replace(/\D/g, ""))`)
	p.Wait(fmt.Sprintf(`Number(document.querySelector("#top-moves td:nth-child(2)").textContent.replace(/\D/g, "")) > %d`, visits))
	p.Wait(`document.querySelectorAll(".arrow").length > 0`)
	p.Shot("analysis")
	p.Click(32, 28)
	p.Says("#moves", "32-28")
	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(`document.querySelector("#analysis").hidden`)
}

// The bar beside the board shows no score of another position: it is even until there is a result,
// and shows how the game has ended.
func TestBarOfThisPosition(t *testing.T) {
	c := evensConfig()
	var silent atomic.Bool
	open := c.Open
	c.Open = func(v *rules.Variant, player, network string) (engine.Engine, error) {
		e, err := open(v, player, network)
		if silent.Load() {
			return told{e, nil}, err
		}
		return e, err
	}
	p := openTab(t, c, 1280, 1000)
	p.begin("international", "person", "person")
	p.setUp("W:W28,33:B22")
	label := `document.querySelector("#bar").getAttribute("aria-label")`
	share := `document.querySelector("#bar .w").style.flexBasis`
	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(label + `?.includes("50%")`)
	silent.Store(true)
	p.setUp("W:W27,33:B5")
	p.Wait(label + ` === "Searching …" && ` + share + ` === "50%"`)
	p.setUp("W:W28:B22,2")
	p.typeMoves("28x17")
	p.Wait(label + ` === "Searching …" && ` + share + ` === "50%"`)
	p.press("#resign")
	p.press("#choices button")
	p.Wait(label + ` === "White wins: resignation." && ` + share + ` === "100%"`)
}

// A whole game by mouse against the program at its weakest level.
func TestGameByMouse(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 900)
	p.Choose("black-level", "1")
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
		p.Click(pick("movable"))
		for range 12 {
			to := pick("target")
			if to == 0 {
				return
			}
			p.Click(to)
			if eval[bool](p, `document.querySelector("#choose").open`) {
				p.Drive(chromedp.Click(chromedp.CSS("#choices button")))
				return
			}
		}
	})
}

// A whole game by keyboard, for both sides.
func TestGameByKeyboard(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 900)
	p.Script(`document.querySelector("#set-motion").click()`)
	p.begin("english", "person", "person")
	rng := rand.New(rand.NewPCG(3, 4))
	p.Script(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.playOut(func() {
		for range 1 + rng.IntN(6) {
			p.Drive(chromedp.KeyEvent("n"))
		}
		p.Drive(chromedp.KeyEvent(kb.Enter))
		for range 12 {
			if !eval[bool](p, `Boolean(document.querySelector(".target"))`) {
				return
			}
			p.Drive(chromedp.KeyEvent("n"), chromedp.KeyEvent(" "))
			if eval[bool](p, `document.querySelector("#choose").open`) {
				p.Drive(chromedp.KeyEvent(kb.Enter))
				return
			}
		}
	})
	if !eval[bool](p, `document.querySelector("#board").contains(document.activeElement)`) {
		t.Error("the focus has left the board")
	}
}

// playOut enters moves until the game is over. While an engine thinks it waits: the pieces that can
// be moved then are those of a premove, and they change when the engine answers.
func (p *tab) playOut(move func()) {
	p.Helper()
	const over = `/(wins|Draw)/.test(document.querySelector("#status").textContent)`
	const turn = `/to move/.test(document.querySelector("#status").textContent) && document.querySelectorAll("#board button.movable").length > 0`
	for range 300 {
		before := p.moves()
		p.Wait(over + " || " + turn)
		if eval[bool](p, over) {
			p.Logf("%s after %d moves", p.Text("#status"), len(strings.Fields(p.moves())))
			p.Shot("over-" + p.Name())
			return
		}
		move()
		p.Wait(fmt.Sprintf(`[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ") !== %q`, before))
	}
	p.Fatal("the game does not end")
}

// diamond is a position with two captures of two men from 26 to 10, by different paths.
const diamond = "W:W26:B1,14,15,22,23"

func TestAmbiguousCapture(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 900)
	p.begin("english", "person", "person")
	p.setUp(diamond)
	p.Says("#status", "must take 2")
	if got := p.label(26); got != "26, white man, must capture" {
		t.Errorf("26 is %q", got)
	}
	p.Click(26, 10)
	p.Says("#choose", "26 × 17 × 10, takes 14, 22")
	p.Says("#choose", "26 × 19 × 10, takes 15, 23")
	p.Shot("ambiguous")
	p.Drive(chromedp.Click(chromedp.CSS("#choices button:nth-child(2)")))
	p.waitForMoves("26x19x10")
	if got := p.label(15); !strings.HasPrefix(got, "15, empty") {
		t.Errorf("15 is %q", got)
	}

	// Entered leg by leg, no choice is needed. Captured pieces stay visible as ghosts until the
	// end.
	p.setUp(diamond)
	p.Click(26, 17)
	if got := p.label(22); got != "22, black man, captured" {
		t.Errorf("22 is %q", got)
	}
	p.Shot("legs")
	p.Click(10)
	p.waitForMoves("26x17x10")

	// A typed move needs the choice too.
	p.setUp(diamond)
	p.Drive(chromedp.SendKeys(chromedp.CSS("#move"), "26x10"+kb.Enter))
	p.Says("#choose", "26x17x10")
	p.Drive(chromedp.Click(chromedp.CSS("#choices button:nth-child(1)")))
	p.waitForMoves("26x17x10")
}

func TestRefusals(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 900)
	p.begin("international", "person", "person")
	p.Says("#player-top", "Black: Person")
	p.Click(20)
	p.Says("#refusal", "Not your piece: there is a black man on 20")
	p.Click(32, 23)
	p.Says("#refusal", "A man moves one step")
	p.setUp("W:W32,37,50:B1,28")
	p.Click(50)
	p.Says("#refusal", "Must take 1: with 32.")
	p.Shot("refused")
	for language, want := range map[string]string{"fr": "Prise obligatoire de 1 : avec 32.", "nl": "Slagplicht: 1: met 32."} {
		p.speak(language)
		p.Click(50)
		p.Says("#refusal", want)
		p.Shot("language-" + language)
	}
	// The server's errors are in the language too.
	for language, want := range map[string]string{
		"fr": "Coup illégal 50-44: prise obligatoire de 1 : avec 32.",
		"nl": "Ongeldige zet 50-44: slagplicht: 1: met 32.",
		"en": "illegal move 50-44: must take 1: with 32",
	} {
		p.speak(language)
		p.Script(`document.querySelector("#move").value = ""`)
		p.Drive(chromedp.SendKeys(chromedp.CSS("#move"), "50-44"+kb.Enter))
		p.Says("#refusal", want)
	}
	for language, want := range map[string]string{
		"fr": "FEN, octet 3, \"99\" : hors du damier",
		"nl": "buiten het bord; de velden zijn 1 tot 50",
		"en": "off the board; its squares are 1 to 50",
	} {
		p.speak(language)
		p.Script(`const f = document.querySelector("#fen"); f.closest("details").open = true; f.value = "W:W99:B1"; f.form.requestSubmit()`)
		p.Says("#file-note", want)
	}
}

// No variant has the name of a language: "English" on the page is the language.
func TestEnglishIsTheLanguage(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 800)
	for _, language := range []string{"en", "fr", "nl"} {
		p.speak(language)
		same := eval[[]string](p, `(() => {
			const texts = (id) => [...document.getElementById(id).options].map((o) => o.textContent.replace(/ \(.*/, ""));
			return texts("variant").filter((x) => texts("language").includes(x))})()`)
		if len(same) > 0 {
			t.Errorf("%s: %q is a variant and a language", language, same)
		}
	}
}

func TestDrag(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 900)
	p.begin("international", "person", "person")
	at := func(n int) (x, y float64) {
		box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector('button[data-square="%d"]').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()`, n))
		return box[0], box[1]
	}
	drag := func(from, to int) {
		x, y := at(from)
		u, v := at(to)
		p.Drive(chromedp.DragAndDropXY(x, y, u, v, 5))
	}
	drag(32, 28)
	p.waitForMoves("32-28")
	drag(19, 14) // refused: the piece is back on its square
	p.Says("#refusal", "14 is occupied by a black man")
	drag(19, 23)
	p.waitForMoves("32-28 19-23")
	drag(28, 19)
	p.waitForMoves("32-28 19-23 28x19")
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
	p := openTab(t, board.Config{}, 1200, 1000)
	p.Script(`document.querySelector("#pdn").closest("details").open = true; document.querySelector("#pdn").value = ` + fmt.Sprintf("%q", twoGames) + `; document.querySelector("#pdn-form").requestSubmit()`)
	p.Says("#choose", "1. Anna – Bert, 2-0, 5 moves (First)")
	p.Says("#choose", "2. Carla – Dirk, 1-1, 2 moves (Second)")
	p.Shot("games")
	p.Drive(chromedp.Click(chromedp.CSS("#choices button:nth-child(1)")))
	p.waitForMoves("32-28 19-23 28x19 14x23 37-32")
	p.Says("#moves", "the exchange")
	p.Says("#player-bottom", "Anna")
	p.Says("#status", "White wins")
	written := func() string {
		p.Script(`document.querySelector("#pdn").value = ""; document.querySelector("#pdn-write").click()`)
		p.Wait(`document.querySelector("#pdn").value !== ""`)
		return eval[string](p, `document.querySelector("#pdn").value`)
	}
	first := written()
	for _, part := range []string{`[White "Anna"]`, "{the exchange}", `[Result "2-0"]`} {
		if !strings.Contains(first, part) {
			t.Errorf("no %s in\n%s", part, first)
		}
	}
	p.newGame()
	p.waitForMoves("")
	p.Script(`document.querySelector("#pdn-form").requestSubmit()`)
	p.waitForMoves("32-28 19-23 28x19 14x23 37-32")
	if second := written(); second != first {
		t.Errorf("the second text is\n%s\nwant\n%s", second, first)
	}
	p.Script(`document.querySelector("#pdn").value = "1. 32-21 *"; document.querySelector("#pdn-form").requestSubmit()`)
	p.Says("#file-note", "32-21")

	p.Drive(chromedp.Click(chromedp.CSS("#first")))
	p.Wait(`document.querySelectorAll("#moves button.later").length === 5`)
	p.Script(`document.querySelector("#set-motion").click()`)
	p.Drive(chromedp.Click(chromedp.CSS("#replay")))
	p.Wait(`document.querySelectorAll("#moves button.later").length === 0`)
	p.Drive(chromedp.Click(chromedp.CSS("#moves button:nth-of-type(2)")))
	p.Wait(`document.querySelectorAll("#moves button.later").length === 3`)
	p.Script(`document.querySelector("#set-manoury").click()`)
	p.Says("#moves", "(14x23)")
}

func TestLargeBoard(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 1000)
	p.begin("canadian", "person", "person")
	p.Wait(`document.querySelectorAll("#board button").length === 72`)
	p.Shot("canadian")
	p.Click(46, 40)
	p.Wait(`document.querySelectorAll("#moves button").length === 1`)
	row := func(n int) float64 {
		return eval[float64](p, fmt.Sprintf(`document.querySelector('button[data-square="%d"]').getBoundingClientRect().y`, n))
	}
	before := row(1) < row(72)
	p.Drive(chromedp.Click(chromedp.CSS("#flip")))
	if after := row(1) < row(72); !before || after {
		t.Errorf("square 1 is above 72: %t, flipped %t", before, after)
	}
}

// The board of every variant has all squares, and the right side begins.
func TestEveryVariant(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 1000)
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Choose("variant", name)
		p.Choose("white-player", "person")
		p.Choose("black-player", "person")
		p.newGame()
		first := strings.ToUpper(v.First.String()[:1]) + v.First.String()[1:]
		p.Wait(fmt.Sprintf(`document.querySelectorAll("#board button").length === %d && document.querySelector("#fen").value === %q && document.title.toLowerCase().startsWith(%q)`, v.Board.Squares(), v.FEN(v.Start()), name))
		p.Says("#status", first+" to move")
		last := rules.Square(v.Board.Squares())
		if got := p.label(int(last)); v.EmptyRows == 0 && !strings.HasPrefix(got, v.SquareName(last)+", white man") {
			t.Errorf("%s: the last square is %q", name, got)
		}
	}
	p.Choose("variant", "turkish")
	p.newGame()
	p.Wait(`document.querySelectorAll("#board button").length === 64`)
	p.Shot("turkish")
}

func TestPhone(t *testing.T) {
	p := openTab(t, board.Config{}, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	if size := eval[float64](p, `document.querySelector("#board button").getBoundingClientRect().width`); size < 34 {
		t.Errorf("a square is %.0f wide", size)
	}
	p.Drive(chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, 32))), chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, 28))))
	p.Says("#moves", "32-28")
	p.Shot("phone")
}

func TestKingsAndDark(t *testing.T) {
	p := openTab(t, board.Config{}, 1000, 900)
	p.begin("international", "person", "person")
	p.setUp("W:W10,44,K46:B28,41,K5")
	p.Choose("set-theme", "dark")
	p.Says("#status", "must take 2")
	p.Shot("dark")
}
