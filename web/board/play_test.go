package board_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/web/board"
	"damier/web/webtest"
)

// Before any script has run, the page shows the board and its pieces, as the scripts draw them
// later.
func TestBoardBeforeScripts(t *testing.T) {
	for name, dark := range map[string]string{"international": "M100 50H1000M0 150H1000", "canadian": "M100 50H1200M0 150H1200", "turkish": "M100 50H800M0 150H800", "spanish": "M0 50H800M100 150H800"} {
		t.Run(name, func(t *testing.T) { boardBeforeScripts(t, name, dark) })
	}
}

// boardBeforeScripts checks one variant, whose path of dark squares begins with dark.
func boardBeforeScripts(t *testing.T, name, dark string) {
	v, err := rules.Lookup(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := openTab(t, board.Config{Variant: v}, 1280, 900)
	// The places and the colours of the pieces.
	drawn := eval[string](p, `[...document.querySelectorAll("#board .piece")].map((g) => g.classList[1] + g.getAttribute("transform").match(/\d+ \d+/)[0]).sort().join()`)
	if eval[bool](p, `document.querySelector("#start-picture") !== null`) {
		t.Error("the picture stays on the board")
	}
	size := `(() => {const r = document.querySelector("#board").getBoundingClientRect(); return [r.top, r.width, r.height]})()`
	laid := eval[[]float64](p, size)
	paint := eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
	t.Logf("first contentful paint after %.0f ms, the board laid out %.0f ms after the request", paint, eval[float64](p, `performance.now()`))
	if _, err := chromedp.Call(p.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.Drive(chromedp.Navigate(p.Home), chromedp.WaitVisible("#board"))
	p.Wait(`document.querySelector("#board.waiting")`)
	pictured := `["white", "black"].flatMap((side) => document.querySelector("#" + side + "-men").getAttribute("d").split("h0").slice(0, -1).map((m) => side + m.slice(1))).sort().join()`
	if got := eval[string](p, pictured); got != drawn || got == "" {
		t.Errorf("the pieces before the scripts: %s\nwith them: %s", got, drawn)
	}
	if got := eval[string](p, `document.querySelector("#board .dark").getAttribute("d")`); !strings.HasPrefix(got, dark) || strings.Count(got, "M") != v.Board.Rows {
		t.Errorf("dark squares %s, want %s and so on", got, dark)
	}
	if empty := eval[[]float64](p, size); fmt.Sprint(empty) != fmt.Sprint(laid) {
		t.Errorf("top, width and height of the board are %v before the scripts and %v with them", empty, laid)
	}
	p.Shot("waiting-" + name)
}

// A window with a game does not first show the start position, or other colours than the chosen
// ones.
func TestGameGoesOnWithoutStart(t *testing.T) {
	webtest.NeedBrowser(t)
	s, slow := board.New(board.Config{}), make(chan struct{})
	var reloaded atomic.Bool
	p := &tab{webtest.OpenPage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/app.js" && reloaded.Load() {
			<-slow
		}
		s.ServeHTTP(w, r)
	}), s.Close, 1280, 900)}
	release := sync.OnceFunc(func() { close(slow) })
	t.Cleanup(release)
	p.Choose("set-theme", "dark")
	p.typeMoves("32-28")
	reloaded.Store(true)
	p.Drive(chromedp.Reload(), chromedp.WaitVisible("#board.waiting"))
	p.Wait(`document.documentElement.dataset.theme === "dark" && !document.querySelector("#start-picture")`)
	release()
	p.Says("#moves", "32-28") // the same board as before
}

// A page whose event stream fails connects again, with pauses.
func TestStreamRefused(t *testing.T) {
	webtest.NeedBrowser(t)
	s := board.New(board.Config{})
	var refusals atomic.Int32
	var allowed atomic.Bool
	p := &tab{webtest.OpenPage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") && !allowed.Load() {
			refusals.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		s.ServeHTTP(w, r)
	}), s.Close, 1280, 900)}
	// Black's answer arrives by the stream, or when the page asks for the state.
	p.typeMoves("32-28")
	p.Wait(`document.querySelectorAll("#moves button").length === 2`)
	began := refusals.Load()
	time.Sleep(5 * time.Second)
	if n := refusals.Load() - began; n < 1 || n > 3 {
		t.Errorf("the page asked %d times in five seconds; about once every two seconds is expected", n)
	}
	allowed.Store(true)
	p.press("#go")
	p.Wait(`document.querySelectorAll("#moves button").length > 2`)
}

