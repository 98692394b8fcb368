package board_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/web/board"
)

// load loads a PDN text through the page.
func (p *tab) load(text string) {
	p.Helper()
	p.Script(fmt.Sprintf(`const f = document.querySelector("#pdn"); f.closest("details").open = true; f.value = %q; f.form.requestSubmit()`, text))
}

// written returns the PDN that the page writes into its text field.
func (p *tab) written() string {
	p.Helper()
	p.Script(`document.querySelector("#pdn").value = ""; document.querySelector("#pdn-write").click()`)
	p.Wait(`document.querySelector("#pdn").value !== ""`)
	return eval[string](p, `document.querySelector("#pdn").value`)
}

// listed returns the text of the list of moves, without blanks and review marks.
func (p *tab) listed() string {
	p.Helper()
	return strings.Join(strings.Fields(eval[string](p, `(() => {
		const text = (e) => [...e.childNodes].map((c) => c.nodeType === 3 ? c.textContent : c.classList.contains("hidden") ? "" : text(c) + " ").join("");
		return text(document.querySelector("#moves"))})()`)), " ")
}

func (p *tab) clickOn(selector string) {
	p.Helper()
	p.Drive(chromedp.Click(chromedp.CSS(selector)))
}

// variations is a PDN of two games: one with variations, comments and glyphs, one that starts from
// a position.
const variations = `[Event "With variations"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]
[GameType "20"]

{an open game} 1. 32-28 $1 (1. 33-28 $6 {slower} 18-23 (1... 19-23 2. 28x19)
2. 31-27) 1... 19-23 2. 28x19 14x23 {the exchange} 3. 37-32 *

[Event "From a position"]
[White "Carla"]
[Black "Dirk"]
[GameType "20"]
[FEN "B:W28,33:B18,19"]

1... 19-23 (1... 18-22 2. 28x17) 2. 28x19 *
`

func TestVariationsOnThePage(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.load(variations)
	p.Says("#choose", "1. Anna – Bert, 2-0, 5 moves (With variations)")
	p.Says("#choose", "2. Carla – Dirk")
	p.clickOn("#choices button:nth-child(1)")
	whole := "an open game 1. 32-28! (1. 33-28?! slower 1… 18-23 (1… 19-23 2. 28x19 ) 2. 31-27 ) 1… 19-23 2. 28x19 14x23 the exchange 3. 37-32"
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	if got := p.listed(); got != whole {
		t.Errorf("the list is\n%s\nwant\n%s", got, whole)
	}
	p.Shot("variations")
	first := p.written()
	for _, part := range []string{"{an open game} 1. 32-28 $1 (1. 33-28 $6 {slower} 18-23 (1... 19-23 2. 28x19) 2.", `[Result "2-0"]`} {
		if !strings.Contains(first, part) {
			t.Errorf("no %s in\n%s", part, first)
		}
	}

	// A click on a move in a variation shows it, and a new move there adds another variation.
	p.clickOn(`#moves .variation .variation button:nth-of-type(2)`)
	p.Says("#status", "Black to move, must take 1.")
	p.Wait(`document.querySelector("#moves [aria-current='true']").textContent === "28x19"`)
	p.Click(14, 23)
	p.Wait(`document.querySelectorAll("#moves button").length === 11`)
	p.clickOn("#undo")
	// There is a move to redo.
	p.Wait(`document.querySelector("#moves [aria-current='true']").textContent === "28x19"`)
	p.clickOn("#redo")
	p.Wait(`document.querySelector("#moves [aria-current='true']").textContent === "14x23"`)

	// After two promotions it is the main line.
	p.clickOn("#promote")
	p.Wait(`document.querySelector("#moves .variation").textContent.includes("19-23")`)
	p.clickOn("#promote")
	p.Wait(`document.querySelector("#moves > button").textContent === "33-28?!" && document.querySelector("#promote").disabled`)
	p.Shot("promoted")

	// A new comment and a new glyph.
	p.Script(`document.querySelector("#comment").value = "takes back"; document.querySelector("#glyph").value = "3"; document.querySelector("#annotate").requestSubmit()`)
	p.Says("#moves", "14x23!!takes back")
	p.clickOn("#delete")
	p.clickOn("#choices button")
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)

	// The second game starts from a position; it is loaded from a file on disk.
	name := filepath.Join(t.TempDir(), "games.pdn")
	if err := os.WriteFile(name, []byte(variations), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Drive(chromedp.SetUploadFiles(chromedp.CSS("#pdn-open"), []string{name}))
	p.Wait(`document.querySelector("#choose").open`)
	p.clickOn("#choices button:nth-child(2)")
	p.Wait(`document.querySelectorAll("#moves button").length === 4`)
	if got, want := p.listed(), "1… 19-23 (1… 18-22 2. 28x17 ) 2. 28x19"; got != want {
		t.Errorf("the list is %s, want %s", got, want)
	}
	second := p.written()
	if !strings.Contains(second, `[FEN "B:W28,33:B18,19"]`) || !strings.Contains(second, "1... 19-23 (1... 18-22 2. 28x17) 2. 28x19 *") {
		t.Errorf("the text is\n%s", second)
	}

	// The written game can be read back unchanged.
	p.load(first)
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	if got := p.listed(); got != whole {
		t.Errorf("read again the list is\n%s\nwant\n%s", got, whole)
	}
	if again := p.written(); again != first {
		t.Errorf("the second text is\n%s\nwant\n%s", again, first)
	}
}

