package dashboard_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"damier/web/dashboard"
)

// foreseen is what forecast.js returns; a number that is not there is NaN.
type foreseen struct {
	State     string
	Left, Due *float64
	Limit     struct{ Kind string }
	Last      bool
}

// awaited returns the value that a promise in the page gives.
func awaited[T any](p *tab, promise string) T {
	p.Helper()
	v, err := chromedp.Run(p.Ctx, chromedp.Evaluate[T](promise, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", promise, err)
	}
	return v
}

// The time left and the next measurement, for a run of 20 generations in two hours on two cores,
// last heard of a minute ago.
func TestForecast(t *testing.T) {
	p := openDashboard(t, &dashboard.RecordedRun{}, 800, 600)
	type set = map[string]string
	const none = -1
	for i, c := range []struct {
		set         set
		stop        string // message of its end
		evaluated   float64
		silent      float64 // hours without news
		state       string
		left        float64 // seconds
		kind        string
		due         float64
		last        bool
		live, fresh bool
	}{
		{set: set{"minutes": "180"}, state: "running", left: 3540, kind: "minutes", due: none},
		{set: set{"cpu_minutes": "360"}, state: "running", left: 3540, kind: "cpu", due: none},
		{set: set{"generations": "30"}, state: "running", left: 3540, kind: "generations", due: none},
		{set: set{"minutes": "150", "cpu_minutes": "360", "generations": "30"}, state: "running", left: 1740, kind: "minutes", due: none},
		{set: set{"minutes": "0", "cpu_minutes": "0", "generations": "0"}, state: "running", left: none, due: none},
		{set: set{"minutes": "100"}, state: "running", left: 0, kind: "minutes", due: none},
		// Due for long: after the generation under way, which began a minute ago.
		{set: set{"evaluation.every": "30"}, state: "running", left: none, due: 300},
		// The first is due after a fifth of the period, later ones when the run is twice as old, or after the period.
		{set: set{"evaluation.every": "610"}, state: "running", left: none, due: 300},
		{set: set{"evaluation.every": "700"}, state: "running", left: none, due: 1380},
		{set: set{"evaluation.every": "180"}, evaluated: 1.25, state: "running", left: none, due: 1740},
		{set: set{"evaluation.every": "30"}, evaluated: 1.9, state: "running", left: none, due: 1380},
		{set: set{"evaluation.every": "30"}, evaluated: 1.91, state: "running", left: none, due: 1740},
		{set: set{"evaluation.every": "30", "minutes": "130"}, evaluated: 1.91, state: "running", left: 540, kind: "minutes", due: 540, last: true},
		{set: set{"evaluation.every": "0", "minutes": "180"}, state: "running", left: 3540, kind: "minutes", due: 3540, last: true},
		{set: set{"minutes": "180"}, stop: "interrupted", state: "paused", left: 3600, kind: "minutes", due: none},
		{set: set{"minutes": "180"}, stop: "finished", state: "over", left: none, due: none},
		{set: set{"minutes": "999"}, silent: 2, state: "silent", left: none, due: none},
		{set: set{"minutes": "999"}, silent: 2, live: true, state: "running", left: 999*60 - 14400, kind: "minutes", due: none},
		{fresh: true, state: "new", left: none, due: none},
	} {
		event, at := "generation", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if c.stop != "" {
			event = "stop"
		}
		since := time.Minute
		if c.silent > 0 {
			since = time.Duration(c.silent * float64(time.Hour))
		}
		row := func(generation int, hours float64) map[string]any {
			return map[string]any{"generation": generation, "hours": hours, "cpu": 2 * hours}
		}
		evaluations := []any{}
		if c.evaluated > 0 {
			evaluations = append(evaluations, row(19, c.evaluated))
		}
		last := any(map[string]any{"event": event, "message": c.stop, "time": at, "seconds": 7200, "cpu_hours": 4, "generation": 20})
		if c.fresh {
			last = nil
		}
		text, err := json.Marshal(map[string]any{
			"last": last, "generations": []any{row(10, 1), row(20, 2)}, "evaluations": evaluations,
			"now": at.Add(since).UnixMilli(), "live": c.live, "set": c.set,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := awaited[foreseen](p, fmt.Sprintf(`import("/forecast.js").then(({ forecast }) => {
			const o = %s;
			return { Limit: {}, ...forecast({ ...o, setting: (key) => o.set?.[key] }) };
		})`, text))
		seconds := func(v *float64) float64 {
			if v == nil {
				return none
			}
			return *v
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 0.5 }
		if got.State != c.state || got.Limit.Kind != c.kind || got.Last != c.last ||
			!near(seconds(got.Left), c.left) || !near(seconds(got.Due), c.due) {
			t.Errorf("case %d: %s, left %g by %s, due %g, last %t; want %+v",
				i, got.State, seconds(got.Left), got.Limit.Kind, seconds(got.Due), got.Last, c)
		}
	}
}

// clockOf returns the seconds of a duration as the page writes it, -1 for none.
func clockOf(text string) float64 {
	m := regexp.MustCompile(`^(\d+):(\d\d):(\d\d)$`).FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	sum := 0.0
	for _, part := range m[1:] {
		n, _ := strconv.Atoi(part)
		sum = 60*sum + float64(n)
	}
	return sum
}

// The page shows the time left and the next measurement, and they get shorter while it looks on.
func TestDashboardTimeLeft(t *testing.T) {
	run := &dashboard.RecordedRun{Live: true, Since: time.Minute, Every: "20", Set: []dashboard.Setting{{Key: "minutes", Value: "60"}}}
	run.Go(11, dashboard.Phase{Name: "playing", Done: 1, Of: 2})
	p := openDashboard(t, run, 1280, 900)
	left, next := `[data-figure="d.figure.left"] `, `[data-figure="d.figure.next"] `
	p.Says(left+".quiet", "limit: 60 minutes")
	p.Says(next+".quiet", "every 20 minutes")
	// 1283 s of the clock at the last event, a minute ago; the last evaluation ended at 1106 s, so
	// the next is due 1106 s later, and a generation takes 22 s.
	first := clockOf(p.Text(left + ".big"))
	if first < 2256-90 || first > 2257 {
		t.Errorf("%g seconds are left, want about 2256", first)
	}
	if due := clockOf(p.Text(next + ".big")); due < 869-90 || due > 892 {
		t.Errorf("the next measurement comes in %g seconds, want about 869", due)
	}
	p.Wait(fmt.Sprintf(`document.querySelector(%q).textContent !== %q`, left+".big", p.Text(left+".big")))
	if now := clockOf(p.Text(left + ".big")); now >= first || now < 0 {
		t.Errorf("%g seconds are left after %g", now, first)
	}
	for _, c := range []struct{ language, limit, visits string }{
		{"fr", "limite : 60 minutes", "64 visites"}, {"nl", "grens: 60 minuten", "64 bezoeken"},
		{"en", "limit: 60 minutes", "64 visits"},
	} {
		p.Choose("language", c.language)
		p.Says(left+".quiet", c.limit)
		p.Says(`[data-figure="d.figure.sims"] .quiet`, c.visits) // of metrics of an earlier version
		if eval[bool](p, `document.body.innerText.includes("NaN")`) {
			t.Errorf("%s: the page shows NaN", c.language)
		}
	}
	run.Go(20, dashboard.Phase{})
	p.Says(left+".quiet", "finished")
	p.Wait(fmt.Sprintf(`document.querySelector(%q).textContent === "–"`, next+".big"))
}