// press clicks the button of a selector.
func (p *tab) press(selector string) {
	p.Helper()
	p.Drive(chromedp.Click(chromedp.CSS(selector)))
}

// field sets the value of an input.
func (p *tab) field(id, value string) {
	p.Helper()
	p.Script(fmt.Sprintf(`const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("change"))`, id, value))
}

// typeMoves plays moves by typing their notation.
func (p *tab) typeMoves(moves ...string) {
	p.Helper()
	for _, m := range moves {
		before := p.moves()
		p.Script(fmt.Sprintf(`document.querySelector("#move").value = %q; document.querySelector("#typed").requestSubmit()`, m))
		p.Wait(fmt.Sprintf(`[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ") !== %q`, before))
	}
}

func TestClockFlag(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	if eval[bool](p, `[...document.querySelectorAll(".player .clock")].some((c) => c.offsetParent)`) {
		t.Error("a game without a clock shows one")
	}
	p.Choose("clock-kind", "increment")
	p.field("clock-minutes", "5")
	p.field("clock-seconds", "30")
	p.begin("international", "person", "person")
	p.Says("#player-top", "Black: Person")
	p.Wait(`document.querySelector("#player-bottom .clock.running")`)
	p.typeMoves("32-28")
	p.Wait(`document.querySelector("#player-top .clock.running") && !document.querySelector("#player-bottom .clock.running")`)
	if got := p.Text("#player-bottom .clock"); !strings.HasPrefix(got, "5:") {
		t.Errorf("five minutes and thirty seconds less a move are %s", got)
	}
	p.Shot("clock")

	p.Choose("clock-kind", "main")
	p.field("clock-minutes", "0.05")
	p.begin("international", "person", "person")
	p.Says("#status", "Black wins: time.")
	p.Wait(`document.querySelector("#player-bottom .clock").textContent === "0:00.0"`)
	p.Wait(`document.querySelectorAll(".movable").length === 0`)
	p.Shot("flag")
}

// Informal play: an omitted capture is forced, and another is huffed.
func TestInformalHuff(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.begin("international", "person", "person")
	p.setUp("W:W28,40:B5,23")
	p.Click(40)
	p.Says("#refusal", "Must take 1: with 28.")
	p.Script(`document.querySelector("#informal").click()`)
	p.Says("#status", "White to move.")
	p.Wait(`document.querySelectorAll(".movable").length === 2`)
	p.Click(40, 34)
	p.Says("#lapse", "White has played 40-34 and left out a capture: 28x19.")
	p.Shot("lapse")
	p.press("#lapse button:nth-child(1)")
	p.Says("#refusal", "The capture is forced")
	p.Wait(`document.querySelector("#fen").value === "W:W28,40:B5,23"`)
	p.Click(40, 34)
	p.Says("#lapse", "Huff the piece on 28")
	p.press("#lapse button:nth-child(2)")
	p.Wait(`document.querySelector("#fen").value === "B:W34:B5,23"`)
	p.Says("#moves", "40-34: no capture was made, 28 huffed")
	p.Says("#refusal", "The piece on 28 is huffed.")
	if got := p.label(28); got != "28, empty" {
		t.Errorf("28 is %q", got)
	}
	p.press("#undo")
	p.Wait(`document.querySelector("#fen").value === "W:W28,40:B5,23"`)
	p.Click(40, 34)
	p.Says("#lapse", "Black lets it stand by playing on.")
	p.Click(5, 10)
	p.Wait(`document.querySelector("#lapse button")`) // Black has omitted a capture
	p.Says("#moves", "40-34: no capture was made, let stand")
}

func TestTouchMove(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.begin("international", "person", "person")
	p.Script(`document.querySelector("#set-touch").click()`)
	p.Click(33, 34)
	p.Says("#refusal", "Touch-move: the piece on 33 was touched and must move.")
	p.Script(`document.querySelector('button[data-square="33"]').focus()`)
	p.Drive(chromedp.KeyEvent(kb.Escape))
	p.Wait(`document.querySelector('button[data-square="33"]').classList.contains("selected")`)
	p.Click(29)
	p.waitForMoves("33-29")
}

