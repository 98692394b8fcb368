package dashboard_test

import (
	"testing"

	"damier/rules"
	"damier/web/dashboard"
	"damier/web/webtest"
)

// TestPictures draws the pictures of docs/dashboard.md, light and dark, of a recorded run; see the
// test of the same name in web/board.
func TestPictures(t *testing.T) {
	webtest.NeedPictures(t)
	run := &dashboard.RecordedRun{Live: true}
	run.Play(games(rules.International, 8)...)
	p := openDashboard(t, run, 1280, 800)
	p.Wait(`document.querySelectorAll("#games .game").length > 0 && document.querySelectorAll("#charts .chart").length > 3`)
	for theme, end := range map[string]string{"light": "", "dark": "-dark"} {
		p.Choose("theme", theme)
		p.Picture("dashboard-view" + end)
	}
}
