package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"damier/rules"
	"damier/web"
	"damier/web/webtest"
)

func serveDashboard(t *testing.T, run Run, c Config) *webtest.Client {
	t.Helper()
	return webtest.Serve(t, New(run, c), func() {})
}

func code(answer map[string]any) string {
	e, _ := answer["error"].(map[string]any)
	text, _ := e["code"].(string)
	return text
}

func TestDashboardEvents(t *testing.T) {
	run := &RecordedRun{}
	run.Go(8, Phase{"playing", 5, 10})
	p := serveDashboard(t, run, Config{})
	all := 0
	for from := "0"; ; {
		status, a := p.GetJSON("/api/events?from=" + from)
		if status != 200 {
			t.Fatal(a)
		}
		if phase := a["phase"].(map[string]any); phase["name"] != "playing" || phase["done"] != 5.0 || phase["of"] != 10.0 {
			t.Errorf("phase %v", phase)
		}
		events := a["events"].([]any)
		if all += len(events); len(events) == 0 {
			break
		}
		text, _ := json.Marshal(a["next"])
		from = string(text)
	}
	if all != 8 {
		t.Errorf("%d events, want 8", all)
	}
	for _, from := range []string{"-1", "x", "1e3", "99999999999999999999"} {
		if status, a := p.GetJSON("/api/events?from=" + from); status != 422 || code(a) != "request" {
			t.Errorf("from=%s: %d %v", from, status, a)
		}
	}
	if _, a := p.GetJSON("/api/events?from=100"); a["next"] != 8.0 {
		t.Errorf("beyond the end: %v", a)
	}
}

func TestDashboardAnswers(t *testing.T) {
	p := serveDashboard(t, &RecordedRun{Live: true}, Config{})
	if status, a := p.GetJSON("/api/run"); status != 200 || a["name"] != "recorded" || a["live"] != true ||
		a["variant"].(map[string]any)["name"] != "international" || len(a["marks"].([]any)) != 4 {
		t.Errorf("%d %v", status, a)
	}
	if status, a := p.GetJSON("/api/settings"); status != 200 || len(a["settings"].([]any)) != 3 {
		t.Errorf("%d %v", status, a)
	}
	a, err := p.Server.Client().Get(p.Server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if kind := a.Header.Get("Content-Type"); a.StatusCode != 200 || kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("%d %s", a.StatusCode, kind)
	}
	for _, path := range []string{"/index.html", "/dashboard.html", "/api/boards", "/api/", "/metrics/x", "/strings/", "/models/gen-000001.safetensors", "/..%2f..%2frun.json"} {
		if status, _ := p.Get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	broken := serveDashboard(t, &RecordedRun{Broken: errors.New("no disk")}, Config{})
	for _, path := range []string{"/api/events", "/api/settings", "/api/games", "/metrics"} {
		if status, a := broken.GetJSON(path); status != 500 || code(a) != "failed" {
			t.Errorf("%s: %d %v", path, status, a)
		}
	}
}

// Games of all geometries are sent, and all pages share one call of Run.Games.
func TestDashboardGames(t *testing.T) {
	for _, name := range []string{"english", "international", "canadian", "turkish"} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		run := &RecordedRun{On: v}
		first := v.Start()
		move := v.AppendMoves(nil, first)[0]
		run.Play(Game{ID: "a", Position: first}, Game{ID: "b", Position: v.Play(first, move), Ply: 1, Last: move, White: rules.WDL{Win: 0.5, Draw: 0.25, Loss: 0.25}})
		p := serveDashboard(t, run, Config{})
		status, a := p.GetJSON("/api/games")
		games, _ := a["games"].([]any)
		if status != 200 || len(games) != 2 || a["live"] != false {
			t.Fatalf("%s: %d %v", name, status, a)
		}
		one, two := games[0].(map[string]any), games[1].(map[string]any)
		if one["fen"] != v.FEN(first) || one["from"] != 0.0 || one["score"] != nil || len(one["pieces"].(string)) != v.Board.Squares() {
			t.Errorf("%s: the start is %v", name, one)
		}
		if two["from"] != float64(move.From) || two["to"] != float64(move.To) || two["ply"] != 1.0 || two["score"] != 0.625 {
			t.Errorf("%s: after a move %v", name, two)
		}
		for range 20 {
			p.GetJSON("/api/games?n=1")
		}
		if n := run.Looks.Load(); n > 3 {
			t.Errorf("%s: %d calls of Games", name, n)
		}
		if _, a := p.GetJSON("/api/games?n=1"); len(a["games"].([]any)) != 1 {
			t.Errorf("%s: one game is %v", name, a)
		}
		for _, n := range []string{"0", "-3", "33", "all"} {
			if status, a := p.GetJSON("/api/games?n=" + n); status != 422 || code(a) != "request" {
				t.Errorf("n=%s: %d %v", n, status, a)
			}
		}
	}
}

