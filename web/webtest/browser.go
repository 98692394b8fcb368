package webtest

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// findBrowser returns the path of a Chromium, "" if there is none.
func findBrowser() string {
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// browser is the browser that all tests of a package share; stopBrowser is nil until it is
// started. Tests of pages run in parallel, because they mostly wait. beside holds the names of the
// tests that have called t.Parallel.
var (
	browser     context.Context
	stopBrowser func()
	startOnce   sync.Once
	beside      sync.Map
)

func startBrowser(t *testing.T) {
	startOnce.Do(func() {
		// Without a graphics processor its replacement in software only costs time.
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(findBrowser()), chromedp.NoSandbox, chromedp.DisableGPU)
		allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocated)
		stopBrowser = func() { cancel(); stop() }
		if err := chromedp.Do(ctx); err != nil {
			t.Fatalf("the browser does not start: %v", err)
		}
		browser = ctx
	})
	if browser == nil {
		t.Fatal("the browser did not start")
	}
}

// Main runs the tests of a package with pages and stops the browser. Call it from TestMain.
func Main(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked { // pages wait more than they compute
		if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	closeWindows()
	if stopBrowser != nil {
		stopBrowser()
	}
	os.Exit(code)
}

// Tab is a page in its own window. An error or an exception of its scripts fails the test.
type Tab struct {
	*testing.T
	Ctx  context.Context
	Home string // the server's address
}

// NeedBrowser starts the browser and makes the test parallel. Without a browser the test is
// skipped, or fails if DAMIER_BROWSER=required.
func NeedBrowser(t *testing.T) {
	t.Helper()
	if findBrowser() == "" {
		if os.Getenv("DAMIER_BROWSER") == "required" {
			t.Fatal("no Chromium found, and DAMIER_BROWSER=required")
		}
		t.Skip("no Chromium in PATH, so the page is not tested; apt-get install chromium")
	}
	if _, does := beside.LoadOrStore(t.Name(), true); !does && os.Getenv("DAMIER_MEASURE") == "" {
		t.Parallel()
		t.Cleanup(func() { beside.Delete(t.Name()) })
	}
	startBrowser(t)
}

// OpenPage opens the page of a handler in a tab. The tab is like a new one, because it has no
// storage, no cookies and no emulation left of an earlier test. When the test ends it leaves the
// page and calls end, which must end the event streams.
func OpenPage(
	t *testing.T, handler http.Handler, end func(), width, height int64,
	options ...chromedp.EmulateViewportOption,
) *Tab {
	t.Helper()
	w := takeWindow(t)
	w.handler.Store(&handler)
	ctx, cancel := context.WithCancel(w.ctx)
	messages := chromedp.Console(ctx)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for m, err := range messages {
			if err != nil {
				return
			}
			// The browser logs a refused request as a resource that failed to load; that is no
			// error here.
			refused := strings.Contains(m.Text, "Failed to load resource")
			if m.Type == chromedp.ConsoleException || m.Type == "error" && !refused {
				t.Errorf("the page's console has an error: %s %s", m.Type, m.Text)
			}
		}
	}()
	t.Cleanup(func() {
		clean := !t.Failed() && os.Getenv("DAMIER_MEASURE") == "" && w.clean()
		cancel()
		<-read
		end()
		w.giveBack(clean)
	})
	p := &Tab{t, w.ctx, w.server.URL}
	p.Drive(
		chromedp.EmulateViewport(width, height, options...),
		chromedp.Navigate(p.Home),
		chromedp.WaitVisible(`body[data-ready="true"]`),
	)
	return p
}

// Beside opens an address of the same server in another tab, with its own storage and cookies,
// like a person who received a link.
func (p *Tab) Beside(address string) *Tab {
	p.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	p.Cleanup(cancel)
	o := &Tab{p.T, ctx, p.Home}
	if err := chromedp.Do(ctx); err != nil {
		p.Fatal(err)
	}
	o.Drive(chromedp.Navigate(address), chromedp.WaitVisible(`body[data-ready="true"]`))
	return o
}

