package dashboard_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/web/dashboard"
	"damier/web/webtest"
)

// openRuns opens the dashboard of several runs.
func openRuns(t *testing.T, runs ...*dashboard.RecordedRun) *tab {
	t.Helper()
	webtest.NeedBrowser(t)
	var others []dashboard.Run
	for _, r := range runs[1:] {
		others = append(others, r)
	}
	d := dashboard.New(runs[0], dashboard.Config{Others: others})
	return &tab{webtest.OpenPage(t, d, func() {}, 1280, 1000)}
}

func count(p *tab, selector string) int {
	p.Helper()
	return eval[int](p, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// Several runs are laid over each other in every chart, each in its colour and with its letter; the
// reader chooses which, and which run the rest of the page is about.
func TestDashboardRuns(t *testing.T) {
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	short := &dashboard.RecordedRun{Name: "short", Networks: []int{7}}
	short.Go(12, dashboard.Phase{})
	foreign := &dashboard.RecordedRun{Name: "foreign", On: english}
	foreign.Play(games(english, 2)...)
	p := openRuns(t, &dashboard.RecordedRun{Name: "whole"}, short, foreign)
	value := fmt.Sprintf(chart, 2)
	p.Wait(fmt.Sprintf("document.querySelectorAll(%q).length === 6", value+".line[class*=' r']")) // 3 series of 2 runs
	if r0, r1 := count(p, value+".line.r0"), count(p, value+".line.r1"); r0 != 3 || r1 != 3 {
		t.Errorf("%d and %d lines of the runs, want 3 each", r0, r1)
	}
	if got := eval[string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent).sort().join("")`, value+".letter")); got != "AAABBB" {
		t.Errorf("letters %q at the ends of the lines", got)
	}
	colours := eval[[]string](p, fmt.Sprintf(`["r0", "r1"].map((r) => getComputedStyle(document.querySelector(%q + r)).stroke)`, value+".line."))
	if colours[0] == colours[1] {
		t.Errorf("both runs have the colour %s", colours[0])
	}
	p.Says("#runs", "whole")
	p.Says("#runs", "English")
	if eval[bool](p, `document.querySelector("#runs [data-run='2']").checked`) {
		t.Error("a run of another variant is laid over the others by itself")
	}

	// The values of all runs at the chosen place are in the legend and are said.
	p.Script(fmt.Sprintf(`document.querySelector(%q).focus()`, value+".plot"))
	p.Drive(chromedp.KeyEvent(kb.Home))
	p.Says(value+".legend", "A 0.925")
	p.Says(value+".legend", "B 0.925")
	p.Wait(fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-valuetext").includes("held-out games, short: 0.925")`, value+".plot"))
	p.Drive(chromedp.KeyEvent(kb.End)) // the other run has not come so far
	p.Says(value+".legend", "B –")
	p.Drive(chromedp.KeyEvent(kb.Escape))
	p.Script(fmt.Sprintf(`document.querySelector(%q).open = true`, value+"details"))
	p.Says(value+"thead", "Run")
	p.Says(value+"tbody", "short")
	p.Accessible("runs")
	p.Shot("dashboard-runs")

	p.Script(`document.querySelector("#runs [data-run='1']").click()`)
	p.Wait(fmt.Sprintf("document.querySelectorAll(%q).length === 0 && document.querySelectorAll(%q).length === 3", value+".line[class*=' r']", value+".plot .line"))
	p.Script(`document.querySelector("#runs [data-run='2']").click()`)
	p.Wait(fmt.Sprintf("document.querySelectorAll(%q).length === 3", value+".line.r1"))

	// The rest of the page follows the choice.
	p.Choose("run", "2")
	p.Says("#title", "foreign · English")
	p.Wait(`document.querySelectorAll("#games .game").length === 2`)
	p.Says("#position-board", "7 legal moves")
	p.Choose("run", "1")
	p.Says("#title", "short")
	p.Says("#network-name", "gen-000007.nnue")
	p.Wait(`document.querySelector("#figures div:nth-child(2) .big").textContent === "64"`)
	p.Choose("language", "nl")
	p.Says("#runs-box", "Deze pagina gaat over de training")
}