func TestDashboardPosition(t *testing.T) {
	run := &RecordedRun{Networks: []int{13, 20, 100, 200}}
	p := serveDashboard(t, run, Config{})
	status, a := p.Post("/api/position", map[string]any{"fen": ""})
	if status != 200 || a["legal"] != 9.0 || a["turn"] != "white" || a["left_out"] != 0.0 || len(a["moves"].([]any)) != shownMoves {
		t.Fatalf("%d %v", status, a)
	}
	networks := a["networks"].([]any)
	if len(networks) != 3 { // the network of generation 13 is missing
		t.Fatalf("%v", networks)
	}
	for i, want := range []float64{20, 100, 200} {
		n := networks[i].(map[string]any)
		if n["generation"] != want || n["score"] != 0.25+want/1000 || n["priors"].([]any)[0] != want/1000 {
			t.Errorf("network %d: %v", i, n)
		}
	}
	// Values are White's also with Black to move; the newest network's best moves come first.
	status, a = p.Post("/api/position", map[string]any{"fen": "B:W31-50:B1-20"})
	if score := a["networks"].([]any)[2].(map[string]any)["score"]; status != 200 || a["turn"] != "black" || score != 0.55 {
		t.Errorf("%d %v", status, a)
	}
	// The same position again is answered from the cache.
	before := run.Asked.Load()
	if status, again := p.Post("/api/position", map[string]any{"fen": "B:W31-50:B1-20"}); status != 200 || again["fen"] != a["fen"] || run.Asked.Load() != before {
		t.Errorf("the same position again: status %d, %d calls of Network", status, run.Asked.Load()-before)
	}
	for range maxCached + 3 { // the cache is bounded
		fen := v64(t, int(run.Asked.Load()))
		p.Post("/api/position", map[string]any{"fen": fen})
	}
	for _, c := range []struct {
		text   string
		status int
		code   string
	}{
		{`{"fen":"W:W99:B1"}`, 422, "fen"},
		{`{"fen":"/etc/passwd"}`, 422, "fen"},
		{`{"fen":"../models/gen-000001.safetensors"}`, 422, "fen"},
		{`{"fen":"` + strings.Repeat("W", maxFEN+1) + `"}`, 422, "fen"},
		{`{"fen":"W:W46:B41,37"}`, 422, "over"},
		{`{"fen":"","model":"/etc/passwd"}`, 400, "request"},
		{`{"generation":1}`, 400, "request"},
		{`{"fen":1}`, 400, "request"},
		{`{}{}`, 400, "request"},
		{`{"fen":"` + strings.Repeat("x", web.BodyLimit) + `"}`, 413, "large"},
	} {
		if status, a := p.Send("/api/position", bytes.NewReader([]byte(c.text)), nil); status != c.status || code(a) != c.code {
			t.Errorf("%.50s: %d %v, want %d %s", c.text, status, a, c.status, c.code)
		}
	}
	if status, a := p.Send("/api/position", bytes.NewReader([]byte(`{}`)), map[string]string{"Origin": "http://evil.example"}); status != 403 || code(a) != "origin" {
		t.Errorf("from another site: %d %v", status, a)
	}
	if status, a := p.Send("/api/position", bytes.NewReader([]byte(`{}`)), map[string]string{"Content-Type": "text/plain"}); status != 415 || code(a) != "type" {
		t.Errorf("of another type: %d %v", status, a)
	}

	// A network that cannot be read is counted as left out. A run without networks sends no
	// evaluation.
	p = serveDashboard(t, &RecordedRun{Networks: []int{14, 20}}, Config{})
	if status, a := p.Post("/api/position", map[string]any{}); status != 200 || a["left_out"] != 1.0 || len(a["networks"].([]any)) != 1 {
		t.Errorf("with a damaged one: %d %v", status, a)
	}
	p = serveDashboard(t, &RecordedRun{Networks: []int{}}, Config{})
	if status, a := p.Post("/api/position", map[string]any{}); status != 200 || len(a["networks"].([]any)) != 0 {
		t.Errorf("without networks: %d %v", status, a)
	}
}