func TestReplay(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.begin("international", "person", "person")
	p.setUp("W:W27,50:B5,13,22,29")
	p.typeMoves("27x9")
	p.Wait(`!document.querySelector(".lifted")`)
	after := eval[string](p, `document.querySelector("#fen").value`)

	// Replay of one move, leg by leg.
	p.press("#again")
	p.Says("#status", "Replay of 27x9, leg ")
	p.press("#replay") // pause
	p.Wait(`!document.querySelector("#replay").classList.contains("running")`)
	for !eval[bool](p, `document.querySelector("#previous").disabled`) {
		p.press("#previous")
	}
	if got := p.label(22); !strings.HasPrefix(got, "22, black man") {
		t.Errorf("before the capture 22 is %q", got)
	}
	p.press("#next")
	p.Says("#status", "leg 1 of ")
	p.Wait(`document.querySelectorAll(".ghost").length === 1`)
	p.Shot("replay")
	p.press("#stop")
	p.Says("#status", "Black to move")
	p.Wait(`document.querySelectorAll(".ghost").length === 0`)
	p.press("#again")
	p.Says("#status", "leg 1 of ")
	p.Says("#status", "Black to move") // it ends by itself

	// Replay of the game: stopped, it shows the position where it began.
	p.typeMoves("29-33", "50-44")
	p.press("#replay")
	p.Wait(`document.querySelectorAll("#moves button.later").length > 0`)
	p.press("#stop")
	p.Wait(`document.querySelectorAll("#moves button.later").length === 0 && !document.querySelector("#replay").classList.contains("running")`)
	p.press("#first")
	p.Wait(`document.querySelectorAll("#moves button.later").length === 3`)
	p.press("#replay")
	p.Wait(`document.querySelectorAll("#moves button.later").length === 0`)
	p.Wait(`document.querySelector("#stop").disabled`)
	p.press("#first")
	p.Wait(`document.querySelectorAll("#moves button.later").length === 3`)
	p.press("#next")
	p.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, after))
}

// A capture of several men is animated leg by leg, and not at all with reduced motion.
func TestLegsAndReducedMotion(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.begin("english", "person", "person")
	p.Script(`window.slides = 0; const of = Element.prototype.animate; Element.prototype.animate = function (...a) { window.slides++; return of.apply(this, a); }`)
	p.setUp(diamond)
	p.typeMoves("26x19x10")
	p.Wait(`window.slides === 2 && !document.querySelector(".lifted")`)
	p.ReduceMotion()
	p.setUp(diamond)
	p.typeMoves("26x19x10")
	p.Wait(`document.querySelector('button[data-square="10"]').getAttribute("aria-label").startsWith("10, white")`)
	if n := eval[int](p, "window.slides"); n != 2 {
		t.Errorf("with reduced motion %d slides more", n-2)
	}
}

func TestEngineAgainstEngine(t *testing.T) {
	p := openTab(t, board.Config{Pace: 500 * time.Millisecond}, 1280, 1000)
	p.Choose("white-level", "1")
	p.Choose("black-level", "1")
	p.begin("thai", "alphabeta", "alphabeta")
	p.Wait(`document.querySelectorAll("#moves button").length >= 6`)
	p.Says("#go", "Pause")
	p.press("#go")
	p.Says("#go", "Engine move")
}

// Of two changes in quick succession the later one holds, even if the first request is delayed.
func TestActionsInTurn(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
	p.Choose("black-player", "nnue")
	p.Says("#player-top", "NNUE")
	p.Script(`const send = window.fetch; let wait = 500; window.fetch = (...a) => {const w = wait; wait = 0; return new Promise((r) => setTimeout(r, w)).then(() => send(...a))}`)
	p.Choose("black-player", "alphabeta")
	p.Choose("black-player", "person")
	p.Says("#player-top", "Black: Person")
	time.Sleep(700 * time.Millisecond) // enough for a delayed request to arrive
	p.Says("#player-top", "Black: Person")
	if got := eval[string](p, `document.querySelector("#black-player").value`); got != "person" {
		t.Errorf("the chooser has %q", got)
	}
}

