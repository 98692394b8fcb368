package board_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"damier/web/board"
	"damier/web/webtest"
)

// times is the number of measurements of each quantity.
const times = 10

// report prints the median of measured milliseconds and the target.
func report(t *testing.T, what string, ms []float64, goal string) {
	t.Helper()
	slices.Sort(ms)
	t.Logf("%-46s median %7.1f ms (%.1f to %.1f); goal %s", what, (ms[len(ms)/2-1]+ms[len(ms)/2])/2, ms[0], ms[len(ms)-1], goal)
}

// await returns the value of a JavaScript promise.
func (p *tab) await(expression string) float64 {
	p.Helper()
	value, err := chromedp.Run(p.Ctx, chromedp.Evaluate[float64](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return value
}

// painted is a promise that resolves in the first task after the next frame, when all changes are
// on the screen.
const painted = `new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }))`

// TestMeasure prints medians of ten measurements of the page's speed. They are meaningful only on
// an idle machine. Run it with
//
//	DAMIER_MEASURE=1 go test ./web/board -run TestMeasure -v
func TestMeasure(t *testing.T) {
	if os.Getenv("DAMIER_MEASURE") == "" {
		t.Skip("a measurement on an idle machine; set DAMIER_MEASURE=1")
	}
	t.Run("page", measurePage)
	t.Run("moves", measureMoves)
	t.Run("answer", measureAnswer)
}

// measurePage measures the first load of the page, with nothing cached: in a new window, compared
// with a page of one word there, and in a window that has been open for a while. The time of the
// one word is the browser's own.
func measurePage(t *testing.T) {
	paint := func(p *tab) float64 {
		p.Wait(`performance.getEntriesByName("first-contentful-paint").length === 1`)
		return eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	}
	mark := func(p *tab, name string) float64 {
		return eval[float64](p, fmt.Sprintf(`performance.getEntriesByName(%q)[0].startTime`, name))
	}
	var word, first, stands, open, openWhole, openStands []float64
	// Each window is closed before the next is opened, and no command is sent to the browser while
	// it loads a page.
	inWindow := func(name string, body func(*testing.T)) {
		if !t.Run(name, body) {
			t.FailNow()
		}
	}
	for range times {
		inWindow("new", func(t *testing.T) {
			p := openTab(t, board.Config{}, 1280, 900)
			first, stands = append(first, paint(p)), append(stands, mark(p, "ready"))
		})
		inWindow("open", func(t *testing.T) {
			s, asked := board.New(board.Config{}), false
			p := &tab{webtest.OpenPage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" && !asked {
					asked = true
					io.WriteString(w, `<!doctype html><title>a word</title><body data-ready="true">word`)
					return
				}
				s.ServeHTTP(w, r)
			}), s.Close, 1280, 900)}
			word = append(word, paint(p))
			time.Sleep(1500 * time.Millisecond) // the browser finishes opening the window
			p.Script(`location.reload()`)
			time.Sleep(1500 * time.Millisecond)
			p.Wait(`performance.getEntriesByName("ready").length === 1`)
			open, openWhole, openStands = append(open, paint(p)), append(openWhole, mark(p, "whole")), append(openStands, mark(p, "ready"))
		})
	}
	report(t, "new window: a page of one word is painted", word, "none")
	report(t, "new window: the board is painted", first, "none")
	report(t, "new window: moves can be made", stands, "none")
	report(t, "open window: the board is painted", open, "100 ms")
	report(t, "open window: the rest of the page is laid", openWhole, "none")
	report(t, "open window: moves can be made", openStands, "none")
}

// measureMoves measures the time to show legal moves on the 12x12 board, from the click to the
// frame that shows them.
func measureMoves(t *testing.T) {
	p := openTab(t, board.Config{}, 1280, 1000)
	p.Script(`document.querySelector("#set-motion").click()`)
	p.begin("canadian", "person", "person")
	shown := func() (ms []float64) {
		for range times {
			ms = append(ms, p.await(`(async () => {
				const pieces = [...document.querySelectorAll("#board .movable")];
				const piece = pieces[Math.floor(Math.random() * pieces.length)];
				const began = performance.now();
				piece.click();
				await `+painted+`;
				const took = performance.now() - began;
				if (!document.querySelector("#board .target")) throw new Error("no legal move is shown");
				piece.click();
				await `+painted+`;
				return took;
			})()`))
		}
		return ms
	}
	report(t, "12x12, the start: click to legal moves", shown(), "50 ms")
	p.setUp("W:WK67,K68,K69,K70,K71,K72,K61,K62,K63,K64,55,56,57:B1,2,3,4,5,6,7,8")
	report(t, "12x12, ten kings: click to legal moves", shown(), "50 ms")

	// From a move to the marked legal moves of the other side, the server's answer included.
	p.setUp("W:W61-72:B1-12")
	var ms []float64
	for range times {
		ms = append(ms, p.await(`(async () => {
			const board = document.querySelector("#board"), count = () => document.querySelectorAll("#moves button").length;
			const pieces = [...board.querySelectorAll(".movable")];
			pieces[Math.floor(Math.random() * pieces.length)].click();
			const before = count(), targets = [...board.querySelectorAll(".target")];
			const began = performance.now();
			targets[0].click();
			while (count() === before || !board.querySelector(".movable")) await `+painted+`;
			return performance.now() - began;
		})()`))
	}
	report(t, "12x12: a move to the other side's legal moves", ms, "50 ms")
}

// measureAnswer plays against the program with a time for each move and measures from the request
// with a move to the program's reply.
func measureAnswer(t *testing.T) {
	s := board.New(board.Config{})
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	post := func(path string, body map[string]any) map[string]any {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest("POST", h.URL+path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", h.URL)
		r.Header.Set("Content-Type", "application/json")
		return answer(t, http.DefaultClient, r)
	}
	for _, set := range []float64{0.2, 1} {
		var ms []float64
		for range times {
			state := post("/api/boards", map[string]any{
				"clock": map[string]float64{"move": set},
				"seats": map[string]any{"white": map[string]any{"player": "person"}, "black": map[string]any{"player": "alphabeta", "level": 10}},
			})
			id := state["id"].(string)
			began := time.Now()
			post("/api/boards/"+id+"/text", map[string]any{"text": "32-28"})
			for state = nil; state["ply"] != 2.0; {
				if state["outcome"] != nil && state["outcome"] != "*" || time.Since(began) > 10*time.Second {
					t.Fatalf("not answered in %.1f s: %v", set, state["reason"])
				}
				time.Sleep(time.Millisecond)
				r, err := http.NewRequest("GET", h.URL+"/api/boards/"+id, nil)
				if err != nil {
					t.Fatal(err)
				}
				state = answer(t, http.DefaultClient, r)
			}
			ms = append(ms, float64(time.Since(began).Microseconds())/1000)
			post("/api/boards/"+id+"/close", nil)
		}
		report(t, fmt.Sprintf("%.1f s for each move: the answer", set), ms, fmt.Sprintf("%.0f ms within 5 %% or 20 ms, never later", 1000*set))
	}
}

// answer returns the JSON of a response.
func answer(t *testing.T, c *http.Client, r *http.Request) map[string]any {
	t.Helper()
	a, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(a.Body).Decode(&body); err != nil || a.StatusCode >= 300 {
		t.Fatalf("%s: %d %v %v", r.URL.Path, a.StatusCode, body, err)
	}
	return body
}
