package tactics_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/tactics"
	"damier/web/board"
	"damier/web/webtest"
)

// tab is a page of the board or of tactics in its own window.
type tab struct{ *webtest.Tab }

func eval[T any](p *tab, expression string) T {
	p.Helper()
	return webtest.Eval[T](p.Tab, expression)
}

const square = webtest.Square

func TestMain(m *testing.M) { webtest.Main(m) }

// openTab starts a server of boards and tactics and opens the board in a new tab.
func openTab(t *testing.T, c board.Config, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	webtest.NeedBrowser(t)
	s := board.New(c)
	return &tab{webtest.OpenPage(t, s, s.Close, width, height, options...)}
}

// tacticFor returns the first tactic of international draughts that satisfies a condition.
func tacticFor(t *testing.T, is func(*tactics.Tactic) bool) *tactics.Tactic {
	t.Helper()
	all := tactics.Collection()
	for i := range all {
		if x := &all[i]; x.Variant.Name == "international" && is(x) {
			return x
		}
	}
	t.Fatal("no such tactic")
	return nil
}

// short reports whether a tactic is solved by two moves, each entered by two squares.
func short(x *tactics.Tactic) bool {
	return len(x.Line) == 3 && !slices.Contains(x.Themes, tactics.Turc)
}

// openTactic opens the tactics page at a tactic.
func openTactic(t *testing.T, c board.Config, x *tactics.Tactic, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	p := openTab(t, c, width, height, options...)
	p.Drive(chromedp.Navigate(p.Home+"/tactics.html#international/"+x.ID()), chromedp.WaitVisible(`body.tactics[data-ready="true"]`))
	p.Wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]")?.dataset.id === %q`, x.ID()))
	return p
}

// enter clicks the first and the last square of a move, and takes the first choice if the page
// asks for one.
func (p *tab) enter(x *tactics.Tactic, ply int) {
	p.Helper()
	m := x.Line[ply]
	p.Click(int(m.From), int(m.To))
	if eval[bool](p, `document.querySelector("#choose").open`) {
		p.Drive(chromedp.Click(chromedp.CSS("#choices button")))
	}
}

func (p *tab) storedResult(x *tactics.Tactic) int {
	p.Helper()
	return eval[int](p, fmt.Sprintf(`(JSON.parse(localStorage.getItem("tactics") ?? "{}")[%q] ?? 0)`, x.ID()))
}

const turnOfSolver = `document.querySelector("#status").textContent.includes("to move") && document.querySelectorAll("#board .movable").length > 0 && !document.querySelector(".lifted")`

func TestTacticByMouse(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1280, 900)
	p.Says("#task", "wins")
	p.Shot("tactic")

	// An illegal move is explained. A move that wins nothing is refuted and taken back.
	v := x.Variant
	other := v.AppendMoves(nil, x.Start)[0]
	if other == x.Line[0] {
		other = v.AppendMoves(nil, x.Start)[1]
	}
	empty := rules.Square(1)
	for v.Piece(x.Start, empty) != rules.Empty {
		empty++
	}
	p.Click(int(empty))
	p.Says("#refusal", "No piece on")
	p.Click(int(other.From), int(other.To))
	p.Wait(`/wins nothing|loses|wins only/.test(document.querySelector("#refusal").textContent)`)
	p.Shot("tactic-wrong")
	p.Wait(turnOfSolver)
	if p.storedResult(x) != 0 {
		t.Error("a wrong move counts")
	}

	p.enter(x, 0)
	p.Says("#status", "Right!")
	p.Wait(turnOfSolver)
	p.enter(x, 2)
	p.Says("#status", "Solved!")
	p.Shot("tactic-solved")
	if got := p.storedResult(x); got != 1 {
		t.Errorf("the stored result is %d", got)
	}
	p.Says("#facts", "Proved by alpha-beta")
	p.Says("#progress", "1 of")
	p.Wait(`document.querySelector("#list [aria-current=true]").getAttribute("aria-label").endsWith("solved")`)

	// The solution can be replayed.
	p.Drive(chromedp.Click(chromedp.CSS("#first")))
	p.Wait(`document.querySelector("#first").disabled`)
	p.Drive(chromedp.Click(chromedp.CSS("#replay")))
	p.Wait(`document.querySelector("#next").disabled && !document.querySelector("#replay").classList.contains("running")`)

	// A person can open the next tactic while a refutation is shown, and play there.
	p.Drive(chromedp.Click(chromedp.CSS("#again")))
	p.Wait(turnOfSolver)
	p.Click(int(other.From), int(other.To))
	// The page remembers solved tactics, and the next one is another.
	p.Drive(chromedp.Click(chromedp.CSS("#onward")))
	p.Wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]").dataset.id !== %q`, x.ID()))
	p.Wait(turnOfSolver)
	p.Drive(chromedp.Reload(), chromedp.WaitVisible(`body.tactics[data-ready="true"]`))
	p.Says("#progress", "1 of")
}