// At most seven runs are drawn; another one takes the place of one that is taken away.
func TestDashboardManyRuns(t *testing.T) {
	var runs []*dashboard.RecordedRun
	for i := range 9 {
		run := &dashboard.RecordedRun{Name: fmt.Sprint("run ", i)}
		run.Go(12, dashboard.Phase{})
		runs = append(runs, run)
	}
	p := openRuns(t, runs...)
	length := fmt.Sprintf(chart, 4)
	p.Wait(fmt.Sprintf("document.querySelectorAll(%q).length === 7", length+".line[class*=' r']"))
	p.Says("#runs-note", "7 runs at most")
	drawn := func() string {
		return eval[string](p, `[...document.querySelectorAll("#runs li")].map((e) => e.querySelector(".swatch").textContent || "-").join("")`)
	}
	if got := drawn(); got != "ABCDEFG--" {
		t.Errorf("letters %s", got)
	}
	p.Script(`document.querySelector("#runs [data-run='2']").click()`)
	p.Script(`document.querySelector("#runs [data-run='8']").click()`)
	p.Wait(fmt.Sprintf("document.querySelectorAll(%q).length === 7", length+".line[class*=' r']"))
	if got := drawn(); got != "AB-DEFG-C" {
		t.Errorf("letters %s", got)
	}
	p.Choose("run", "7") // not drawn, and no slot is free: it takes that of the run shown before
	p.Says("#title", "run 7")
	if got := drawn(); got != "-B-DEFGAC" {
		t.Errorf("letters %s", got)
	}
}

// Lines are smoothed as the slider says; what was measured stays visible, and the table and the file
// keep it.
func TestDashboardSmoothing(t *testing.T) {
	p := openDashboard(t, &dashboard.RecordedRun{}, 1280, 1000)
	// The slow twin: the mean of all values so far, each with weight^age.
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	for _, weight := range []float64{0, 0.5, 0.99} {
		got := awaited[[]float64](p, fmt.Sprintf(`import("/chart.js").then(({ smoothed }) => smoothed([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], %g))`, weight))
		for i := range values {
			sum, of := 0.0, 0.0
			for k := range i + 1 {
				w := math.Pow(weight, float64(i-k))
				sum, of = sum+w*values[k], of+w
			}
			if math.Abs(got[i]-sum/of) > 1e-9 {
				t.Errorf("weight %g: value %d is %g, want %g", weight, i, got[i], sum/of)
			}
		}
	}
	simulations := fmt.Sprintf(chart, 6)
	path := func(kind string) string {
		return eval[string](p, fmt.Sprintf(`document.querySelector(%q)?.getAttribute("d") ?? ""`, simulations+".plot "+kind))
	}
	before := path(".line.s0")
	slide := func(to string) {
		p.Script(fmt.Sprintf(`const e = document.querySelector("#smoothing"); e.value = %q; e.dispatchEvent(new Event("input"))`, to))
	}
	slide("80")
	p.Says("#smoothed", "80%")
	if raw := path(".line.raw"); raw != before {
		t.Errorf("the measured line is %q, want %q", raw, before)
	}
	if now := path("g > .line:not(.raw)"); now == before || now == "" {
		t.Errorf("the smoothed line is %q", now)
	}
	if n := count(p, fmt.Sprintf(chart, 10)+".raw"); n != 0 {
		t.Error("the number of generations is smoothed")
	}
	p.Accessible("smoothed")
	p.Shot("dashboard-smoothed")
	slide("0")
	if path(".line.s0") != before || count(p, ".raw") != 0 {
		t.Error("without smoothing the line is another than before")
	}
}

const (
	mouseMoved    = input.DispatchMouseEventTypeMouseMoved
	mousePressed  = input.DispatchMouseEventTypeMousePressed
	mouseReleased = input.DispatchMouseEventTypeMouseReleased
)

// mouse sends mouse events, as the browser has them from a person.
func mouse(p *tab, kind input.DispatchMouseEventType, x, y float64, clicks int64) {
	p.Helper()
	e := input.DispatchMouseEventParams{Type: kind, X: x, Y: y}
	if kind != mouseMoved || clicks > 0 {
		e.Button, e.Buttons, e.ClickCount = input.MouseButtonLeft, 1, clicks
	}
	if _, err := chromedp.Call(p.Ctx, input.DispatchMouseEvent, e); err != nil {
		p.Fatal(err)
	}
}

