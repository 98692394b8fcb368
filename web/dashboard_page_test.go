package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/web"
)

func openDashboard(t *testing.T, run *web.RecordedRun, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	needBrowser(t)
	return openPage(t, web.NewDashboard(run, web.DashboardConfig{}), func() {}, width, height, options...)
}

// games returns games a few plies old.
func games(v *rules.Variant, n int) []web.Game {
	var list []web.Game
	for i := range n {
		g := web.Game{ID: fmt.Sprint(i), Position: v.Start(), White: rules.WDL{Win: 0.5, Draw: 0.3, Loss: 0.2}}
		for k := range 10 + i {
			moves := v.AppendMoves(nil, g.Position)
			g.Last = moves[(7*i+k)%len(moves)]
			g.Position, g.Ply = v.Play(g.Position, g.Last), g.Ply+1
		}
		list = append(list, g)
	}
	return list
}

const chart = "#charts .chart:nth-child(%d) "

// The page shows a run, and goes on with it as it goes on: metrics, games, what the learner does.
func TestDashboardIsLive(t *testing.T) {
	run := &web.RecordedRun{Live: true}
	run.Go(11, web.Phase{Name: "playing", Done: 4096, Of: 8192})
	run.Play(games(rules.International, 12)...)
	p := openDashboard(t, run, 1280, 1000)
	p.says("#now", "under way")
	p.says("#phase", "playing: 4,096 of 8,192 rows")
	p.wait(`document.querySelector("#progress").value === 4096`)
	p.says("#title", "recorded · International")
	p.wait(`document.querySelectorAll("#games .game").length === 8`)
	p.says("#games .game", "ply 10 · White 65%")
	p.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 2`, fmt.Sprintf(chart, 1)+".bars"))
	p.wait(`document.querySelectorAll("#charts .line").length > 20`)
	generation := p.text("#figures div:nth-child(2) .big")
	p.shot("dashboard-live")

	p.do(`document.querySelector("#games").scrollIntoView()`) // games are looked at while they are seen
	run.Play(games(rules.International, 1)...)
	run.Go(20, web.Phase{})
	p.wait(`document.querySelectorAll("#games .game").length === 1`)
	p.says("#now", "stopped")
	p.wait(`document.querySelector("#phase").textContent === "" && document.querySelector("#progress").hidden`)
	p.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 3`, fmt.Sprintf(chart, 1)+".bars"))
	if now := p.text("#figures div:nth-child(2) .big"); now != "120" || now == generation {
		t.Errorf("generation %s, before %s", now, generation)
	}
	p.says("#log", "stopped")
	p.says("#endings", "no pieces left")
	run.Go(5, web.Phase{}) // another run in its place
	p.says("#now", "under way")
	p.wait(`document.querySelector("#figures div:nth-child(2) .big").textContent === "26"`)
}

// The values of a chart are read by the pointer and by the keyboard, and stand in its table.
func TestDashboardCharts(t *testing.T) {
	run := &web.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	policy := fmt.Sprintf(chart, 2)
	said := func() string {
		return eval[string](p, fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-valuetext")`, policy+".plot"))
	}
	last := said()
	p.says(policy+".place", "gen. 114")
	p.do(fmt.Sprintf(`document.querySelector(%q).focus()`, policy+".plot"))
	p.run(chromedp.KeyEvent(kb.Home))
	p.says(policy+".place", "gen. 2 ")
	if first := said(); first == last {
		t.Errorf("the first point says %q as the last", first)
	}
	p.run(chromedp.KeyEvent(kb.ArrowRight))
	p.says(policy+".place", "gen. 10 ")
	p.says(policy+".legend", "1.56")
	p.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 1 && document.querySelector(%q).getAttribute("aria-valuenow") === "1"`, policy+".cursor line", policy+".plot"))
	p.run(chromedp.KeyEvent(kb.Escape))
	p.says(policy+".place", "gen. 114")
	box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return [r.x, r.y + r.height / 2]})()`, policy+".plot"))
	p.do(fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new PointerEvent("pointermove", {clientX: %f, clientY: %f}))`, policy+".plot", box[0]+50, box[1]))
	p.says(policy+".place", "gen. 2 ")
	p.do(fmt.Sprintf(`document.querySelector(%q).open = true`, policy+"details"))
	p.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 15`, policy+"tbody tr"))
	p.says(policy+"thead", "held-out games")
	p.do(fmt.Sprintf(`document.querySelector(%q).open = true`, fmt.Sprintf(chart, 1)+"details"))
	p.says(fmt.Sprintf(chart, 1)+"tbody", "alphabeta:depth=2 +")
	for axis, want := range map[string]string{"generation": "generation 2", "hours": " h", "rows": "rows", "cpu": "CPU-h"} {
		p.choose("axis", axis)
		p.says(policy+".place", want)
	}
	for language, want := range map[string]string{"fr": "Perte de la politique", "nl": "Verlies van het beleid"} {
		p.choose("language", language)
		p.says(policy+"h3", want)
		p.shot("dashboard-" + language)
	}
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 1280 {
		t.Errorf("the page is %d wide", wide)
	}
}

