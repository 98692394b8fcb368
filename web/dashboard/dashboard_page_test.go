package dashboard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/web/dashboard"
	"damier/web/webtest"
)

// tab is the dashboard in its own window.
type tab struct{ *webtest.Tab }

func eval[T any](p *tab, expression string) T {
	p.Helper()
	return webtest.Eval[T](p.Tab, expression)
}

func TestMain(m *testing.M) { webtest.Main(m) }

func openDashboard(t *testing.T, run *dashboard.RecordedRun, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	webtest.NeedBrowser(t)
	return &tab{webtest.OpenPage(t, dashboard.New(run, dashboard.Config{}), func() {}, width, height, options...)}
}

// games returns games of a few plies.
func games(v *rules.Variant, n int) []dashboard.Game {
	var list []dashboard.Game
	for i := range n {
		g := dashboard.Game{ID: fmt.Sprint(i), Position: v.Start(), White: rules.WDL{Win: 0.5, Draw: 0.3, Loss: 0.2}}
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

// The page shows a run and follows it: metrics, games, the learner's phase.
func TestDashboardIsLive(t *testing.T) {
	run := &dashboard.RecordedRun{Live: true}
	run.Go(11, dashboard.Phase{Name: "playing", Done: 4096, Of: 8192})
	run.Play(games(rules.International, 12)...)
	p := openDashboard(t, run, 1280, 1000)
	p.Says("#now", "under way")
	p.Says("#phase", "playing: 4,096 of 8,192 rows")
	p.Wait(`document.querySelector("#progress").value === 4096`)
	p.Says("#title", "recorded · International")
	p.Wait(`document.querySelectorAll("#games .game").length === 8`)
	p.Says("#games .game", "ply 10 · White 65%")
	p.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 2`, fmt.Sprintf(chart, 1)+".bars"))
	p.Wait(`document.querySelectorAll("#charts .line").length > 20`)
	generation := p.Text("#figures div:nth-child(2) .big")
	p.Shot("dashboard-live")

	// The page requests games only while they are visible.
	p.Script(`document.querySelector("#games").scrollIntoView()`)
	run.Play(games(rules.International, 1)...)
	run.Go(20, dashboard.Phase{})
	p.Wait(`document.querySelectorAll("#games .game").length === 1`)
	p.Says("#now", "stopped")
	p.Wait(`document.querySelector("#phase").textContent === "" && document.querySelector("#progress").hidden`)
	p.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 3`, fmt.Sprintf(chart, 1)+".bars"))
	if now := p.Text("#figures div:nth-child(2) .big"); now != "120" || now == generation {
		t.Errorf("generation %s, before %s", now, generation)
	}
	p.Says("#log", "stopped")
	p.Says("#endings", "no pieces left")
	run.Go(5, dashboard.Phase{}) // replaced by another run
	p.Says("#now", "under way")
	p.Wait(`document.querySelector("#figures div:nth-child(2) .big").textContent === "26"`)
}

// A person can read the values of a chart by pointer, by keyboard and in its table.
func TestDashboardCharts(t *testing.T) {
	run := &dashboard.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	policy := fmt.Sprintf(chart, 2)
	said := func() string {
		return eval[string](p, fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-valuetext")`, policy+".plot"))
	}
	last := said()
	p.Says(policy+".place", "gen. 114")
	p.Script(fmt.Sprintf(`document.querySelector(%q).focus()`, policy+".plot"))
	p.Drive(chromedp.KeyEvent(kb.Home))
	p.Says(policy+".place", "gen. 2 ")
	if first := said(); first == last {
		t.Errorf("the first point says %q as the last", first)
	}
	p.Drive(chromedp.KeyEvent(kb.ArrowRight))
	p.Says(policy+".place", "gen. 10 ")
	p.Says(policy+".legend", "1.56")
	p.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 1 && document.querySelector(%q).getAttribute("aria-valuenow") === "1"`, policy+".cursor line", policy+".plot"))
	p.Drive(chromedp.KeyEvent(kb.Escape))
	p.Says(policy+".place", "gen. 114")
	box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return [r.x, r.y + r.height / 2]})()`, policy+".plot"))
	p.Script(fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new PointerEvent("pointermove", {clientX: %f, clientY: %f}))`, policy+".plot", box[0]+50, box[1]))
	p.Says(policy+".place", "gen. 2 ")
	p.Script(fmt.Sprintf(`document.querySelector(%q).open = true`, policy+"details"))
	p.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 15`, policy+"tbody tr"))
	p.Says(policy+"thead", "held-out games")
	p.Script(fmt.Sprintf(`document.querySelector(%q).open = true`, fmt.Sprintf(chart, 1)+"details"))
	p.Says(fmt.Sprintf(chart, 1)+"tbody", "alphabeta:depth=2 +")
	for axis, want := range map[string]string{"generation": "generation 2", "hours": " h", "rows": "rows", "cpu": "CPU-h"} {
		p.Choose("axis", axis)
		p.Says(policy+".place", want)
	}
	for language, want := range map[string]string{"fr": "Perte de la politique", "nl": "Verlies van het beleid"} {
		p.Choose("language", language)
		p.Says(policy+"h3", want)
		p.Shot("dashboard-" + language)
	}
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 1280 {
		t.Errorf("the page is %d wide", wide)
	}
}