// loses is a game with a move that loses a man, 5. 28-22.
const loses = "1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-22 17x28 *"

// losesTimed is the same game with a clock.
const losesTimed = `[TimeControl "60+1"]
1. 32-28 {[%clk 0:00:58]} 19-23 {[%clk 0:01:00.5]} 2. 28x19 {[%clk 0:00:57]} 14x23 {[%clk 0:01:01]}
3. 33-28 {[%clk 0:00:30]} 23x32 {[%clk 0:01:00]} 4. 37x28 {[%clk 0:00:30] a comment} 20-24 {[%clk 0:00:55]}
5. 28-22 {[%clk 0:00:09]} 17x28 {[%clk 0:00:54]} *`

func TestReviewOnThePage(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1300)
	p.Script(`document.querySelector("#pdn").closest("details").open = true`)
	if !eval[bool](p, `document.querySelector("#review").disabled && document.querySelector("#review-result").hidden`) {
		t.Error("there is something to analyse before the first move")
	}
	p.load(losesTimed)
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	if got := p.Text("#moves .comment"); got != "a comment" {
		t.Errorf("the first comment is %q", got)
	}
	if got := p.Text("#player-bottom .clock") + " " + p.Text("#player-top .clock"); got != "0:09.0 0:54" {
		t.Errorf("the clocks show %s at the end", got)
	}
	p.Choose("review-effort", "1")
	p.clickOn("#review")
	p.Says("#review-note", "11 positions have been searched.")
	p.Wait(`document.querySelector("#review-progress").hidden`)
	p.Wait(`document.querySelectorAll("#faults button").length > 0`)
	p.Says("#faults", "5. 28-22")
	p.Says("#faults", " · ")
	p.Says("#accuracy", "Accuracy: White ")
	p.Wait(`document.querySelectorAll("#graph .blunder, #graph .mistake").length > 0`)
	p.Wait(`document.querySelectorAll("#moves .verdict").length > 0`)
	if rows := eval[int](p, `document.querySelectorAll("#values tr").length`); rows != 11 {
		t.Errorf("the table has %d rows", rows)
	}
	if bars := eval[int](p, `document.querySelectorAll("#times rect.white").length * 100 + document.querySelectorAll("#times rect.black").length`); bars != 505 {
		t.Errorf("the bars of the times are %d", bars)
	}
	p.Says("#times-text", "White: 0:56 in all, at most 0:28 for 3. 33-28.")
	p.Says("#times-text", "Black: 0:11.0 in all, at most 0:06.0 for 4… 20-24. The lines are the time left.")
	if got := p.Text("#values tr:nth-child(6) td:nth-child(5)") + " " + p.Text("#values tr:nth-child(6) td:nth-child(6)"); got != "0:28 0:30" {
		t.Errorf("the table has the times %s of 33-28", got)
	}
	if label := eval[string](p, `document.querySelector("#graph").getAttribute("aria-label")`); !strings.Contains(label, "over 10 moves") {
		t.Errorf("the graph is %q", label)
	}
	p.clickOn("#faults button")
	p.Wait(`document.querySelector("#moves [aria-current='true']").textContent.startsWith("28-22")`)
	p.Shot("review")
	for language, want := range map[string][2]string{
		"fr": {"Analyser la partie", "Blancs : 0:56 en tout"}, "nl": {"Partij analyseren", "Wit: in totaal 0:56"},
	} {
		p.speak(language)
		p.Says("#review", want[0])
		p.Says("#times-text", want[1])
		p.Shot("review-" + language)
	}
	p.speak("en")

	// A click on the graph shows a position. A new game deletes the graph.
	p.Script(`const g = document.querySelector("#graph"), r = g.getBoundingClientRect();
		g.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: r.left + 1, clientY: r.top + 5 }))`)
	p.Wait(`document.querySelectorAll("#moves button.later").length === 10`)
	if !eval[bool](p, `document.querySelector("#player-top .clock").hidden`) {
		t.Error("a clock is shown at the start, where no time is known")
	}
	p.Script(`const g = document.querySelector("#times"), r = g.getBoundingClientRect();
		g.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: r.right - 9, clientY: r.top + 5 }))`)
	p.Wait(`document.querySelectorAll("#moves button.later").length === 0`)

	// Without times there is no such graph.
	p.load(loses)
	p.Wait(`document.querySelector("#player-top .clock").hidden`)
	p.clickOn("#review")
	p.Says("#review-note", "11 positions have been searched.")
	if !eval[bool](p, `document.querySelector("#times-box").hidden && document.querySelector("#values").rows[0].cells.length === 4`) {
		t.Error("times are shown of a game without them")
	}
	p.newGame()
	p.Wait(`document.querySelector("#review-result").hidden`)
}