// A position is asked about by its FEN or by a board; what is wrong with it is said.
func TestDashboardPosition(t *testing.T) {
	run := &web.RecordedRun{}
	run.Play(games(rules.International, 2)...)
	p := openDashboard(t, run, 1280, 1000)
	p.says("#position-charts .chart:nth-child(1) .place", "generation 120")
	p.says("#position-charts .chart:nth-child(2) .legend", "12%")
	p.says("#position-board", "To move: White; 9 legal moves")
	p.do(`document.querySelector("#fen").value = "W:W28"; document.querySelector("#position").requestSubmit()`)
	p.wait(`document.querySelector("#position-note").textContent !== "" || document.querySelector("#fen").value.startsWith("W:W28:")`)
	p.do(`document.querySelector("#fen").value = "W:W99:B1"; document.querySelector("#position").requestSubmit()`)
	p.says("#position-note", "99")
	p.reduceMotion() // the page goes to the answer at once, and what is clicked next does not slide away
	p.run(chromedp.Click(chromedp.CSS("#games .game:nth-child(2)")))
	p.wait(fmt.Sprintf(`document.querySelector("#fen").value === %q && document.querySelector("#position-note").textContent === ""`, rules.International.FEN(games(rules.International, 2)[1].Position)))
	p.run(chromedp.Click(chromedp.CSS("#start")))
	p.wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, rules.International.FEN(rules.International.Start())))
	p.shot("dashboard-position")
}

// Of two questions the later one is answered, though the answer to the earlier one be later.
func TestDashboardLateAnswer(t *testing.T) {
	run := &web.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	start := rules.International.FEN(rules.International.Start())
	p.wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, start))
	p.do(`const send = window.fetch; let slow = true; window.late = false; window.fetch = async (...a) => {
		const mine = slow && a[0] === "api/position";
		if (mine) slow = false;
		const answer = await send(...a);
		if (!mine) return answer;
		const text = await answer.text();
		await new Promise((r) => (window.release = r));
		setTimeout(() => (window.late = true), 50); // the page has done what it does with the answer
		return new Response(text, answer);
	}`)
	p.do(`document.querySelector("#fen").value = "W:W28:B1"; document.querySelector("#position").requestSubmit()`)
	p.do(`document.querySelector("#start").click()`)
	p.wait(fmt.Sprintf(`window.release && document.querySelector("#fen").value === %q`, start))
	p.do(`window.release()`)
	p.wait(`window.late`)
	if got := eval[string](p, `document.querySelector("#fen").value`); got != start {
		t.Errorf("the page shows %s, which was asked before", got)
	}
	p.says("#position-board", "9 legal moves")
}

// Every geometry has its boards: 8x8, 10x10, 12x12 and that of all squares.
func TestDashboardBoards(t *testing.T) {
	for name, squares := range map[string]int{"english": 32, "canadian": 72, "turkish": 64} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		run := &web.RecordedRun{On: v, Live: true}
		run.Play(games(v, 5)...)
		p := openDashboard(t, run, 1280, 900)
		p.choose("count", "4")
		p.wait(`document.querySelectorAll("#games .game").length === 4`)
		p.wait(fmt.Sprintf(`document.querySelector("#games .dark").getAttribute("d").split("M").length - 1 === %d`, map[bool]int{true: 32, false: squares}[name == "turkish"]))
		letters := v.HubString(games(v, 1)[0].Position)[1:]
		want := strings.Count(letters, "w") + strings.Count(letters, "b") + 2*strings.Count(letters, "W") + 2*strings.Count(letters, "B")
		if discs := eval[int](p, `document.querySelectorAll("#games .game:first-child circle:not(.ring)").length`); discs != want {
			t.Errorf("%s: %d discs, want %d", name, discs, want)
		}
		p.shot("dashboard-" + name)
	}
}

// The page has no violation that axe finds, light and dark, with everything unfolded, and with nothing to show.
func TestDashboardAccessibility(t *testing.T) {
	run := &web.RecordedRun{Live: true}
	run.Go(18, web.Phase{Name: "training", Done: 10, Of: 128})
	run.Play(games(rules.International, 8)...)
	p := openDashboard(t, run, 1280, 1000)
	check := func(p *tab, name string) {
		t.Helper()
		found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run().then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range found {
			t.Errorf("%s: %s", name, v)
		}
	}
	eval[bool](p, axe+"; true")
	p.says("#phase", "learning: step 10 of 128")
	check(p, "light")
	p.do(`for (const d of document.querySelectorAll("details")) d.open = true`)
	p.wait(`document.querySelectorAll("#charts tbody tr").length > 100`)
	check(p, "unfolded")
	p.choose("theme", "dark")
	p.do(`document.querySelector("#charts .chart:nth-child(3) .plot").focus()`)
	p.run(chromedp.KeyEvent(kb.ArrowLeft))
	check(p, "dark")
	p.do(`for (const d of document.querySelectorAll("details")) d.open = false`)
	p.shot("dashboard-dark")

	empty := &web.RecordedRun{Networks: []int{}}
	empty.Cut(1)
	p = openDashboard(t, empty, 1280, 1000)
	eval[bool](p, axe+"; true")
	p.says("#games-note", "No game is under way")
	p.says("#position-board", "has kept no network")
	p.says("#charts .place", "nothing measured yet")
	check(p, "empty")
	p.shot("dashboard-empty")
}

func TestDashboardPhone(t *testing.T) {
	run := &web.RecordedRun{Live: true}
	run.Play(games(rules.International, 8)...)
	p := openDashboard(t, run, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	p.run(chromedp.Tap(chromedp.CSS("#games .game")))
	p.wait(`document.querySelector("#fen").value.length > 0`)
	p.shot("dashboard-phone")
}