// A person can ask about a position by FEN or by a click on a board; an invalid one gets an error.
func TestDashboardPosition(t *testing.T) {
	run := &dashboard.RecordedRun{}
	run.Play(games(rules.International, 2)...)
	p := openDashboard(t, run, 1280, 1000)
	p.Says("#position-charts .chart:nth-child(1) .place", "generation 120")
	p.Says("#position-charts .chart:nth-child(2) .legend", "12%")
	p.Says("#position-board", "To move: White; 9 legal moves")
	p.Script(`document.querySelector("#fen").value = "W:W28"; document.querySelector("#position").requestSubmit()`)
	p.Wait(`document.querySelector("#position-note").textContent !== "" || document.querySelector("#fen").value.startsWith("W:W28:")`)
	p.Script(`document.querySelector("#fen").value = "W:W99:B1"; document.querySelector("#position").requestSubmit()`)
	p.Says("#position-note", "99")
	// Without smooth scrolling the next element to click does not move away.
	p.ReduceMotion()
	p.Drive(chromedp.Click(chromedp.CSS("#games .game:nth-child(2)")))
	p.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q && document.querySelector("#position-note").textContent === ""`, rules.International.FEN(games(rules.International, 2)[1].Position)))
	p.Drive(chromedp.Click(chromedp.CSS("#start")))
	p.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, rules.International.FEN(rules.International.Start())))
	p.Shot("dashboard-position")
}

// The page shows the answer to the later of two requests, even if the earlier one is answered
// last.
func TestDashboardLateAnswer(t *testing.T) {
	run := &dashboard.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	start := rules.International.FEN(rules.International.Start())
	p.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, start))
	p.Script(`const send = window.fetch; let slow = true; window.late = false; window.fetch = async (...a) => {
		const mine = slow && a[0] === "api/position";
		if (mine) slow = false;
		const answer = await send(...a);
		if (!mine) return answer;
		const text = await answer.text();
		await new Promise((r) => (window.release = r));
		setTimeout(() => (window.late = true), 50); // the page has handled the answer
		return new Response(text, answer);
	}`)
	p.Script(`document.querySelector("#fen").value = "W:W28:B1"; document.querySelector("#position").requestSubmit()`)
	p.Script(`document.querySelector("#start").click()`)
	p.Wait(fmt.Sprintf(`window.release && document.querySelector("#fen").value === %q`, start))
	p.Script(`window.release()`)
	p.Wait(`window.late`)
	if got := eval[string](p, `document.querySelector("#fen").value`); got != start {
		t.Errorf("the page shows %s, the answer to the earlier request", got)
	}
	p.Says("#position-board", "9 legal moves")
}

// Boards of every geometry are drawn: 8x8, 10x10, 12x12 and the one with all squares.
func TestDashboardBoards(t *testing.T) {
	for name, squares := range map[string]int{"english": 32, "canadian": 72, "turkish": 64} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		run := &dashboard.RecordedRun{On: v, Live: true}
		run.Play(games(v, 5)...)
		p := openDashboard(t, run, 1280, 900)
		p.Choose("count", "4")
		p.Wait(`document.querySelectorAll("#games .game").length === 4`)
		p.Wait(fmt.Sprintf(`document.querySelector("#games .dark").getAttribute("d").split("M").length - 1 === %d`, map[bool]int{true: 32, false: squares}[name == "turkish"]))
		letters := v.HubString(games(v, 1)[0].Position)[1:]
		want := strings.Count(letters, "w") + strings.Count(letters, "b") + 2*strings.Count(letters, "W") + 2*strings.Count(letters, "B")
		if discs := eval[int](p, `document.querySelectorAll("#games .game:first-child circle:not(.ring)").length`); discs != want {
			t.Errorf("%s: %d discs, want %d", name, discs, want)
		}
		p.Shot("dashboard-" + name)
	}
}

// axe finds no violation in the page: light and dark, with everything unfolded, and without data.
func TestDashboardAccessibility(t *testing.T) {
	run := &dashboard.RecordedRun{Live: true}
	run.Go(18, dashboard.Phase{Name: "training", Done: 10, Of: 128})
	run.Play(games(rules.International, 8)...)
	p := openDashboard(t, run, 1280, 1000)
	p.Says("#phase", "learning: step 10 of 128")
	p.Accessible("light")
	p.Script(`for (const d of document.querySelectorAll("details")) d.open = true`)
	p.Wait(`document.querySelectorAll("#charts tbody tr").length > 100`)
	p.Accessible("unfolded")
	p.Choose("theme", "dark")
	p.Script(`document.querySelector("#charts .chart:nth-child(3) .plot").focus()`)
	p.Drive(chromedp.KeyEvent(kb.ArrowLeft))
	p.Accessible("dark")
	p.Script(`for (const d of document.querySelectorAll("details")) d.open = false`)
	p.Shot("dashboard-dark")

	empty := &dashboard.RecordedRun{Networks: []int{}}
	empty.Cut(1)
	p = openDashboard(t, empty, 1280, 1000)
	p.Says("#games-note", "No game is under way")
	p.Says("#position-board", "has kept no network")
	p.Says("#charts .place", "nothing measured yet")
	p.Accessible("empty")
	p.Shot("dashboard-empty")
}

func TestDashboardPhone(t *testing.T) {
	run := &dashboard.RecordedRun{Live: true}
	run.Play(games(rules.International, 8)...)
	p := openDashboard(t, run, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide on a phone of 390", wide)
	}
	p.Drive(chromedp.Tap(chromedp.CSS("#games .game")))
	p.Wait(`document.querySelector("#fen").value.length > 0`)
	p.Shot("dashboard-phone")
}
