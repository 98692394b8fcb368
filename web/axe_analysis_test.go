package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"damier/web"
)

// What belongs to the analysis has no violation that axe finds: variations and a reviewed game with the threat, while
// it is searched and after, and the editor with a bad position; in light and dark.
func TestAccessibilityOfAnalysis(t *testing.T) {
	p := openTab(t, web.Config{}, 1280, 1000)
	eval[bool](p, axe+"; true")
	check := func(name string) {
		t.Helper()
		for _, theme := range []string{"light", "dark"} {
			p.choose("set-theme", theme)
			found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run().then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range found {
				t.Errorf("%s, %s: %s", name, theme, v)
			}
		}
	}
	p.load("1. 32-28 $1 {good} (1. 33-28 $6 {slower} 18-23 (1... 19-23 2. 28x19)) 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-22 17x28 *")
	p.wait(`document.querySelectorAll("#moves button").length === 14`)
	check("variations")
	p.do(`document.querySelector("#threats").click(); document.querySelector("#review").click(); for (const d of document.querySelectorAll("details")) d.open = true`)
	p.says("#review-note", "11 positions have been searched.")
	p.clickOn("#faults button")
	p.wait(`document.querySelector("#moves [aria-current='true']").textContent.startsWith("28-22")`)
	p.clickOn("#previous")
	p.says("#threat", "hreat")
	check("a review")
	p.do(`document.querySelector("#edit").click()`)
	p.wait(`!document.querySelector("#editor").hidden`)
	p.clickOn("#edit-clear")
	p.click(3)
	p.says("#edit-faults", "promotion row")
	check("the editor")
}
