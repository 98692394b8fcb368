package board

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"damier/rules"
	"damier/web/webtest"
)

func TestGame(t *testing.T) {
	p := serve(t, Config{})
	s := p.open(body{"seats": people})
	if len(s["legal"].([]any)) != 9 || s["turn"] != "white" || s["pieces"] != strings.Repeat("b", 20)+strings.Repeat("e", 10)+strings.Repeat("w", 20) {
		t.Fatalf("the start is %v", s)
	}
	p.act("text", body{"text": "32-28", "ply": 0})
	p.fails("text", body{"text": "19-23", "ply": 0}, 409, "stale")
	s = p.act("move", body{"ply": 1, "index": 0})
	if s["ply"] != 2.0 {
		t.Fatalf("after two moves: %v", s)
	}
	p.fails("move", body{"index": 99}, 422, "refused")
	if text := p.fails("text", body{"text": "28-17"}, 422, "refused"); !strings.Contains(text, "28") {
		t.Errorf("28-17 is refused with %q", text)
	}
	first := moves(s)
	if s = p.act("undo", nil); s["ply"] != 1.0 || moves(s) != first {
		t.Errorf("undone: %v", s)
	}
	if s = p.act("redo", nil); s["ply"] != 2.0 {
		t.Errorf("redone: %v", s)
	}
	p.act("seek", body{"ply": 0})
	if s = p.act("text", body{"text": "33-28"}); moves(s) != "33-28" {
		t.Errorf("another first move leaves %q", moves(s))
	}
	if s = p.act("resign", nil); s["outcome"] != "white" || s["reason"] != "resignation" {
		t.Errorf("Black has resigned: %v", s)
	}
	p.fails("text", body{"text": "19-23"}, 409, "over")
	if s = p.act("undo", nil); s["outcome"] != "*" || s["ply"] != 1.0 {
		t.Errorf("the resignation is taken back: %v", s)
	}
	if s = p.act("draw", nil); s["outcome"] != "draw" || s["reason"] != "agreement" {
		t.Errorf("two people agree: %v", s)
	}
}

// An engine that gets a seat does not move at an earlier position, which a person looks at; at the
// end of the line it does.
func TestSeatsWhileBrowsing(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	p.act("text", body{"text": "32-28"})
	p.act("text", body{"text": "19-23"})
	p.act("seek", body{"ply": 0})
	engine := body{"seats": body{"white": body{"player": "alphabeta", "level": 1}}}
	if s := p.act("seats", engine); s["auto"] != false || s["thinking"] != false || s["ply"] != 0.0 {
		t.Errorf("at the start: %v", s)
	}
	p.act("seek", body{"ply": 2})
	p.act("seats", body{"seats": people})
	if s := p.act("seats", engine); s["auto"] != true {
		t.Errorf("at the end: %v", s)
	}
	p.until("moved", func(s map[string]any) bool { return s["ply"] == 3.0 })
}

func TestCaptures(t *testing.T) {
	p := serve(t, Config{})
	s := p.open(body{"variant": "english", "fen": "W:W26:B1,14,15,22,23", "seats": people})
	if s["must"] != 2.0 {
		t.Errorf("must take %v", s["must"])
	}
	text, _ := json.Marshal(s["legal"])
	if want := `[{"captured":[15,23],"from":26,"paths":[[26,19,10]],"text":"26x10","to":10},{"captured":[14,22],"from":26,"paths":[[26,17,10]],"text":"26x10","to":10}]`; string(text) != want {
		other := `[{"captured":[14,22],"from":26,"paths":[[26,17,10]],"text":"26x10","to":10},{"captured":[15,23],"from":26,"paths":[[26,19,10]],"text":"26x10","to":10}]`
		if string(text) != other {
			t.Errorf("the captures are %s", text)
		}
	}
	_, answer := p.Post("/api/boards/"+p.id+"/text", body{"text": "26x10"})
	if got := fmt.Sprint(answer["error"].(map[string]any)["choices"]); got != "[26x17x10 26x19x10]" && got != "[26x19x10 26x17x10]" {
		t.Errorf("the choices are %s", got)
	}
	for _, c := range []struct {
		from, to int
		kind     string
	}{{2, 7, "empty"}, {1, 5, "theirs"}, {26, 31, "goes"}} {
		if e := p.act("explain", body{"from": c.from, "to": c.to}); e["kind"] != c.kind || e["text"] == "" {
			t.Errorf("%d-%d: %v, want %s", c.from, c.to, e, c.kind)
		}
	}
	p.fails("explain", body{"from": 0, "to": 33}, 422, "refused")
	s = p.act("move", body{"index": 0})
	if !strings.Contains(moves(s), "x1") {
		t.Errorf("played %s", moves(s))
	}
}

