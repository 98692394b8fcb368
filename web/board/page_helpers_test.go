package board

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"damier/mcts"
	"damier/rules"
	"damier/web/searches"
	"damier/web/webtest"
)

// page sends the requests of a page to a server, without a browser.
type page struct {
	*webtest.Client
	of *Server
	id string
}

// board returns the state of the page's board on the server.
func (p *page) board() (*board, error) { return p.of.board(p.id) }

func serve(t *testing.T, c Config) *page {
	t.Helper()
	s := New(c)
	return &page{Client: webtest.Serve(t, s, s.Close), of: s}
}

type body = map[string]any

var people = body{"white": body{"player": "person"}, "black": body{"player": "person"}}

// open opens a board and stores its id.
func (p *page) open(b body) map[string]any {
	p.Helper()
	status, s := p.Post("/api/boards", b)
	if status != 201 {
		p.Fatalf("opening a board: %d %v", status, s)
	}
	p.id = s["id"].(string)
	return s
}

// act posts an action that must succeed.
func (p *page) act(action string, b body) map[string]any {
	p.Helper()
	status, s := p.Post("/api/boards/"+p.id+"/"+action, b)
	if status != 200 {
		p.Fatalf("%s: %d %v", action, status, s)
	}
	return s
}

// fails posts an action that must be refused with a status and a code; it returns the error's
// text.
func (p *page) fails(action string, b body, status int, code string) string {
	p.Helper()
	got, s := p.Post("/api/boards/"+p.id+"/"+action, b)
	e, _ := s["error"].(map[string]any)
	if got != status || e["code"] != code {
		p.Fatalf("%s: %d %v, want %d %s", action, got, s, status, code)
	}
	return e["text"].(string)
}

func (p *page) until(what string, done func(s map[string]any) bool) map[string]any {
	p.Helper()
	end := time.Now().Add(60 * time.Second)
	for {
		_, text := p.Get("/api/boards/" + p.id)
		var s map[string]any
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			p.Fatal(err)
		}
		if done(s) {
			return s
		}
		if time.Now().After(end) {
			p.Fatalf("never %s: %v", what, s)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func moves(s map[string]any) string {
	var texts []string
	for _, m := range s["moves"].([]any) {
		texts = append(texts, m.(map[string]any)["text"].(string))
	}
	return strings.Join(texts, " ")
}

// evens returns the same value for every position, and no more than ten thousand a second.
var evens = webtest.Evens{Value: rules.WDL{Win: 0.2, Draw: 0.5, Loss: 0.3}, Pause: 100 * time.Microsecond}

// networkConfig returns a Config with a tree search over an evaluator, and alpha-beta in place of
// a trained network. They exist in the named variants, or in all if none is named.
func networkConfig(e mcts.Evaluator, names ...string) Config {
	has := func(v *rules.Variant) bool { return len(names) == 0 || slices.Contains(names, v.Name) }
	return Config{Networks: webtest.Networks(e, has)}
}

// evensConfig returns a Config with the evaluator evens.
func evensConfig() Config { return networkConfig(evens) }

// occupy keeps the only worker busy until release is called.
func (p *page) occupy() (release func()) {
	p.Helper()
	begun, over := make(chan struct{}), make(chan struct{})
	if err := p.of.queue.Add(&searches.Job{Context: context.Background(), Run: func(context.Context, *searches.Worker) {
		close(begun)
		<-over
	}}); err != nil {
		p.Fatal(err)
	}
	<-begun
	return func() { close(over) }
}

// listen reads the events of the board until one satisfies a condition.
func (p *page) listen(done func(name string, data map[string]any) bool) {
	p.Helper()
	a, err := p.Server.Client().Get(p.Server.URL + "/api/boards/" + p.id + "/events")
	if err != nil {
		p.Fatal(err)
	}
	defer a.Body.Close()
	if kind := a.Header.Get("Content-Type"); kind != "text/event-stream" {
		p.Fatalf("the events are %s", kind)
	}
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	name := ""
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = n
		}
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var data map[string]any
			if err := json.Unmarshal([]byte(d), &data); err != nil {
				p.Fatal(err)
			}
			if done(name, data) {
				return
			}
		}
	}
	p.Fatal("the events end")
}
