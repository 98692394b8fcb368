package dashboard_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"damier/rules"
	"damier/web/dashboard"
	"damier/web/webtest"
)

// tab is the dashboard in a window of its own.
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

// games returns games a few plies old.
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

// The page shows a run, and goes on with it as it goes on: metrics, games, what the learner does.
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

	p.Script(`document.querySelector("#games").scrollIntoView()`) // games are looked at while they are seen
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
	run.Go(5, dashboard.Phase{}) // another run in its place
	p.Says("#now", "under way")
	p.Wait(`document.querySelector("#figures div:nth-child(2) .big").textContent === "26"`)
}

// The values of a chart are read by the pointer and by the keyboard, and stand in its table.
func TestDashboardCharts(t *testing.T) {
	run := &dashboard.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	loss := fmt.Sprintf(chart, 2)
	said := func() string {
		return eval[string](p, fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-valuetext")`, loss+".plot"))
	}
	last := said()
	p.Says(loss+".place", "gen. 114")
	p.Script(fmt.Sprintf(`document.querySelector(%q).focus()`, loss+".plot"))
	p.Drive(chromedp.KeyEvent(kb.Home))
	p.Says(loss+".place", "gen. 2 ")
	if first := said(); first == last {
		t.Errorf("the first point says %q as the last", first)
	}
	p.Drive(chromedp.KeyEvent(kb.ArrowRight))
	p.Says(loss+".place", "gen. 10 ")
	p.Says(loss+".legend", "0.962")
	p.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 1 && document.querySelector(%q).getAttribute("aria-valuenow") === "1"`, loss+".cursor line", loss+".plot"))
	p.Drive(chromedp.KeyEvent(kb.Escape))
	p.Says(loss+".place", "gen. 114")
	box := eval[[]float64](p, fmt.Sprintf(`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return [r.x, r.y + r.height / 2]})()`, loss+".plot"))
	p.Script(fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new PointerEvent("pointermove", {clientX: %f, clientY: %f}))`, loss+".plot", box[0]+50, box[1]))
	p.Says(loss+".place", "gen. 2 ")
	p.Script(fmt.Sprintf(`document.querySelector(%q).open = true`, loss+"details"))
	p.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === 15`, loss+"tbody tr"))
	p.Says(loss+"thead", "held-out games")
	p.Script(fmt.Sprintf(`document.querySelector(%q).open = true`, fmt.Sprintf(chart, 1)+"details"))
	p.Says(fmt.Sprintf(chart, 1)+"tbody", "alphabeta:depth=2 +")
	for axis, want := range map[string]string{"generation": "generation 2", "hours": " h", "rows": "rows", "cpu": "CPU-h"} {
		p.Choose("axis", axis)
		p.Says(loss+".place", want)
	}
	for language, want := range map[string]string{"fr": "Perte (nats)", "nl": "Verlies (nats)"} {
		p.Choose("language", language)
		p.Says(loss+"h3", want)
		p.Shot("dashboard-" + language)
	}

	// What the server refuses is said in the language of the page.
	p.Script(`document.querySelector("#fen").value = "W:W99:B1"; document.querySelector("#position").requestSubmit()`)
	for language, want := range map[string]string{
		"fr": "FEN, octet ", "nl": "FEN bij byte ", "en": "FEN at byte ",
	} {
		p.Choose("language", language)
		p.Says("#position-note", want)
	}
	if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 1280 {
		t.Errorf("the page is %d wide", wide)
	}
}

// If a second language is chosen while the texts of the first are on their way, the page speaks the
// second, also when they arrive.
func TestDashboardLateLanguage(t *testing.T) {
	p := openDashboard(t, &dashboard.RecordedRun{}, 1280, 1000)
	p.Script(`const get = window.fetch;
		window.fetch = (address, ...more) => String(address) !== "said/nl.json" ? get(address, ...more) :
			new Promise((answer) => (window.release = answer)).then(() => get(address, ...more)).finally(() => setTimeout(() => (window.late = true), 100))`)
	p.Choose("language", "nl")
	p.Wait("window.release !== undefined")
	p.Choose("language", "fr")
	p.Says(fmt.Sprintf(chart, 2)+"h3", "Perte (nats)")
	p.Script("window.release()")
	p.Wait("window.late")
	if lang := eval[string](p, "document.documentElement.lang"); lang != "fr" {
		t.Errorf("the page speaks %s, and French was chosen last", lang)
	}
	p.Says(fmt.Sprintf(chart, 2)+"h3", "Perte (nats)")
}

// The CSV file of a chart has every point, in numbers and under names that do not depend on the language of the page.
func TestDashboardCSV(t *testing.T) {
	run := &dashboard.RecordedRun{}
	p := openDashboard(t, run, 1280, 1000)
	folder := t.TempDir()
	if _, err := chromedp.CallBrowser(p.Ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
		BrowserContextID: chromedp.FromContext(p.Ctx).BrowserContextID,
	}); err != nil {
		t.Fatal(err)
	}
	saved := func(n int, name string) [][]string {
		t.Helper()
		p.Script(fmt.Sprintf(`document.querySelector(%q).click()`, fmt.Sprintf(chart, n)+".csv"))
		path := filepath.Join(folder, name)
		for range 200 {
			if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
				table, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				os.Remove(path)
				return table
			}
			time.Sleep(25 * time.Millisecond)
		}
		t.Fatalf("no file %s comes", name)
		return nil
	}
	loss := saved(2, "recorded-loss.csv")
	p.Choose("language", "fr")
	p.Says(fmt.Sprintf(chart, 2)+"h3", "Perte (nats)")
	if again := saved(2, "recorded-loss.csv"); !slices.EqualFunc(loss, again, slices.Equal) {
		t.Errorf("in French the file is another: %v", again[:2])
	}
	if want := []string{"Generation", "CPU-hours", "held-out games", "training", "by counting pieces"}; !slices.Equal(loss[0], want) || len(loss) != 16 {
		t.Errorf("%d lines under %q, want 16 under %q", len(loss), loss[0], want)
	}
	if want := []string{"2", "0.0190316375", "0.924989310801774", "0.8508309185896461", "0.9508025017785017"}; !slices.Equal(loss[1], want) {
		t.Errorf("the first line is %q, want %q", loss[1], want)
	}
	p.Choose("axis", "generation")
	elo := saved(1, "recorded-elo.csv")
	if want := []string{"Generation", "network", "network, low", "network, high", "Visits", "Matches"}; !slices.Equal(elo[0], want) || len(elo) != 4 {
		t.Errorf("%d lines under %q, want 4 under %q", len(elo), elo[0], want)
	}
	if last := elo[len(elo)-1]; !strings.Contains(last[5], "alphabeta:depth=2 +") || !strings.Contains(last[5], ", ") {
		t.Errorf("the matches are %q", last[5])
	}
}

// A chart without points says what fills it and when, or why nothing will.
func TestDashboardEmptyCharts(t *testing.T) {
	run := &dashboard.RecordedRun{Live: true, Every: "0", Networks: []int{}}
	run.Go(1, dashboard.Phase{Name: "playing", Done: 4096, Of: 8192})
	p := openDashboard(t, run, 1280, 1000)
	elo, length := fmt.Sprintf(chart, 1), fmt.Sprintf(chart, 4)
	p.Says(elo+".waits", "once, at the end of the run")
	p.Says(length+".waits", "The first ends when its rows are played and learnt. Now playing: 4,096 of 8,192 rows.")
	p.Says("#position-charts .waits", "The first is kept after the first generation")
	p.Wait(fmt.Sprintf(`document.querySelector(%q).offsetParent === null`, length+".csv"))
	p.Choose("language", "nl")
	p.Says(length+".waits", "Elke generatie voegt een punt toe")
	p.Shot("dashboard-waits")
	p.Choose("language", "en")
	run.Go(1, dashboard.Phase{Name: "training", Done: 10, Of: 128})
	p.Says(length+".waits", "Now learning: step 10 of 128.")
	run.Go(2, dashboard.Phase{})
	p.Wait(fmt.Sprintf(`document.querySelector(%q).textContent === "" && document.querySelector(%q).offsetParent !== null`, length+".waits", length+".csv"))
	if height := eval[float64](p, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().height`, length+".plot")); height < 100 {
		t.Errorf("the chart has points and is %g high", height)
	}

	run = &dashboard.RecordedRun{Live: true, Every: "20"}
	run.Go(1, dashboard.Phase{})
	p = openDashboard(t, run, 1280, 1000)
	p.Says(elo+".waits", "then every 20 minutes, after a generation, and at the end of the run. The first follow this generation.") // the start is long ago

	run = &dashboard.RecordedRun{Bare: true}
	p = openDashboard(t, run, 1280, 1000)
	p.Says(elo+".waits", "No opponent in the matches so far has an Elo")
	p.Wait(fmt.Sprintf(`document.querySelector(%q).textContent === ""`, length+".waits"))
}

