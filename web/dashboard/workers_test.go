package dashboard_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"damier/web/dashboard"
	"damier/web/webtest"
)

// joinedRun is a run with remote workers.
type joinedRun struct {
	*dashboard.RecordedRun
	workers *dashboard.Workers
}

func (j joinedRun) Workers() *dashboard.Workers { return j.workers }

// The page shows the remote workers of a run, and no such part if none can join it.
func TestDashboardWorkers(t *testing.T) {
	webtest.NeedBrowser(t)
	run := &dashboard.RecordedRun{Live: true}
	run.Go(11, dashboard.Phase{Name: "playing", Done: 4096, Of: 8192})
	alone := httptest.NewRecorder()
	dashboard.New(run, dashboard.Config{}).ServeHTTP(alone, httptest.NewRequest("GET", "http://127.0.0.1/api/events", nil))
	if alone.Code != 200 || !strings.Contains(alone.Body.String(), `"workers":null`) {
		t.Errorf("%d: %.300s", alone.Code, alone.Body)
	}
	j := joinedRun{run, &dashboard.Workers{
		Accepted: 12345, Refused: 67, PerMinute: 890, Backlog: 2, Present: 1, Barred: 1,
		List: []dashboard.Worker{
			{Name: "anna_1", Host: "<b>attic</b>", Generation: 11, PerMinute: 320.5, Accepted: 12000, Lag: 0.25},
			{Name: "w2", Host: "cellar", Accepted: 345, Refused: 67, Gone: true},
		},
	}}
	p := webtest.OpenPage(t, dashboard.New(j, dashboard.Config{}), func() {}, 1280, 1000)
	p.Says("#workers-note", "Workers: 1. Games a minute: 890; accepted: 12,345; refused: 67. Messages that wait: 2. Barred: 1.")
	p.Wait(`document.querySelectorAll("#workers tbody tr").length === 2`)
	if text := p.Text("#workers tbody"); !strings.Contains(text, "<b>attic</b>") || !strings.Contains(text, "0.25 s") || !strings.Contains(text, "gone") {
		t.Error(text)
	}
}
