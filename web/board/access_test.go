package board

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"damier/web"
)

// Requests of a hostile page in the same browser are refused.
func TestStrangersAreRefused(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	host := strings.TrimPrefix(p.Server.URL, "http://")
	for _, c := range []struct {
		name   string
		header map[string]string
		status int
		code   string
	}{
		{"another origin", map[string]string{"Origin": "http://evil.example"}, 403, "origin"},
		{"another port", map[string]string{"Origin": "http://127.0.0.1:1"}, 403, "origin"},
		{"no origin", map[string]string{"Origin": ""}, 403, "origin"},
		{"null", map[string]string{"Origin": "null"}, 403, "origin"},
		{"a file", map[string]string{"Origin": "file://" + host}, 403, "origin"},
		{"a form", map[string]string{"Content-Type": "text/plain"}, 415, "type"},
		{"no type", map[string]string{"Content-Type": ""}, 415, "type"},
		{"cross-site", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		{"a foreign name of this machine", map[string]string{"Host": "evil.example", "Origin": "http://evil.example"}, 421, "host"},
	} {
		status, answer := p.Send("/api/boards/"+p.id+"/resign", bytes.NewReader([]byte("{}")), c.header)
		if e, _ := answer["error"].(map[string]any); status != c.status || e["code"] != c.code {
			t.Errorf("%s: %d %v, want %d %s", c.name, status, answer, c.status, c.code)
		}
	}
	r, _ := http.NewRequest("GET", p.Server.URL+"/api/boards/"+p.id, nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if a, err := p.Server.Client().Do(r); err != nil || a.StatusCode != 403 {
		t.Errorf("a cross-site GET: %v %v", a.StatusCode, err)
	}
	r, _ = http.NewRequest("DELETE", p.Server.URL+"/api/boards/"+p.id, nil)
	if a, err := p.Server.Client().Do(r); err != nil || a.StatusCode != 405 {
		t.Errorf("DELETE: %v %v", a.StatusCode, err)
	}
	s := p.act("undo", nil)
	if s["outcome"] != "*" {
		t.Errorf("a refused request has resigned: %v", s)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	for _, c := range []struct {
		text   string
		status int
		code   string
	}{
		{`{"text":"` + strings.Repeat("x", web.BodyLimit) + `"}`, 413, "large"},
		{`{"text":`, 400, "request"},
		{`{"unknown":1}`, 400, "request"},
		{`{} {}`, 400, "request"},
		{`[]`, 400, "request"},
		{`{"path":[300]}`, 400, "request"},
	} {
		status, answer := p.Send("/api/boards/"+p.id+"/load", bytes.NewReader([]byte(c.text)), nil)
		if e, _ := answer["error"].(map[string]any); status != c.status || e["code"] != c.code {
			t.Errorf("%.30s: %d %v, want %d %s", c.text, status, answer, c.status, c.code)
		}
	}
	p.fails("nonsense", nil, 404, "action")
	p.fails("load", body{"text": "1. 32-21 *"}, 422, "pdn")
	p.fails("load", body{"text": ""}, 422, "pdn")
	p.fails("load", body{"text": "1. 32-28 *", "index": 7}, 422, "pdn")
	// Games that cannot be read are left out of the list, and the answer reports them.
	if s := p.act("load", body{"text": "1. 32-21 * 1. 32-28 18-23 *"}); s["ply"] != 2.0 || !strings.HasPrefix(fmt.Sprint(s["message"]), "1 of 2 games cannot be read: line 1: game 1") {
		t.Errorf("one bad game and one good: ply %v, message %v", s["ply"], s["message"])
	}
	if _, answer := p.Post("/api/boards/"+p.id+"/load", body{"text": "1. 32-21 * 1. 32-28 18-23 * 1. 33-28 *"}); len(answer["games"].([]any)) != 2 || answer["bad"] == "" {
		t.Errorf("one bad game and two good: %v", answer)
	}
	p.fails("new", body{"fen": "W:W99:B1"}, 422, "fen")
	p.fails("new", body{"variant": "chess"}, 422, "variant")
	p.fails("new", body{"options": "x=y"}, 422, "variant")
	p.fails("seats", body{"seats": body{"white": body{"player": "cat"}}}, 422, "seat")
	p.fails("seats", body{"seats": body{"red": body{"player": "person"}}}, 422, "seat")
	p.fails("seats", body{"seats": body{"white": body{"player": "person", "level": 99}}}, 422, "seat")
	p.fails("seek", nil, 422, "request")
	for range maxStreams {
		a, err := p.Server.Client().Get(p.Server.URL + "/api/boards/" + p.id + "/events")
		if err != nil || a.StatusCode != 200 {
			t.Fatalf("a stream: %v %v", a, err)
		}
		defer a.Body.Close()
	}
	if status, text := p.Get("/api/boards/" + p.id + "/events"); status != 503 || !strings.Contains(text, "open in 4 windows") {
		t.Errorf("one stream too many: %d %s", status, text)
	}
}

func TestToken(t *testing.T) {
	p := serve(t, Config{Token: "secret"})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	status := func(path, host string, cookie *http.Cookie) (int, *http.Response) {
		r, _ := http.NewRequest("GET", p.Server.URL+path, nil)
		if host != "" {
			r.Host = host
		}
		if cookie != nil {
			r.AddCookie(cookie)
		}
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode, a
	}
	for _, path := range []string{"/", "/app.js", "/api/info", "/?token=wrong", "/api/info?token=secret"} {
		if got, _ := status(path, "", nil); got != 401 {
			t.Errorf("%s without the token: %d", path, got)
		}
	}
	got, a := status("/?token=secret", "board.example", nil)
	if got != 303 || a.Header.Get("Location") != "/" || len(a.Cookies()) != 1 || !a.Cookies()[0].HttpOnly {
		t.Fatalf("with the token: %d %v", got, a.Header)
	}
	if got, _ := status("/api/info", "board.example", a.Cookies()[0]); got != 200 {
		t.Errorf("with its cookie: %d", got)
	}
	if got, _ := status("/api/info", "", &http.Cookie{Name: tokenCookie, Value: "wrong"}); got != 401 {
		t.Errorf("with a wrong cookie: %d", got)
	}
}

func TestBoardsAreBounded(t *testing.T) {
	p := serve(t, Config{})
	for range 100 {
		p.open(body{"seats": people})
	}
	status, answer := p.Post("/api/boards", body{"seats": people})
	if e := answer["error"].(map[string]any); status != 503 || e["code"] != "full" || !strings.Contains(e["text"].(string), "all 100 boards are in use") {
		t.Errorf("the 101st board: %d %v", status, answer)
	}
	p.act("close", nil)
	p.fails("undo", nil, 404, "gone")
	p.open(body{"seats": people})
}

func TestUnusedBoardsClose(t *testing.T) {
	t.Parallel() // it only waits
	p := serve(t, Config{Idle: 500 * time.Millisecond})
	p.open(body{"seats": people})
	watched := *p
	watched.open(body{"seats": people})
	a, err := p.Server.Client().Get(p.Server.URL + "/api/boards/" + watched.id + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	time.Sleep(1500 * time.Millisecond)
	p.fails("undo", nil, 404, "gone")
	watched.act("text", body{"text": "32-28"})
}