// A position is asked about by its FEN or by a board; what is wrong with it is said.
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
	p.ReduceMotion() // the page goes to the answer at once, and what is clicked next does not slide away
	p.Drive(chromedp.Click(chromedp.CSS("#games .game:nth-child(2)")))
	p.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q && document.querySelector("#position-note").textContent === ""`, rules.International.FEN(games(rules.International, 2)[1].Position)))
	p.Drive(chromedp.Click(chromedp.CSS("#start")))
	p.Wait(fmt.Sprintf(`document.querySelector("#fen").value === %q`, rules.International.FEN(rules.International.Start())))
	p.Shot("dashboard-position")
}

// Of two questions the later one is answered, though the answer to the earlier one be later.
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
		setTimeout(() => (window.late = true), 50); // the page has done what it does with the answer
		return new Response(text, answer);
	}`)
	p.Script(`document.querySelector("#fen").value = "W:W28:B1"; document.querySelector("#position").requestSubmit()`)
	p.Script(`document.querySelector("#start").click()`)
	p.Wait(fmt.Sprintf(`window.release && document.querySelector("#fen").value === %q`, start))
	p.Script(`window.release()`)
	p.Wait(`window.late`)
	if got := eval[string](p, `document.querySelector("#fen").value`); got != start {
		t.Errorf("the page shows %s, which was asked before", got)
	}
	p.Says("#position-board", "9 legal moves")
}

// Every geometry has its boards: 8x8, 10x10, 12x12 and that of all squares.
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

// The page has no violation that axe finds, light and dark, with everything unfolded, and with nothing to show.
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
	p.Says("#charts .waits", "Matches against the ladder add points.")
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
