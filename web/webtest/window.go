package webtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// window is a tab with its own storage and cookies, and a server for its pages. Tests use it one
// after the other, because a new window costs more than twice the CPU time of another page in an
// old one: the browser starts processes, and compiles the scripts again. The address of its server
// stays the same, so that the browser finds what it has compiled.
type window struct {
	ctx     context.Context
	close   func() // closes the tab
	server  *httptest.Server
	handler atomic.Pointer[http.Handler] // the page of the present test
}

// emptyPage is the path of a page without content on the server of every window.
const emptyPage = "/webtest-empty-page"

// idle holds the windows that no test uses.
var idle struct {
	sync.Mutex
	windows []*window
}

// takeWindow returns a window that no test uses, or opens one.
func takeWindow(t *testing.T) *window {
	t.Helper()
	idle.Lock()
	if n := len(idle.windows); n > 0 {
		w := idle.windows[n-1]
		idle.windows = idle.windows[:n-1]
		idle.Unlock()
		return w
	}
	idle.Unlock()
	w := &window{}
	w.server = httptest.NewServer(http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
		if h := w.handler.Load(); h != nil && r.URL.Path != emptyPage {
			(*h).ServeHTTP(a, r)
			return
		}
		a.Header().Set("Content-Type", "text/html")
	}))
	w.ctx, w.close = chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(w.ctx); err != nil { // opens the tab
		w.giveBack(false)
		t.Fatal(err)
	}
	return w
}

// clean leaves the page of a test and deletes what it has stored and set in the browser. It
// returns false if the window cannot be used again.
func (w *window) clean() bool {
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(w.server.URL+emptyPage)); err != nil {
		return false
	}
	// The storage of a session is not among the data of an origin.
	erase := chromedp.Evaluate[bool](`sessionStorage.clear(); localStorage.clear(); name = ""; true`)
	if _, err := chromedp.Run(ctx, erase); err != nil {
		return false
	}
	_, err := chromedp.Call(ctx, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{
		Origin: w.server.URL, StorageTypes: "local_storage,indexeddb,cache_storage,service_workers",
	})
	if err != nil {
		return false
	}
	if _, err := chromedp.Call(ctx, network.ClearBrowserCookies, struct{}{}); err != nil {
		return false
	}
	media := emulation.SetEmulatedMediaParams{}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		return false
	}
	scripts := emulation.SetScriptExecutionDisabledParams{Value: false}
	_, err = chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, scripts)
	return err == nil
}

// giveBack lets another test use the window if it is clean, and closes it otherwise.
func (w *window) giveBack(clean bool) {
	w.handler.Store(nil)
	w.server.CloseClientConnections()
	if clean {
		idle.Lock()
		idle.windows = append(idle.windows, w)
		idle.Unlock()
		return
	}
	w.shut()
}

// shut closes the window and its server.
func (w *window) shut() {
	w.close()
	w.server.CloseClientConnections()
	w.server.Close()
}

// closeWindows closes the windows that no test uses.
func closeWindows() {
	idle.Lock()
	defer idle.Unlock()
	for _, w := range idle.windows {
		w.shut()
	}
	idle.windows = nil
}
