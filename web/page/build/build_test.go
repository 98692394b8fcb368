package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"damier/engine"
	"damier/engine/open"
	"damier/rules"
	"damier/web/page"
	"damier/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }

// built holds the files of the page, which the tests share.
var built = sync.OnceValues(func() ([]file, error) { return contents(context.Background()) })

// openPage opens the page in the browser, from a server of static files.
func openPage(t *testing.T) *webtest.Tab {
	t.Helper()
	webtest.NeedBrowser(t)
	files, err := built()
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{}
	for _, f := range files {
		folder[f.name] = &fstest.MapFile{Data: f.content}
	}
	return webtest.OpenPage(t, http.FileServerFS(folder), func() {}, 1280, 800)
}

// ask sends requests to the page's worker, one after the other, and returns the replies.
func ask(t *testing.T, p *webtest.Tab, requests []page.Request) (replies []page.Reply) {
	t.Helper()
	text, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	p.Script(fmt.Sprintf(`window.replies = undefined;
		(async () => {
			const all = [];
			for (const q of %s) all.push(await damierPage.ask(q).catch((e) => ({ error: e.message })));
			window.replies = JSON.stringify(all);
		})()`, text))
	p.Wait("window.replies !== undefined")
	if err := json.Unmarshal([]byte(webtest.Eval[string](p, "window.replies")), &replies); err != nil {
		t.Fatal(err)
	}
	for i, r := range replies {
		if r.Error != "" {
			t.Fatalf("request %d of %s: %s", i, text, r.Error)
		}
	}
	return replies
}

// searches are the searches to compare, each with a fixed number of visits or nodes.
var searches = []struct {
	kind, unit string
	nodes      int64
}{{page.Tree, "visits", 60}, {page.NNUE, "nodes", 2000}, {page.AlphaBeta, "nodes", 2000}}

// The page plays the same moves as the native program: in the first plies of a game of every
// variant, by the tree search and by both alpha-beta searches. The native engines are made as the
// commands make them.
func TestSameMovesAsNative(t *testing.T) {
	p := openPage(t)
	const plies = 4
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var requests []page.Request
		for _, of := range searches {
			requests = append(requests, page.Request{Op: "new", Variant: name})
			for range plies {
				requests = append(requests, page.Request{Op: "think", Engine: of.kind, Nodes: of.nodes, Play: true})
			}
		}
		replies := ask(t, p, requests)
		for i, of := range searches {
			got := replies[i*(plies+1)+1:][:plies]
			s, err := open.ParseSpec(fmt.Sprintf("%s:%s=%d", of.kind, of.unit, of.nodes))
			if err != nil {
				t.Fatal(err)
			}
			native, err := open.Engine(v, s, open.Settings{Cores: 1})
			if err != nil {
				t.Fatal(err)
			}
			g := rules.NewGame(v)
			for _, r := range got {
				want, err := native.Think(t.Context(), g, engine.Limits{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if move := v.FormatMove(want.Move); r.Thought.Move != move || r.Thought.Nodes != want.Nodes {
					t.Errorf("%s, %s, ply %d: the page plays %s after %d, the native program %s after %d",
						name, of.kind, g.Ply(), r.Thought.Move, r.Thought.Nodes, move, want.Nodes)
					break
				}
				if err := g.Play(want.Move); err != nil {
					t.Fatal(err)
				}
				if fen := v.FEN(g.Position()); r.State.FEN != fen {
					t.Fatalf("%s: the page is at %s, the native program at %s", name, r.State.FEN, fen)
				}
			}
		}
	}
}

// TestSpeed prints the page's search speed in positions per second. It runs only with
// DAMIER_MEASURE=1.
func TestSpeed(t *testing.T) {
	if os.Getenv("DAMIER_MEASURE") == "" {
		t.Skip("measures the speed of the page; set DAMIER_MEASURE=1")
	}
	p := openPage(t)
	for _, of := range searches {
		replies := ask(t, p, []page.Request{{Op: "new", Variant: "international"}, {Op: "think", Engine: of.kind, Millis: 3000}})
		found := replies[1].Thought
		v, err := rules.Lookup("international", nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := open.ParseSpec(of.kind + ":time=3s")
		if err != nil {
			t.Fatal(err)
		}
		native, err := open.Engine(v, s, open.Settings{Cores: 1})
		if err != nil {
			t.Fatal(err)
		}
		twin, err := native.Think(t.Context(), rules.NewGame(v), engine.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.0f %s a second in the page, %.0f in the native program on one core", of.kind,
			float64(found.Nodes)/found.Millis*1000, of.unit, float64(twin.Nodes)/twin.Elapsed.Seconds())
	}
}

// A person plays a move and the engine answers; other variants; languages.
func TestPlay(t *testing.T) {
	p := openPage(t)
	p.ReduceMotion()
	p.Choose("level", "1")
	p.Click(32, 28)
	p.Wait(`document.body.dataset.ply === "2" && document.body.dataset.thinking === "false"`)
	if moves := p.Text("#moves"); !strings.HasPrefix(moves, "1. 32-28 ") {
		t.Errorf("moves: %q", moves)
	}
	p.Script(`document.getElementById("undo").click()`)
	p.Wait(`document.body.dataset.ply === "0"`)
	p.Choose("variant", "english") // Black begins, so the engine moves
	p.Wait(`document.body.dataset.ply === "1" && document.body.dataset.thinking === "false"`)
	p.Says("#title", "English")
	p.Choose("language", "fr")
	p.Says("#new", "Nouvelle partie")
	p.Accessible("page")
	p.Shot("page")
}

// The board stays flipped while a game goes on. A person may change sides while the engine thinks:
// it then also plays for the side that the person has left.
func TestSides(t *testing.T) {
	p := openPage(t)
	p.ReduceMotion()
	p.Choose("level", "1")
	flipped := `document.querySelector("#board button").dataset.square === "50"`
	p.Drive(chromedp.Click(chromedp.CSS("#flip")))
	p.Click(32, 28)
	p.Wait(`document.body.dataset.ply === "2" && document.body.dataset.thinking === "false"`)
	if !webtest.Eval[bool](p, flipped) {
		t.Error("a move flips the board back")
	}
	p.Drive(chromedp.Click(chromedp.CSS("#new")))
	p.Wait(`document.body.dataset.ply === "0" && !(` + flipped + `)`)
	p.Script(`new MutationObserver((_, o) => {
			if (document.body.dataset.thinking !== "true") return;
			o.disconnect();
			document.getElementById("side").value = "black";
			document.getElementById("side").dispatchEvent(new Event("change"));
		}).observe(document.body, { attributes: true })`)
	p.Click(32, 28)
	p.Wait(`document.body.dataset.ply === "3" && document.body.dataset.thinking === "false" && ` + flipped)
}

// The folder has every file and is not too large. Build does not overwrite other files.
func TestFolder(t *testing.T) {
	files, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "page")
	for range 2 { // the second time build wrote the folder before
		total, err := write(dir, files)
		if err != nil {
			t.Fatal(err)
		}
		if total > limit {
			t.Errorf("%d bytes, more than %d", total, limit)
		}
	}
	for _, f := range files {
		if is, err := os.ReadFile(filepath.Join(dir, f.name)); err != nil || !bytes.Equal(is, f.content) {
			t.Errorf("%s: %d bytes of %d, %v", f.name, len(is), len(f.content), err)
		}
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "letter.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := write(foreign, files); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with a letter: %v", err)
	}
}