// A request is about the run whose index it gives, by default the first.
func TestDashboardRunsOfRequests(t *testing.T) {
	short := &RecordedRun{Name: "short", Networks: []int{3}}
	short.Go(2, Phase{})
	p := serveDashboard(t, &RecordedRun{Name: "long"}, Config{Others: []Run{short}})
	_, all := p.GetJSON("/api/runs")
	list := all["runs"].([]any)
	if len(list) != 2 || list[0].(map[string]any)["name"] != "long" || list[1].(map[string]any)["name"] != "short" {
		t.Errorf("runs %v", list)
	}
	for _, c := range []struct {
		query, name string
		networks    int
	}{{"", "long", 5}, {"?run=0", "long", 5}, {"?run=1", "short", 1}} {
		if _, a := p.GetJSON("/api/run" + c.query); a["name"] != c.name {
			t.Errorf("%q is about %v, want %s", c.query, a["name"], c.name)
		}
		if _, a := p.GetJSON("/api/networks" + c.query); len(a["generations"].([]any)) != c.networks {
			t.Errorf("%q has %v", c.query, a)
		}
	}
	if _, a := p.GetJSON("/api/events?run=1&from=0"); len(a["events"].([]any)) != 2 || a["now"] == nil {
		t.Errorf("events %v", a)
	}
	if status, a := p.Post("/api/position?run=1", map[string]any{}); status != 200 || len(a["networks"].([]any)) != 1 {
		t.Errorf("%d %v", status, a)
	}
	for _, query := range []string{"run=2", "run=-1", "run=x", "run=1e9"} {
		if status, a := p.GetJSON("/api/run?" + query); status != 422 || code(a) != "request" {
			t.Errorf("%s: %d %v", query, status, a)
		}
	}
}

// The file of a network is answered as it is, with its name; its hash is that of the file.
func TestDashboardNetwork(t *testing.T) {
	p := serveDashboard(t, &RecordedRun{}, Config{})
	_, a := p.GetJSON("/api/network?generation=26")
	response, err := http.Get(p.Server.URL + "/api/network/file?generation=26")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(content)); a["sha256"] != got || a["bytes"] != float64(len(content)) {
		t.Errorf("%v, want the hash %s of %d bytes", a, got, len(content))
	}
	h := response.Header
	if got := h.Get("Content-Disposition"); got != "attachment; filename=gen-000026.nnue" {
		t.Errorf("Content-Disposition: %s", got)
	}
	if h.Get("Content-Type") != "application/octet-stream" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", h)
	}
	for query, want := range map[string]int{
		"": 422, "?generation=-1": 422, "?generation=x": 422, "?generation=99999999999": 422,
		"?generation=13": 404, "?generation=..%2F1": 422,
	} {
		for _, path := range []string{"/api/network", "/api/network/file"} {
			if status, a := p.GetJSON(path + query); status != want {
				t.Errorf("%s%s: %d %v, want %d", path, query, status, a, want)
			}
		}
	}
	broken := serveDashboard(t, &RecordedRun{Broken: errors.New("disk")}, Config{})
	if status, _ := broken.GetJSON("/api/network?generation=26"); status != 500 {
		t.Errorf("a broken run: %d", status)
	}
}

// v64 returns a position that depends on n.
func v64(t *testing.T, n int) string {
	t.Helper()
	v := rules.International
	p := v.Start()
	for range 8 {
		moves := v.AppendMoves(nil, p)
		p = v.Play(p, moves[n%len(moves)])
		n /= 3
	}
	return v.FEN(p)
}

