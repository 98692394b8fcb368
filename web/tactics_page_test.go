package web_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/tactics"
	"damier/web"
)

// tacticFor returns the first tactic of international draughts that is so.
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

// short is solved by two moves, and each of them is entered by two squares.
func short(x *tactics.Tactic) bool {
	return len(x.Line) == 3 && !slices.Contains(x.Themes, tactics.Turc)
}

// openTactic opens the page of tactics at one of them.
func openTactic(t *testing.T, c web.Config, x *tactics.Tactic, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	p := openTab(t, c, width, height, options...)
	p.run(chromedp.Navigate(p.home+"/tactics.html#international/"+x.ID()), chromedp.WaitVisible(`body.tactics[data-ready="true"]`))
	p.wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]")?.dataset.id === %q`, x.ID()))
	return p
}

// enter clicks a move: from and to, and the squares between where that is not enough.
func (p *tab) enter(x *tactics.Tactic, ply int) {
	p.Helper()
	m := x.Line[ply]
	p.click(int(m.From), int(m.To))
	if eval[bool](p, `document.querySelector("#choose").open`) {
		p.run(chromedp.Click(chromedp.CSS("#choices button")))
	}
}

func (p *tab) kept(x *tactics.Tactic) int {
	p.Helper()
	return eval[int](p, fmt.Sprintf(`(JSON.parse(localStorage.getItem("tactics") ?? "{}")[%q] ?? 0)`, x.ID()))
}

const turnOfSolver = `document.querySelector("#status").textContent.includes("to move") && document.querySelectorAll("#board .movable").length > 0 && !document.querySelector(".lifted")`

func TestTacticByMouse(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, web.Config{}, x, 1280, 900)
	p.says("#task", "wins")
	p.shot("tactic")

	// What is no move is explained, and a move that wins nothing is refuted and taken back.
	v := x.Variant
	other := v.AppendMoves(nil, x.Start)[0]
	if other == x.Line[0] {
		other = v.AppendMoves(nil, x.Start)[1]
	}
	empty := rules.Square(1)
	for v.Piece(x.Start, empty) != rules.Empty {
		empty++
	}
	p.click(int(empty))
	p.says("#refusal", "No piece on")
	p.click(int(other.From), int(other.To))
	p.wait(`/wins nothing|loses|wins only/.test(document.querySelector("#refusal").textContent)`)
	p.shot("tactic-wrong")
	p.wait(turnOfSolver)
	if p.kept(x) != 0 {
		t.Error("a wrong move counts")
	}

	p.enter(x, 0)
	p.says("#status", "Right!")
	p.wait(turnOfSolver)
	p.enter(x, 2)
	p.says("#status", "Solved!")
	p.shot("tactic-solved")
	if got := p.kept(x); got != 1 {
		t.Errorf("kept is %d", got)
	}
	p.says("#facts", "Proved by alpha-beta")
	p.says("#progress", "1 of")
	p.wait(`document.querySelector("#list [aria-current=true]").getAttribute("aria-label").endsWith("solved")`)

	// The solution can be replayed.
	p.run(chromedp.Click(chromedp.CSS("#first")))
	p.wait(`document.querySelector("#first").disabled`)
	p.run(chromedp.Click(chromedp.CSS("#replay")))
	p.wait(`document.querySelector("#next").disabled && !document.querySelector("#replay").classList.contains("running")`)

	// Who goes on while it is shown why a move is wrong can play there.
	p.run(chromedp.Click(chromedp.CSS("#again")))
	p.wait(turnOfSolver)
	p.click(int(other.From), int(other.To))
	// What was solved is remembered; the next is another.
	p.run(chromedp.Click(chromedp.CSS("#onward")))
	p.wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]").dataset.id !== %q`, x.ID()))
	p.wait(turnOfSolver)
	p.run(chromedp.Reload(), chromedp.WaitVisible(`body.tactics[data-ready="true"]`))
	p.says("#progress", "1 of")
}

