package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"damier/web"
)

// Before any script has run the board is there, empty, in the size that it will have.
func TestBoardBeforeScripts(t *testing.T) {
	p := openTab(t, web.Config{}, 1280, 900)
	size := `(() => {const r = document.querySelector("#board").getBoundingClientRect(); return [r.width, r.height]})()`
	laid := eval[[]float64](p, size)
	paint := eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
	t.Logf("first contentful paint after %.0f ms, the board laid out %.0f ms after the request", paint, eval[float64](p, `performance.now()`))
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.run(chromedp.Navigate(p.home), chromedp.WaitVisible("#board"))
	p.wait(`document.querySelector("#board.waiting")`)
	if empty := eval[[]float64](p, size); fmt.Sprint(empty) != fmt.Sprint(laid) {
		t.Errorf("the board is %v before the scripts and %v with them", empty, laid)
	}
	p.shot("waiting")
}