func TestTacticByKeyboard(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1000, 900)
	focus := func(s rules.Square) {
		p.Script(`document.querySelector('#board [tabindex="0"]').focus()`)
		for range 60 { // N moves the focus to the next useful square
			if eval[int](p, `Number(document.activeElement.dataset.square ?? 0)`) == int(s) {
				return
			}
			p.Drive(chromedp.KeyEvent("n"))
		}
		p.Fatalf("the key N never reaches square %d", s)
	}
	focus(x.Line[0].From)
	p.Drive(chromedp.KeyEvent("h"))
	p.Says("#refusal", "Give something")
	p.Drive(chromedp.KeyEvent("h"))
	p.Says("#refusal", "The move is")
	p.Shot("tactic-hint")
	for ply := 0; ply < len(x.Line); ply += 2 {
		p.Wait(turnOfSolver)
		m := x.Line[ply]
		focus(m.From)
		p.Drive(chromedp.KeyEvent(kb.Enter))
		focus(m.To)
		p.Drive(chromedp.KeyEvent(" "))
		if eval[bool](p, `document.querySelector("#choose").open`) {
			p.Drive(chromedp.KeyEvent(kb.Enter))
		}
	}
	p.Says("#status", "Solved, with help.")
	if got := p.storedResult(x); got != 2 {
		t.Errorf("the stored result is %d", got)
	}
	p.Script(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.Drive(chromedp.KeyEvent("x"))
	p.Wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]").dataset.id !== %q`, x.ID()))
	p.Script(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.Drive(chromedp.KeyEvent("s"))
	p.Says("#status", "The solution.")
	p.Drive(chromedp.KeyEvent("a"))
	p.Wait(turnOfSolver)
}

// The list can be filtered by the theme coup turc, in three languages.
func TestCoupTurcByName(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1280, 900)
	turcs := 0
	var first *tactics.Tactic
	all := tactics.Collection()
	for i := range all {
		if y := &all[i]; y.Variant.Name == "international" && slices.Contains(y.Themes, tactics.Turc) {
			turcs++
			if first == nil {
				first = y
			}
		}
	}
	p.Choose("theme", "turc")
	p.Wait(fmt.Sprintf(`document.querySelectorAll("#list button").length === %d`, turcs))
	p.Wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]")?.dataset.id === %q`, first.ID()))
	for language, want := range map[string]string{"fr": "Trait aux ", "nl": " speelt en wint "} {
		p.Choose("language", language)
		p.Says("#task", want)
		p.Shot("tactic-" + language)
	}
	p.Choose("language", "en")
	p.Drive(chromedp.Click(chromedp.CSS("#show")))
	p.Says("#themes", "coup turc")
	p.Wait(`document.querySelector("#next").disabled && !document.querySelector("#replay").classList.contains("running")`)
	p.Shot("tactic-turc")
	if got := p.storedResult(first); got != 3 {
		t.Errorf("the stored result is %d", got)
	}
}