func TestReviewIsStopped(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1300)
	p.load(loses)
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	p.Choose("review-effort", "3")
	p.clickOn("#review")
	p.Says("#review", "Stop")
	p.Wait(`document.querySelector("#review-progress").value > 0`)
	p.Shot("reviewing")
	p.clickOn("#review")
	p.Says("#review-note", "Stopped:")
	p.Says("#review", "Analyse the game")
}

func TestThreatOnThePage(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1100)
	p.begin("international", "person", "person")
	p.setUp("W:W27,38,43,48:B9,13,21")
	p.Says("#status", "must take")
	p.Script(`document.querySelector("#threats").click()`)
	p.Says("#threat", "White must capture and cannot let the move pass")
	if n := eval[int](p, `document.querySelectorAll("#board path.threat").length`); n != 0 {
		t.Errorf("%d arrows of a threat that is none", n)
	}
	p.setUp("W:W28,38,39,43,48:B9,13,14,23")
	p.Says("#threat", "No threat can be shown")
	p.setUp("W:W33,38,39,43,48:B9,13,14,24")
	p.Says("#threat", "Threat: Black would play")
	p.Wait(`document.querySelectorAll("#board path.threat").length > 0`)
	p.Script(`document.querySelector("#analyse").click()`)
	p.Wait(`document.querySelectorAll(".arrow").length > 0`)
	p.Shot("threat")
	p.Choose("set-theme", "dark")
	p.speak("fr")
	p.Says("#threat", "Menace : les Noirs joueraient")
	p.Shot("threat-dark")
	p.Script(`document.querySelector("#threats").click()`)
	p.Wait(`document.querySelector("#threat").hidden && document.querySelectorAll("#board path.threat").length === 0`)
}