// A board of every variant can be opened, and a random game can be played on it to its end.
func TestEveryVariantIsPlayed(t *testing.T) {
	p := serve(t, Config{})
	rng := rand.New(rand.NewPCG(5, 6))
	p.open(body{"seats": people})
	for _, name := range rules.Names() {
		s := p.act("new", body{"variant": name})
		for range 60 {
			legal := len(s["legal"].([]any))
			if legal == 0 {
				break
			}
			s = p.act("move", body{"index": rng.IntN(legal)})
		}
		_, pdn := p.Get("/api/boards/" + p.id + "/game.pdn")
		played := moves(s)
		p.act("new", body{"variant": name})
		if s = p.act("load", body{"text": pdn}); moves(s) != played || s["variant"] != name {
			t.Errorf("%s: after writing and reading the moves are\n%s\nwant\n%s", name, moves(s), played)
		}
	}
}

func TestEnginesAnswer(t *testing.T) {
	for name, config := range map[string]Config{"tree": evensConfig(), "alphabeta": {}} {
		p := serve(t, config)
		s := p.open(body{"variant": "english", "seats": body{"white": body{"player": name, "level": 2}, "black": body{"player": "person"}}})
		if s["seats"].(map[string]any)["white"].(map[string]any)["player"] != name {
			t.Errorf("%s does not sit down: %v", name, s["seats"])
		}
		p.act("text", body{"text": "11-15"})
		s = p.until("answered", func(s map[string]any) bool { return s["ply"] == 2.0 && s["thinking"] == false })
		if s["turn"] != "black" {
			t.Errorf("%s: %v", name, s)
		}
		if s = p.act("undo", nil); s["ply"] != 0.0 {
			t.Errorf("%s: undo goes back to %v", name, s["ply"])
		}
		p.act("go", nil)
		p.until("moved for the person", func(s map[string]any) bool { return s["ply"] == 2.0 && s["thinking"] == false })
	}
}

func TestEnginesAgainstEachOther(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"variant": "thai", "seats": body{"white": body{"player": "alphabeta", "level": 1}, "black": body{"player": "alphabeta", "level": 1}}})
	p.until("past ten moves", func(s map[string]any) bool { return s["ply"].(float64) > 10 || s["outcome"] != "*" })
	s := p.act("stop", nil)
	if s["auto"] != false || s["thinking"] != false {
		t.Errorf("stopped: %v", s)
	}
}

func TestDrawIsConsidered(t *testing.T) {
	p := serve(t, evensConfig())
	p.open(body{"fen": "W:WK46:BK5,1,2,3", "seats": body{"white": body{"player": "person"}, "black": body{"player": "alphabeta"}}})
	p.act("draw", nil)
	s := p.until("answered", func(s map[string]any) bool { return s["thinking"] == false })
	if s["outcome"] != "*" || !strings.HasPrefix(fmt.Sprint(s["message"]), "declined:") {
		t.Errorf("three men ahead it does not decline: %v", s)
	}
	p.act("new", body{"fen": "W:W31,32,33,K46:BK5"})
	p.act("draw", nil)
	p.until("accepted", func(s map[string]any) bool { return s["outcome"] == "draw" && s["reason"] == "agreement" })
	// It answers even if something else is switched on while its search waits in the queue.
	p.act("new", body{"fen": "W:W31,32,33,K46:BK5"})
	release := p.occupy()
	p.act("draw", nil)
	p.act("threat", body{"on": true})
	p.act("threat", body{"on": false})
	release()
	p.until("accepted", func(s map[string]any) bool { return s["outcome"] == "draw" && s["thinking"] == false })
}