func TestModelChooser(t *testing.T) {
	c := evensConfig()
	c.Library = func(v *rules.Variant) []string {
		if v.Name != "international" {
			return nil
		}
		return []string{"gen-000010", "gen-000020"}
	}
	p := openTab(t, c, 1280, 1000)
	p.Choose("black-level", "2")
	p.begin("international", "person", "tree:gen-000020")
	p.Says("#player-top", "gen-000020 (tree search), level 2")
	p.Click(32, 28)
	p.Wait(`document.querySelectorAll("#moves button").length === 2`)
	p.Says("#black-level", "1 · beginner, 2 visits")
	p.begin("english", "person", "tree")
	p.Says("#player-top", "Damier (tree search)")
	if eval[bool](p, `[...document.querySelector("#black-player").options].some((o) => o.value.includes(":"))`) {
		t.Error("the variant english offers a model of international")
	}
}

// A person is asked to accept a draw, and the result is announced. While the engine thinks, its
// pieces cannot be moved.
func TestDrawsAndPremove(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
	p.begin("international", "person", "person")
	p.Says("#player-top", "Black: Person")
	p.press("#draw")
	p.Says("#choose", "White offers a draw. Black:")
	p.press("#choose-cancel")
	p.Says("#status", "White to move")
	p.press("#draw")
	p.press("#choices button")
	p.Says("#status", "Draw: agreement.")

	p.setUp("W:W35,36,K50:B16,25,K1")
	p.typeMoves("50-17", "1-18", "17-50", "18-1", "50-17", "1-18", "17-50", "18-1")
	p.Says("#status", "Draw: the same position three times.")
	p.Shot("threefold")

	p.Choose("black-level", "10")
	p.begin("international", "person", "tree")
	p.Wait(`document.querySelectorAll("#moves button").length === 0 && document.querySelectorAll(".movable").length === 5`)
	p.Click(32, 28)
	p.Says("#status", "the engine thinks")
	p.Click(20)
	p.Says("#refusal", "It is not your turn: Black is to move.")
	if eval[bool](p, `Boolean(document.querySelector(".selected"))`) {
		t.Error("a piece can be chosen while the engine thinks")
	}
}

func TestLightSquaresAndKings(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.begin("international", "person", "person")
	p.setUp("W:W33,44,K46:B12,K5")
	colour := func() string {
		return eval[string](p, `getComputedStyle(document.querySelector('button[data-square="1"]')).backgroundColor`)
	}
	dark := colour()
	p.Script(`document.querySelector("#set-light").click()`)
	if light := colour(); light == dark {
		t.Errorf("the playing squares are %s with both settings", light)
	}
	if discs := eval[[]int](p, `["33", "46"].map((q) => {const b = document.querySelector('button[data-square="' + q + '"]').getBoundingClientRect(); return [...document.querySelectorAll(".piece")].find((g) => {const r = g.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2; return x > b.left && x < b.right && y > b.top && y < b.bottom}).querySelectorAll(".face").length})`); fmt.Sprint(discs) != "[1 2]" {
		t.Errorf("a man and a king are of %v discs", discs)
	}
	p.Shot("light-squares")
}

// axe finds no violation in the parts for playing: clocks, informal play, replay.
func TestPlayAccessibility(t *testing.T) {
	p := openTab(t, board.Config{}, 390, 900)
	p.Script(`document.querySelector("#informal").click()`)
	p.Choose("clock-kind", "increment")
	p.begin("international", "person", "person")
	p.Wait(`document.querySelector(".clock.running")`)
	p.Shot("phone-clock")
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("with clocks the page is %d wide on a phone of 390", wide)
	}
	p.Accessible("a clock")
	p.setUp("W:W28,40:B5,23")
	p.Click(40, 34)
	p.Wait(`document.querySelector("#lapse button")`)
	p.Accessible("a lapse")
	p.Choose("set-theme", "dark")
	p.Shot("phone-lapse")
	p.Accessible("a lapse, dark")
	p.press("#lapse button")
	p.typeMoves("28x19")
	p.press("#again")
	p.Wait(`document.querySelector("#status").textContent.includes("Replay")`)
	p.Accessible("a replay")
	p.Wait(`document.querySelector("#stop").disabled`)
	p.press("#resign")
	p.press("#choices button")
	p.Wait(`document.querySelector(".status.over")`)
	p.Accessible("an end")
}
