package web_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"damier/web"
)

// findBrowser returns a Chromium to drive, "" if there is none.
func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// browser is the one that all tests of the package share; stopBrowser is nil until it is started. Tests of pages run
// beside each other, for most of their time is waiting; beside holds those that do already.
var (
	browser     context.Context
	stopBrowser func()
	startOnce   sync.Once
	beside      sync.Map
)

func startBrowser(t *testing.T) {
	startOnce.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(findBrowser()), chromedp.NoSandbox)
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

func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked { // pages wait more than they compute
		if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if stopBrowser != nil {
		stopBrowser()
	}
	os.Exit(code)
}

// tab is a page of the board in a window of its own. What its scripts complain of fails the test.
type tab struct {
	*testing.T
	ctx  context.Context
	home string
}

// openTab serves a board and opens it in a new tab.
func openTab(t *testing.T, c web.Config, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	needBrowser(t)
	s := web.New(c)
	return openPage(t, s, s.Close, width, height, options...)
}

// needBrowser starts the browser, and lets the test run beside others. Without a browser the test is skipped, or fails where
// DAMIER_BROWSER=required.
func needBrowser(t *testing.T) {
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

// openPage serves what a handler has and opens it in a new tab; end ends its streams.
func openPage(t *testing.T, handler http.Handler, end func(), width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	h := httptest.NewServer(handler)
	t.Cleanup(func() {
		end()
		h.CloseClientConnections()
		h.Close()
	})
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t, ctx, h.URL}
	if err := chromedp.Do(ctx); err != nil { // opens the tab
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			// A refused request is in the browser's log as a resource that failed to load.
			if m.Type == chromedp.ConsoleException || m.Type == "error" && !strings.Contains(m.Text, "Failed to load resource") {
				t.Errorf("the page complains: %s %s", m.Type, m.Text)
			}
		}
	}()
	p.run(chromedp.EmulateViewport(width, height, options...), chromedp.Navigate(h.URL), chromedp.WaitVisible(`body[data-ready="true"]`))
	return p
}

// run runs actions in the page, in 90 seconds at most.
func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 90*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatalf("in the browser: %v", err)
	}
}

// eval returns the value of a JavaScript expression.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return value
}

// do evaluates statements.
func (p *tab) do(statements string) {
	p.Helper()
	eval[bool](p, "(() => {"+statements+"; return true})()")
}

// wait waits until an expression is true.
func (p *tab) wait(expression string) {
	p.Helper()
	end := time.Now().Add(60 * time.Second)
	for !eval[bool](p, "Boolean("+expression+")") {
		if time.Now().After(end) {
			p.shot("failed-" + strings.ReplaceAll(p.Name(), "/", "-"))
			p.Fatalf("never true: %s\nstatus %q, refusal %q, note %q", expression, p.text("#status"), p.text("#refusal"), p.text("#file-note"))
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// says waits until an element's text contains a part.
func (p *tab) says(selector, part string) {
	p.Helper()
	p.wait(fmt.Sprintf("document.querySelector(%q)?.textContent.includes(%q)", selector, part))
}

func (p *tab) text(selector string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector(%q)?.textContent.trim() ?? ""`, selector))
}

// choose sets a select.
func (p *tab) choose(id, value string) {
	p.Helper()
	p.do(fmt.Sprintf(`const e = document.getElementById(%q); if (![...e.options].some((o) => o.value === %q)) throw new Error("no such option"); e.value = %q; e.dispatchEvent(new Event("change"))`, id, value, value))
}

// begin begins a game of a variant.
func (p *tab) begin(variant, white, black string) {
	p.Helper()
	p.choose("white-player", white)
	p.choose("black-player", black)
	p.choose("variant", variant)
	p.run(chromedp.Click(chromedp.CSS("#new")))
	p.wait(fmt.Sprintf(`document.title.toLowerCase().startsWith(%q)`, variant))
}

// setUp puts a position on the board.
func (p *tab) setUp(fen string) {
	p.Helper()
	// The answer of the server, which writes FEN in its own way, takes the space away.
	p.do(fmt.Sprintf(`const f = document.querySelector("#fen"); f.closest("details").open = true; f.value = %q + " "; f.form.requestSubmit()`, fen))
	p.wait(`!document.querySelector("#fen").value.endsWith(" ") && document.querySelectorAll("#moves button").length === 0 && document.querySelectorAll(".movable").length > 0`)
}

const square = `button[data-square="%d"]`

// click clicks squares one after the other.
func (p *tab) click(squares ...int) {
	p.Helper()
	for _, n := range squares {
		p.run(chromedp.Click(chromedp.CSS(fmt.Sprintf(square, n))))
	}
}

func (p *tab) label(n int) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector('button[data-square="%d"]').getAttribute("aria-label")`, n))
}

// moves returns the moves of the list.
func (p *tab) moves() string {
	p.Helper()
	return eval[string](p, `[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ")`)
}

// played waits until the list has these moves and they are on the board.
func (p *tab) played(moves string) {
	p.Helper()
	p.wait(fmt.Sprintf(`[...document.querySelectorAll("#moves button")].map((b) => b.textContent).join(" ") === %q && !document.querySelector(".lifted")`, moves))
}

// shot takes a picture, if DAMIER_SHOTS names a folder.
func (p *tab) shot(name string) {
	p.Helper()
	dir := os.Getenv("DAMIER_SHOTS")
	if dir == "" {
		return
	}
	time.Sleep(300 * time.Millisecond)
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}