func TestAnalysis(t *testing.T) {
	for name, config := range map[string]Config{"tree": evensConfig(), "alphabeta": {}} {
		p := serve(t, config)
		p.open(body{"seats": people})
		p.act("analyse", body{"on": true})
		reports := 0
		p.listen(func(event string, data map[string]any) bool {
			if event != "analysis" {
				return false
			}
			if reports++; reports < 3 {
				return false
			}
			top := data["moves"].([]any)
			if len(top) != topMoves || data["engine"] != name || len(data["pv"].([]any)) == 0 {
				t.Errorf("%s: %v", name, data)
			}
			if score := data["score"].(float64); !(score > 0 && score < 1) {
				t.Errorf("%s: White expects %v", name, score)
			}
			return true
		})
		// With Black to move the scores are White's too.
		p.act("new", body{"fen": "B:WK46,31,32,33:B1"})
		p.listen(func(event string, data map[string]any) bool {
			if event != "analysis" || name == "tree" {
				return name == "tree"
			}
			if s := data["score"].(float64); s < 0.7 {
				t.Errorf("White, far ahead, expects %.2f", s)
			}
			return true
		})
	}
}

// A search for a move interrupts the analysis, and the analysis continues afterwards.
func TestAnalysisGivesWay(t *testing.T) {
	c := evensConfig()
	c.Workers = 1
	p := serve(t, c)
	p.open(body{"seats": people})
	p.act("analyse", body{"on": true})
	p.listen(func(event string, _ map[string]any) bool { return event == "analysis" })
	q := *p
	q.open(body{"seats": body{"white": body{"player": "alphabeta", "level": 1}, "black": body{"player": "person"}}})
	began := time.Now()
	q.until("moved", func(s map[string]any) bool { return s["ply"] == 1.0 })
	if took := time.Since(began); took > analysisTime/2 {
		t.Errorf("the move waited %v", took)
	}
	p.listen(func(event string, _ map[string]any) bool { return event == "analysis" })
}

// Only the embedded files are served, by their own names, with headers that forbid everything that
// the page does not need.
func TestFiles(t *testing.T) {
	p := serve(t, Config{})
	total := p.Files(files, "index.html")
	if total > 315_000 {
		t.Errorf("the page weighs %d bytes, at most 315,000 are allowed", total)
	}
	t.Logf("the page weighs %d bytes", total)
	for _, path := range []string{"/index.html", "/dashboard.html", "/strings/", "/strings/dashboard/", "/static/app.js", "/..%2fserver.go", "/server.go", "/strings/../server.go", "/api/", "/api/boards/x"} {
		if status, _ := p.Get(path); status != 404 {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
	a, err := p.Server.Client().Get(p.Server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := a.Header.Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// Every text that the page and the rules use exists.
func TestStrings(t *testing.T) {
	english := webtest.Texts(t, files, "strings")
	for _, r := range rules.Reasons() {
		if english["reason."+string(r)] == "" {
			t.Errorf("the reason %q has no text", r)
		}
	}
	for _, v := range rules.Names() {
		if english["variant."+v] == "" {
			t.Errorf("the variant %q has no name", v)
		}
	}
	for _, file := range []string{"index.html", "analysis.js", "app.js", "board.js", "choice.js", "editor.js", "explorer.js", "files.js", "language.js", "lessons.js", "movelist.js", "premove.js", "review.js", "seats.js", "server.js", "settings.js", "sound.js", "tactics.html", "tactics.js", "threat.js", "verdicts.js"} {
		for _, m := range regexp.MustCompile(`data-t(?:-label|-title|-placeholder)?="([^"]+)"|\bt\("([^"]+)"[,)]`).FindAllStringSubmatch(files.Text(file), -1) {
			if key := m[1] + m[2]; english[key] == "" {
				t.Errorf("%s uses %q, which has no text", file, key)
			}
		}
	}
}

func TestServeEndsCleanly(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(Config{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	p := &page{Client: &webtest.Client{T: t, Server: &httptest.Server{URL: "http://" + l.Addr().String(), Config: &http.Server{}}}}
	r, _ := http.NewRequest("POST", p.Server.URL+"/api/boards", strings.NewReader("{}"))
	r.Header.Set("Origin", p.Server.URL)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var board map[string]any
	if err := json.NewDecoder(a.Body).Decode(&board); err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	// An open stream does not delay the end.
	events, err := http.Get(p.Server.URL + "/api/boards/" + board["id"].(string) + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	cancel()
	select {
	case err := <-ended:
		if err != context.Canceled {
			t.Errorf("the server ends with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the server does not end")
	}
}