// A part of the axis is shown alone in all charts: what is dragged over, or what keys and buttons
// ask for.
func TestDashboardZoom(t *testing.T) {
	p := openDashboard(t, &dashboard.RecordedRun{}, 1280, 1000)
	loss, results := fmt.Sprintf(chart, 2), fmt.Sprintf(chart, 3)
	ticks := func(chart string) string {
		return eval[string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((e) => e.getAttribute("text-anchor") !== "start").map((e) => e.textContent).join(" ")`, chart+".tick"))
	}
	drawn := func() int { return count(p, loss+".dot.s0") }
	whole, all := ticks(loss), drawn()
	if !eval[bool](p, `document.querySelector("#whole").hidden`) {
		t.Error("the page begins with a part of the axis")
	}
	p.Script(fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ block: "center" })`, loss+".plot"))
	box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width]})()`, loss+".plot"))
	from, to := box[0]+0.4*box[2], box[0]+0.7*box[2]
	mouse(p, mousePressed, from, box[1], 1)
	mouse(p, mouseMoved, (from+to)/2, box[1], 1)
	p.Wait(fmt.Sprintf(`Number(document.querySelector(%q).getAttribute("width")) > 20`, loss+".selection"))
	mouse(p, mouseMoved, to, box[1], 1)
	mouse(p, mouseReleased, to, box[1], 1)
	p.Wait(`!document.querySelector("#whole").hidden`)
	if now := ticks(loss); now == whole || drawn() >= all {
		t.Errorf("ticks %s, %d points of %d", now, drawn(), all)
	}
	if across := eval[[]float64](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => Number(e.getAttribute("x2")) - Number(e.getAttribute("x1")))`, loss+".selection")); len(across) != 1 {
		t.Error("there is more than one selection")
	}
	p.Shot("dashboard-zoom")
	zoomed := ticks(results)
	mouse(p, mousePressed, from, box[1], 1)
	mouse(p, mouseReleased, from, box[1], 1)
	mouse(p, mousePressed, from, box[1], 2)
	mouse(p, mouseReleased, from, box[1], 2)
	p.Wait(`document.querySelector("#whole").hidden`)
	if now := ticks(loss); now != whole || ticks(results) == zoomed {
		t.Errorf("after a double click the ticks are %s, want %s", now, whole)
	}

	// The keyboard: around the chosen point, then along, then everything again.
	p.Script(fmt.Sprintf(`document.querySelector(%q).focus()`, loss+".plot"))
	p.Drive(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	p.Wait(`!document.querySelector("#whole").hidden`)
	near := ticks(loss)
	p.Drive(chromedp.KeyEvent(kb.End))
	p.Says(loss+".place", "gen. 114")
	if ticks(loss) == near {
		t.Error("the part of the axis does not follow the chosen point")
	}
	p.Drive(chromedp.KeyEvent("-"), chromedp.KeyEvent("-"))
	p.Wait(`document.querySelector("#whole").hidden`)
	p.Drive(chromedp.KeyEvent("+"), chromedp.KeyEvent(kb.Escape))
	p.Wait(`document.querySelector("#whole").hidden`)
	p.Script(`document.querySelector("#closer").click()`)
	p.Wait(`!document.querySelector("#whole").hidden`)
	p.Accessible("zoomed")
	p.Choose("axis", "games") // the part was of another axis
	p.Wait(`document.querySelector("#whole").hidden`)
	p.Says(loss+".place", "games")
	p.Script(`document.querySelector("#closer").click(); document.querySelector("#whole").click()`)
	p.Wait(`document.querySelector("#whole").hidden && document.activeElement.id === "closer"`)
}

// A network of any generation is downloaded, with its name and its hash, or played with by the
// command that the page gives.
func TestDashboardNetworks(t *testing.T) {
	run := &dashboard.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	p.Says("#network-name", "gen-000120.nnue")
	p.Says("#network", "generation 52, Elo")
	p.Choose("network", "26")
	p.Says("#network-name", "gen-000026.nnue")
	p.Says("#network-hash", "9a734570ffd085")
	got := awaited[string](p, `fetch(document.querySelector("#network-file").href).then((a) => a.text())`)
	if want := "network of generation 26"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if name := eval[string](p, `document.querySelector("#network-file").download`); name != "gen-000026.nnue" {
		t.Errorf("it is saved as %q", name)
	}
	if play := eval[string](p, `document.querySelector("#network-play").value`); play != "play --model runs/recorded/models/gen-000026.nnue" {
		t.Errorf("the command is %q", play)
	}
	p.Script(`document.querySelector("#network-copy").click()`)
	p.Wait(`document.querySelector("#network-copied").textContent.startsWith("The command is ")`)
	p.Choose("language", "fr")
	p.Says("#network-file", "Télécharger")
	p.Choose("language", "nl")
	p.Says("#network-file", "Downloaden")
	p.Says("#network", "generatie 52, Elo")
	if chosen := eval[string](p, `document.querySelector("#network").value`); chosen != "26" {
		t.Errorf("in another language the network is that of generation %s", chosen)
	}
	p.Script(`document.querySelector("#networks").scrollIntoView()`)
	p.Accessible("networks")
	p.Shot("dashboard-networks")

	gone := openDashboard(t, &dashboard.RecordedRun{Networks: []int{12, 13}}, 800, 600)
	gone.Says("#problem", "has not kept the network of generation 13")
	gone.Choose("network", "12")
	gone.Says("#network-name", "gen-000012")
	gone.Choose("network", "13")
	gone.Says("#network-problem", "has not kept")

	none := openDashboard(t, &dashboard.RecordedRun{Networks: []int{}}, 800, 600)
	none.Says("#network-none", "has kept no network")
	if !strings.Contains(eval[string](none, `getComputedStyle(document.querySelector("#network-box")).display`), "none") {
		t.Error("without a network there is one to download")
	}
}