func TestTacticByKeyboard(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, web.Config{}, x, 1000, 900)
	focus := func(s rules.Square) {
		p.do(`document.querySelector('#board [tabindex="0"]').focus()`)
		for range 60 { // N goes from one that means something to the next
			if eval[int](p, `Number(document.activeElement.dataset.square ?? 0)`) == int(s) {
				return
			}
			p.run(chromedp.KeyEvent("n"))
		}
		p.Fatalf("N never comes to %d", s)
	}
	focus(x.Line[0].From)
	p.run(chromedp.KeyEvent("h"))
	p.says("#refusal", "Give something")
	p.run(chromedp.KeyEvent("h"))
	p.says("#refusal", "The move is")
	p.shot("tactic-hint")
	for ply := 0; ply < len(x.Line); ply += 2 {
		p.wait(turnOfSolver)
		m := x.Line[ply]
		focus(m.From)
		p.run(chromedp.KeyEvent(kb.Enter))
		focus(m.To)
		p.run(chromedp.KeyEvent(" "))
		if eval[bool](p, `document.querySelector("#choose").open`) {
			p.run(chromedp.KeyEvent(kb.Enter))
		}
	}
	p.says("#status", "Solved, with help.")
	if got := p.kept(x); got != 2 {
		t.Errorf("kept is %d", got)
	}
	p.do(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.run(chromedp.KeyEvent("x"))
	p.wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]").dataset.id !== %q`, x.ID()))
	p.do(`document.querySelector('#board [tabindex="0"]').focus()`)
	p.run(chromedp.KeyEvent("s"))
	p.says("#status", "The solution.")
	p.run(chromedp.KeyEvent("a"))
	p.wait(turnOfSolver)
}

// The coups turcs are found by their name, in three languages.
func TestCoupTurcByName(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, web.Config{}, x, 1280, 900)
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
	p.choose("theme", "turc")
	p.wait(fmt.Sprintf(`document.querySelectorAll("#list button").length === %d`, turcs))
	p.wait(fmt.Sprintf(`document.querySelector("#list [aria-current=true]")?.dataset.id === %q`, first.ID()))
	for language, want := range map[string]string{"fr": "Trait aux ", "nl": " speelt en wint "} {
		p.choose("language", language)
		p.says("#task", want)
		p.shot("tactic-" + language)
	}
	p.choose("language", "en")
	p.run(chromedp.Click(chromedp.CSS("#show")))
	p.says("#themes", "coup turc")
	p.wait(`document.querySelector("#next").disabled && !document.querySelector("#replay").classList.contains("running")`)
	p.shot("tactic-turc")
	if got := p.kept(first); got != 3 {
		t.Errorf("kept is %d", got)
	}
}

func TestWatchTactic(t *testing.T) {
	x := tacticFor(t, func(x *tactics.Tactic) bool { return short(x) && x.Gain > 2*tactics.Man })
	for name, c := range map[string]web.Config{"alpha-beta": {}, "network": evensConfig()} {
		t.Run(name, func(t *testing.T) {
			p := openTactic(t, c, x, 1280, 900)
			p.run(chromedp.Click(chromedp.CSS("#watch")))
			p.wait(`document.querySelectorAll("#seen tr").length > 1 && document.querySelectorAll("#seen tr.solution").length === 1`)
			if name == "network" {
				p.wait(`/^[\d,]+ visits/.test(document.querySelector("#watch-note").textContent)`)
				p.wait(`Number(document.querySelector("#seen td:nth-child(2)").textContent.replace(/\D/g, "")) > 20`)
				p.shot("tactic-watch")
				p.run(chromedp.Click(chromedp.CSS("#watch")))
				p.wait(`document.querySelector("#watching").hidden`)
				return
			}
			p.says("#watch-note", "Found: ")
			p.shot("tactic-watch-alphabeta")
		})
	}
}

func TestTacticOnPhone(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, web.Config{}, x, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	p.run(chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, x.Line[0].From))), chromedp.Tap(chromedp.CSS(fmt.Sprintf(square, x.Line[0].To))))
	p.says("#status", "Right!")
	p.shot("tactic-phone")
}

func TestTacticsAccessibility(t *testing.T) {
	x := tacticFor(t, short)
	p := openTactic(t, web.Config{}, x, 1280, 900)
	eval[bool](p, axe+"; true")
	check := func(name string) {
		t.Helper()
		found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run().then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range found {
			t.Errorf("%s: %s", name, v)
		}
	}
	p.do(`for (const d of document.querySelectorAll("details")) d.open = true`)
	check("a position")
	p.run(chromedp.Click(chromedp.CSS("#hint")))
	p.says("#refusal", "Give something")
	check("a hint")
	p.run(chromedp.Click(chromedp.CSS("#watch")))
	p.wait(`document.querySelectorAll("#seen tr.solution").length === 1`)
	check("watched")
	p.run(chromedp.Click(chromedp.CSS("#show")))
	p.wait(`document.querySelector("#next").disabled && !document.querySelector("#replay").classList.contains("running")`)
	check("the solution")
	p.do(`document.documentElement.dataset.theme = "dark"`)
	check("dark")
	p.shot("tactic-dark")
}
