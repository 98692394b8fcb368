package webtest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) { Main(m) }

// A window that a test has used is for the next one as a new window is: nothing is stored, no
// cookie is set, scripts run, motion is not reduced, and the page is not of a phone.
func TestWindowsAreCleaned(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><title>a page</title><body data-ready="true">text`)
	})
	const marks = `[localStorage.length, sessionStorage.length, document.cookie, window.name,
		(await caches.keys()).length, (await indexedDB.databases()).length,
		matchMedia("(prefers-reduced-motion: reduce)").matches, navigator.maxTouchPoints > 0,
		innerWidth].join()`
	read := func(p *Tab) string {
		t.Helper()
		text, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string](
			"(async () => "+marks+")()", chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	inTurn := func(t *testing.T) {
		t.Helper()
		beside.Store(t.Name(), true) // not beside other tests
		NeedBrowser(t)
	}
	var home string
	t.Run("uses", func(t *testing.T) {
		inTurn(t)
		p := OpenPage(t, page, func() {}, 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
		home = p.Home
		p.ReduceMotion()
		p.Script(`localStorage.a = 1; sessionStorage.b = 2; document.cookie = "c=3"; name = "d"`)
		_, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool](`(async () => {
			await caches.open("e");
			await new Promise((done) => { indexedDB.open("f").onsuccess = (e) => {
				e.target.result.close(); done(); } });
			return true;
		})()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := read(p), "1,1,c=3,d,1,1,true,true,980"; got != want {
			t.Errorf("the page has %s, want %s", got, want)
		}
		off := emulation.SetScriptExecutionDisabledParams{Value: true}
		if _, err := chromedp.Call(p.Ctx, emulation.SetScriptExecutionDisabled, off); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("uses it again", func(t *testing.T) {
		inTurn(t)
		p := OpenPage(t, page, func() {}, 800, 600)
		if p.Home != home {
			t.Errorf("the window is another one: its server is %s, not %s", p.Home, home)
		}
		if got, want := read(p), "0,0,,,0,0,false,false,800"; got != want {
			t.Errorf("the page has %s, want %s", got, want)
		}
		p.Script(`const s = document.createElement("script"); s.text = "window.ran = true"; document.head.append(s)`)
		p.Wait("window.ran")
	})
}

// The message of a wait in vain has the text of the element that was waited for.
func TestSays(t *testing.T) {
	NeedBrowser(t)
	p := OpenPage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><title>a page</title><body data-ready="true">
			<p id="status">White
			to move</p><p id="note" hidden>saved</p>`)
	}), func() {}, 800, 600)
	for _, test := range []struct{ selector, part, want string }{
		{"#status", "White", ""},
		{"#status", "Black", `#status never said "Black"; it is "White to move"`},
		{"#note", "Black", `#note never said "Black"; it is hidden, "saved"`},
		{"#file", "Black", `#file never said "Black"; it is not in the page ` + p.Home + "/"},
	} {
		if got := p.says(test.selector, test.part, 50*time.Millisecond); got != test.want {
			t.Errorf("%s: %q, want %q", test.selector, got, test.want)
		}
	}
}

// Asked only for violations, axe finds all that it finds otherwise.
func TestViolations(t *testing.T) {
	NeedBrowser(t)
	p := OpenPage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><title>a page</title><body data-ready="true">
			<img src="data:,a"><img src="data:,b"><button></button>
			<p style="color:#ccc;background:#ddd">text</p>`)
	}), func() {}, 800, 600)
	got, want := p.violations(onlyViolations), p.violations("{}")
	if !slices.Equal(got, want) {
		t.Errorf("violations\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, rule := range []string{"image-alt: ", "button-name: ", "color-contrast: "} {
		if !slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, rule) }) {
			t.Errorf("%snot found in\n%s", rule, strings.Join(got, "\n"))
		}
	}
}

// A page may be asked while it loads again and again: a wait goes on until it stands.
func TestWaitBesideReloads(t *testing.T) {
	NeedBrowser(t)
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `<!doctype html><title>a page</title><body data-ready="true">text<script>
			let left = Number(sessionStorage.getItem("left") ?? 0)
			if (left > 0) { sessionStorage.setItem("left", --left); setTimeout(() => location.reload()) }
			else document.body.dataset.stands = sessionStorage.getItem("left") ?? "never"
		</script>`)
	})
	p := OpenPage(t, page, func() {}, 200, 200)
	p.Script(`delete document.body.dataset.stands; sessionStorage.setItem("left", 100); setTimeout(() => location.reload())`)
	p.Wait(`document.body?.dataset.stands === "0"`)
	p.Script(`window.old = true`)
	if p.Reload(); Eval[bool](p, `window.old === true`) {
		t.Error("the page is the old one after Reload")
	}
}
