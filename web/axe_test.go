package web_test

import (
	_ "embed"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is the accessibility checker axe-core (MPL 2.0, testdata/axe/LICENSE); it is part of the tests only.
//
//go:embed testdata/axe/axe.min.js
var axe string

// The page has no violation that axe finds: in light and dark, with a game, an analysis and everything unfolded, and
// with a dialog open.
func TestAccessibility(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
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
	check("the start")
	p.do(`document.querySelector("#analyse").click(); for (const d of document.querySelectorAll("details")) d.open = true`)
	p.wait(`document.querySelectorAll("#top-moves tr").length > 0`)
	p.click(32)
	p.says("#status", "From 32")
	check("an analysis")
	p.choose("set-theme", "dark")
	check("dark")
	p.choose("set-theme", "light")
	p.click(28)
	p.says("#moves", "32-28")
	check("a game")
	p.begin("english", "person", "person")
	p.setUp(diamond)
	p.click(26, 10)
	p.wait(`document.querySelector("#choose").open`)
	check("a dialog")
}