func TestEditor(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1100)
	p.begin("international", "person", "person")
	p.Script(`document.querySelector("#edit").closest("details").open = true`)
	p.clickOn("#edit")
	p.Wait(`!document.querySelector("#editor").hidden`)
	p.Says("#edit-faults", "Nothing is wrong")
	p.clickOn("#edit-clear")
	p.Says("#edit-faults", "It is not said who is to move")
	p.Says("#edit-faults", "White has no piece")
	if !eval[bool](p, `document.querySelector("#edit-use").disabled`) {
		t.Error("a bad position can be used")
	}

	// By mouse: a man on a square where it may not stand is made a king; a piece is dragged.
	p.Click(3, 32)
	p.Says("#edit-faults", "A white man cannot stand on 3, its promotion row")
	p.Shot("editor")
	p.Script(`document.querySelector("#edit-tools input[value='W']").click()`)
	p.Click(3)
	p.Wait(`!document.querySelector("#edit-faults").textContent.includes("promotion row")`)
	if got := p.label(3); got != "3, white king" {
		t.Errorf("3 is %q", got)
	}
	p.Script(`document.querySelector("#edit-tools input[value='b']").click()`)
	p.Click(10, 11)
	p.Click(11) // removed again
	p.Script(`document.querySelector("[name='edit-turn'][value='black']").click()`)
	p.Says("#edit-faults", "Nothing is wrong")
	at := func(n int) (x, y float64) {
		box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector('button[data-square="%d"]').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()`, n))
		return box[0], box[1]
	}
	x, y := at(32)
	u, v := at(37)
	p.Drive(chromedp.DragAndDropXY(x, y, u, v, 5))
	p.Says("#edit-fen", "B:W37,K3:B10")
	p.clickOn("#edit-use")
	p.Wait(`document.querySelector("#fen").value === "B:W37,K3:B10" && document.querySelector("#editor").hidden`)
	p.Says("#status", "Black to move")
	p.Click(10, 14)
	p.Says("#moves", "10-14")

	// Too many men.
	p.clickOn("#edit")
	p.clickOn("#edit-start")
	p.Says("#edit-fen", "W:W31,32")
	p.Script(`document.querySelector("#edit-tools input[value='w']").click()`)
	p.Click(28)
	p.Says("#edit-faults", "White has 21 pieces; at most 20 are allowed.")
	p.speak("fr")
	p.Says("#edit-faults", "Les Blancs ont 21 pièces")
	p.Shot("editor-fr")
	p.clickOn("#edit-cancel")
	p.Says("#status", "Trait aux Blancs")
	if got := p.moves(); got != "10-14" {
		t.Errorf("after the editor was cancelled the game is %q", got)
	}
}

func TestEditorByKeyboard(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1100)
	p.begin("english", "person", "person")
	p.Script(`document.querySelector("#edit").closest("details").open = true; document.querySelector("#edit").focus()`)
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Wait(`document.activeElement.id === "editor-title"`)
	// Tab moves the focus through the tools and the sides to the buttons.
	tabTo := func(id string) {
		t.Helper()
		for range 12 {
			if eval[string](p, `document.activeElement.id || document.activeElement.name`) == id {
				return
			}
			p.Drive(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("the keyboard cannot reach %s", id)
	}
	tabTo("edit-clear")
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Says("#edit-faults", "White has no piece")
	p.Script(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.Drive(chromedp.KeyEvent("4"), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent("1"), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent("3"), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent("2"))
	p.Says("#edit-said", "white king")
	p.Wait(`document.querySelectorAll("#board g.piece").length === 4`)
	p.Drive(chromedp.KeyEvent(kb.Delete))
	p.Wait(`document.querySelectorAll("#board g.piece").length === 3`)
	p.Script(`document.querySelector("#editor-title").focus()`)
	tabTo("edit-turn")
	p.Drive(chromedp.KeyEvent(" "))
	p.Says("#edit-faults", "Nothing is wrong")
	tabTo("edit-use")
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Wait(`document.querySelector("#editor").hidden && document.querySelectorAll("#board g.piece").length === 3`)
	p.Says("#status", "White to move")
}

func TestAnalysisOnAPhone(t *testing.T) {
	p := openTab(t, board.Config{}, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	p.load(variations)
	p.Wait(`document.querySelector("#choose").open`)
	p.clickOn("#choices button:nth-child(1)")
	p.Wait(`document.querySelectorAll("#moves button").length === 10`)
	p.Drive(chromedp.Tap(chromedp.CSS("#previous")))
	p.Script(`document.querySelector("#review").click(); document.querySelector("#threats").click()`)
	p.Says("#review-note", "6 positions")
	p.Says("#threat", "Threat")
	p.Shot("phone-review")
	p.Script(`document.querySelector("#edit").click(); scrollTo(0, 0)`)
	p.Says("#edit-faults", "Nothing is wrong")
	p.Shot("phone-editor")
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
}