// The number of networks for one position and the number of waiting requests are bounded.
func TestDashboardPositionIsBounded(t *testing.T) {
	many := make([]int, 1000)
	for i := range many {
		many[i] = 100 + i/4
	}
	run := &RecordedRun{Networks: many}
	p := serveDashboard(t, run, Config{})
	if status, a := p.Post("/api/position", map[string]any{}); status != 200 || run.Asked.Load() != maxNetworks {
		t.Errorf("%d calls of Network: %d %v", run.Asked.Load(), status, a["error"])
	}
	if got := spaced([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3); !slices.Equal(got, []int{1, 5, 9}) {
		t.Errorf("spaced: %v", got)
	}

	slow := serveDashboard(t, &RecordedRun{Networks: []int{1, 2}, Pause: 300 * time.Millisecond}, Config{})
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	for i := range 2 * (1 + maxWaiting) {
		all.Go(func() {
			status, _ := slow.Post("/api/position", map[string]any{"fen": v64(t, 7*i+1)})
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
		})
	}
	all.Wait()
	if answers[200] < 1+maxWaiting || answers[503] == 0 || answers[200]+answers[503] != 2*(1+maxWaiting) {
		t.Errorf("answers by status: %v", answers)
	}
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// The dashboard has the same guard as the board.
func TestDashboardGuard(t *testing.T) {
	p := serveDashboard(t, &RecordedRun{}, Config{})
	status := func(p *webtest.Client, path string, header map[string]string) int {
		r, err := http.NewRequest("GET", p.Server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range header {
			if r.Header.Set(k, v); k == "Host" {
				r.Host = v
			}
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.Header.Get("Content-Security-Policy") != policy || a.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: headers %v", path, a.Header)
		}
		return a.StatusCode
	}
	if got := status(p, "/metrics", map[string]string{"Host": "evil.example"}); got != 421 {
		t.Errorf("a name that leads here: %d", got)
	}
	if got := status(p, "/api/events", map[string]string{"Sec-Fetch-Site": "cross-site"}); got != 403 {
		t.Errorf("another site: %d", got)
	}
	p = serveDashboard(t, &RecordedRun{}, Config{Token: "secret"})
	for _, path := range []string{"/", "/metrics", "/api/run", "/dashboard.js", "/?token=wrong"} {
		if got := status(p, path, nil); got != 401 {
			t.Errorf("%s without the token: %d", path, got)
		}
	}
	for _, c := range []struct {
		path, name, value string
		want              int
	}{
		{"/metrics", "Authorization", "Bearer secret", 200},
		{"/metrics", "Authorization", "Bearer wrong", 401},
		{"/metrics", "Authorization", "Basic secret", 401},
		{"/api/run", "Cookie", tokenCookie + "=secret", 200},
		{"/api/run", "Cookie", "damier_token=secret", 401}, // a board's cookie
		{"/?token=secret", "Accept", "*/*", 303},
	} {
		if got := status(p, c.path, map[string]string{c.name: c.value}); got != c.want {
			t.Errorf("%s with %s %s: %d, want %d", c.path, c.name, c.value, got, c.want)
		}
	}
}

func TestDashboardServeEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- New(&RecordedRun{}, Config{}).Serve(ctx, l) }()
	a, err := http.Get("http://" + l.Addr().String() + "/")
	if err != nil || a.StatusCode != 200 {
		t.Fatal(a, err)
	}
	a.Body.Close()
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

// The texts are exactly those that the dashboard uses.
func TestDashboardStrings(t *testing.T) {
	english, board := webtest.Texts(t, files, "strings/dashboard"), webtest.Texts(t, files, "strings")
	asked := map[string]bool{}
	for _, file := range []string{"dashboard.html", "dashboard.js", "chart.js", "runs.js", "forecast.js"} {
		for _, m := range regexp.MustCompile(`data-t(?:-label)?="([^"]+)"|\bt\("([^"]+)"[,)]|"(d\.[a-z.]*[a-z])"`).FindAllStringSubmatch(files.Text(file), -1) {
			key := m[1] + m[2] + m[3]
			asked[key] = true
			if english[key] == "" && board[key] == "" {
				t.Errorf("%s uses %q, which has no text", file, key)
			}
		}
	}
	for key := range english {
		// The page forms these keys from words of the server.
		made := regexp.MustCompile(`^d\.(now|phase|event|origin|problem)\.`).MatchString(key)
		if board[key] != "" || !asked[key] && !made {
			t.Errorf("%q is used nowhere, or is a text of the board", key)
		}
	}
}

// Only the embedded files are served, by their own names, and none of the board's.
func TestFiles(t *testing.T) {
	p := serveDashboard(t, &RecordedRun{}, Config{})
	own := p.Files(files[1:], "dashboard.html")
	p.Files(files[:1], "")
	if own > 108_000 {
		t.Errorf("the dashboard's own files weigh %d bytes, at most 108,000 are allowed", own)
	}
	t.Logf("the dashboard's own files weigh %d bytes", own)
	for _, path := range []string{"/dashboard.html", "/index.html", "/app.js", "/strings/", "/strings/dashboard/", "/static/dashboard.js"} {
		if status, _ := p.Get(path); status != 404 {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
}