// Drive runs actions in the page, with a time limit of 90 seconds.
func (p *Tab) Drive(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Ctx, 90*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatalf("in the browser: %v", err)
	}
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](p *Tab, expression string) T {
	p.Helper()
	value, err := chromedp.Run(p.Ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Script runs JavaScript statements.
func (p *Tab) Script(statements string) {
	p.Helper()
	Eval[bool](p, "(() => {"+statements+"; return true})()")
}

// waitInPage is a promise of whether an expression has become true within a second. The page itself
// looks again and again, because a request of the browser for each look costs a millisecond.
const waitInPage = `new Promise((done, fail) => {
	const end = performance.now() + 1000;
	const look = () => {
		try {
			if (%s) done(true);
			else if (performance.now() > end) done(false);
			else setTimeout(look, 10);
		} catch (e) { fail(e); }
	};
	look();
})`

// Wait waits until a JavaScript expression is true, at most 60 seconds.
func (p *Tab) Wait(expression string) {
	p.Helper()
	if !p.becomes(expression, time.Minute) {
		p.Shot("failed-" + strings.ReplaceAll(p.Name(), "/", "-"))
		p.Fatalf("never true: %s\nthe page is %s", expression, p.shows("body"))
	}
}

// becomes waits until a JavaScript expression is true, and returns false if it still is not after
// the given time.
func (p *Tab) becomes(expression string, most time.Duration) bool {
	p.Helper()
	end := time.Now().Add(most)
	promise := fmt.Sprintf(waitInPage, expression)
	for {
		is, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err != nil && !isLeft(err) {
			p.Fatalf("%s: %v", expression, err)
		}
		if is {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		// A page that is left, or whose scripts are disabled, does not keep the promise; then it is
		// asked again. An error of the expression itself comes again when it is asked directly.
		ctx, cancel := context.WithTimeout(p.Ctx, 3*time.Second)
		kept, err := chromedp.Run(ctx, chromedp.Evaluate[bool](promise, chromedp.EvalAwaitPromise))
		cancel()
		if err == nil && kept {
			return true
		}
		if err != nil {
			time.Sleep(15 * time.Millisecond)
		}
	}
}

// isLeft returns whether the browser did not answer because the tab goes to another page, or loads
// this one again.
func isLeft(err error) bool {
	var e *cdproto.Error
	return errors.As(err, &e) && e.Code == -32000
}

// Reload loads the page again and waits until it is ready.
func (p *Tab) Reload() {
	p.Helper()
	p.Drive(chromedp.Reload(), chromedp.WaitVisible(`body[data-ready="true"]`))
}

// Says waits until the text of an element contains part, at most 60 seconds.
func (p *Tab) Says(selector, part string) {
	p.Helper()
	if wrong := p.says(selector, part, time.Minute); wrong != "" {
		p.Shot("failed-" + strings.ReplaceAll(p.Name(), "/", "-"))
		p.Fatalf("%s\nthe page is %s", wrong, p.shows("body"))
	}
}

// says waits until the text of an element contains part. It returns what the element shows instead
// if it does not within the given time, otherwise "".
func (p *Tab) says(selector, part string, most time.Duration) string {
	p.Helper()
	contains := fmt.Sprintf("document.querySelector(%q)?.textContent.includes(%q)", selector, part)
	if p.becomes(contains, most) {
		return ""
	}
	return fmt.Sprintf("%s never said %q; it is %s", selector, part, p.shows(selector))
}

// shows describes an element for a failed wait: its text with each run of spaces as one, and
// whether it is hidden or missing.
func (p *Tab) shows(selector string) string {
	p.Helper()
	return Eval[string](p, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		if (!e) return "not in the page " + location.href;
		const text = (e === document.body ? e.innerText : e.textContent).replace(/\s+/g, " ").trim();
		const cut = text.length > 2000 ? text.slice(0, 2000) + "…" : text;
		return (e.checkVisibility() ? "" : "hidden, ") + JSON.stringify(cut);
	})()`, selector))
}

// Text returns the text of an element.
func (p *Tab) Text(selector string) string {
	p.Helper()
	return Eval[string](p, fmt.Sprintf(`document.querySelector(%q)?.textContent.trim() ?? ""`, selector))
}

// Choose selects an option of a select element, like a person.
func (p *Tab) Choose(id, value string) {
	p.Helper()
	p.Script(fmt.Sprintf(`const e = document.getElementById(%q);
		if (![...e.options].some((o) => o.value === %q)) throw new Error("no such option");
		e.value = %q;
		e.dispatchEvent(new Event("change"))`, id, value, value))
}

// Square is the selector of a square's button, a format with the square's number.
const Square = `button[data-square="%d"]`

// Click clicks squares of the board one after the other.
func (p *Tab) Click(squares ...int) {
	p.Helper()
	for _, n := range squares {
		p.Drive(chromedp.Click(chromedp.CSS(fmt.Sprintf(Square, n))))
	}
}

// Shot writes a screenshot to the folder that DAMIER_SHOTS names, if any.
func (p *Tab) Shot(name string) {
	p.Helper()
	dir := os.Getenv("DAMIER_SHOTS")
	if dir == "" {
		return
	}
	time.Sleep(300 * time.Millisecond)
	picture, err := chromedp.Run(p.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}

// axe is the accessibility checker axe-core (MPL 2.0, testdata/axe/LICENSE). Only tests contain
// it.
//
//go:embed testdata/axe/axe.min.js
var axe string

// Only violations are asked for, because axe otherwise also describes every element that it finds
// in order.
const (
	onlyViolations = `{resultTypes: ["violations"]}`
	violations     = `axe.run(%s).then((r) => r.violations.flatMap((v) => v.nodes.map((n) =>
	v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.failureSummary)))`
)

// Accessible fails the test for every violation that axe finds in the page's present state.
func (p *Tab) Accessible(name string) {
	p.Helper()
	for _, v := range p.violations(onlyViolations) {
		p.Errorf("%s: %s", name, v)
	}
}

// violations returns the violations that axe finds with the given options.
func (p *Tab) violations(options string) []string {
	p.Helper()
	if !Eval[bool](p, "Boolean(window.axe)") {
		Eval[bool](p, axe+"; true")
	}
	run := fmt.Sprintf(violations, options)
	found, err := chromedp.Run(p.Ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatal(err)
	}
	return found
}

// ReduceMotion makes the browser report the preference for reduced motion.
func (p *Tab) ReduceMotion() {
	p.Helper()
	if _, err := chromedp.Call(p.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	}); err != nil {
		p.Fatal(err)
	}
}