// Where no tactic has the level and the theme the list is empty, and the tactic on the board stays.
// The focus of the keyboard stays at an entry of the list when it is drawn anew.
func TestListWithoutTactics(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1280, 900)
	level, theme := 0, ""
	for n := range 5 {
		for _, name := range tactics.AllThemes() {
			of := func(is func(*tactics.Tactic) bool) bool {
				return slices.ContainsFunc(tactics.Collection(), func(y tactics.Tactic) bool {
					return y.Variant.Name == "international" && is(&y)
				})
			}
			has := func(y *tactics.Tactic) bool { return slices.Contains(y.Themes, name) }
			at := func(y *tactics.Tactic) bool { return y.Level == n+1 }
			if of(has) && of(at) && !of(func(y *tactics.Tactic) bool { return has(y) && at(y) }) {
				level, theme = n+1, string(name)
			}
		}
	}
	if level == 0 {
		t.Skip("each theme has tactics of each level")
	}
	p.Choose("level", fmt.Sprint(level))
	p.Wait(`document.querySelectorAll("#list button").length > 0 && document.querySelector("#list [aria-current=true]")`)
	p.Choose("theme", theme)
	p.Wait(`document.querySelectorAll("#list button").length === 0 && document.querySelector("#progress").textContent === "No position has this level and theme."`)
	p.Drive(chromedp.Click(chromedp.CSS("#onward")))
	p.Choose("level", "")
	p.Wait(`document.querySelector("#list [aria-current=true]")`)
	p.Choose("theme", "")

	p.Script(`[...document.querySelectorAll("#list button")].at(-1).focus()`)
	p.Drive(chromedp.KeyEvent(kb.Enter))
	p.Wait(`document.querySelector("#list [aria-current=true]") === [...document.querySelectorAll("#list button")].at(-1)`)
	p.Wait(`document.activeElement === document.querySelector("#list [aria-current=true]")`)
}

func TestWatchTactic(t *testing.T) {
	x := tacticFor(t, func(x *tactics.Tactic) bool { return short(x) && x.Gain > 2*tactics.Man })
	evens := webtest.Evens{Value: rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}, Pause: time.Millisecond}
	network := board.Config{Networks: webtest.Networks(evens, func(*rules.Variant) bool { return true })}
	for name, c := range map[string]board.Config{"alpha-beta": {}, "network": network} {
		t.Run(name, func(t *testing.T) {
			p := openTactic(t, c, x, 1280, 900)
			p.Drive(chromedp.Click(chromedp.CSS("#watch")))
			p.Wait(`document.querySelectorAll("#seen tr").length > 1 && document.querySelectorAll("#seen tr.solution").length === 1`)
			if name == "network" {
				p.Wait(`/^[\d,]+ visits/.test(document.querySelector("#watch-note").textContent)`)
				p.Wait(`Number(document.querySelector("#seen td:nth-child(2)").textContent.replace(/\D/g, "")) > 20`)
				p.Shot("tactic-watch")
				p.Drive(chromedp.Click(chromedp.CSS("#watch")))
				p.Wait(`document.querySelector("#watching").hidden`)
				return
			}
			p.Says("#watch-note", "Found: ")
			p.Shot("tactic-watch-alphabeta")
		})
	}
}

func TestTacticOnPhone(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	p.Drive(chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, x.Line[0].From))), chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, x.Line[0].To))))
	p.Says("#status", "Right!")
	p.Shot("tactic-phone")
}

func TestTacticsAccessibility(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, board.Config{}, x, 1280, 900)
	p.Script(`for (const d of document.querySelectorAll("details")) d.open = true`)
	p.Accessible("a position")
	p.Drive(chromedp.Click(chromedp.CSS("#hint")))
	p.Says("#refusal", "Give something")
	p.Accessible("a hint")
	p.Drive(chromedp.Click(chromedp.CSS("#watch")))
	p.Wait(`document.querySelectorAll("#seen tr.solution").length === 1`)
	p.Accessible("watched")
	p.Drive(chromedp.Click(chromedp.CSS("#show")))
	p.Wait(`document.querySelector("#next").disabled && !document.querySelector("#replay").classList.contains("running")`)
	p.Accessible("the solution")
	p.Script(`document.documentElement.dataset.theme = "dark"`)
	p.Accessible("dark")
	p.Shot("tactic-dark")
}
