package tactics

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"damier/tactics"
	"damier/web"
	"damier/web/searches"
	"damier/web/webtest"
)

// serve starts a server of the tactics only.
func serve(t *testing.T) *webtest.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	queue := searches.New(128, []*searches.Worker{{Rand: rand.New(rand.NewPCG(1, 2))}})
	m := http.NewServeMux()
	New(ctx, queue, searches.Networks{}).Routes(m)
	return webtest.Serve(t, &web.Guard{Next: m}, func() {
		cancel()
		queue.Close()
	})
}

// tacticPath returns the path of a tactic's requests.
func tacticPath(x *tactics.Tactic) string { return "/api/tactics/" + x.Variant.Name + "/" + x.ID() }

// The lists contain every tactic and no solution. A tactic contains its solution with the solver's
// legal moves.
func TestTactics(t *testing.T) {
	p := serve(t)
	_, text := p.Get("/api/tactics")
	var kinds struct {
		Variants []struct {
			Name  string
			Count int
		}
		Themes []string
	}
	if err := json.Unmarshal([]byte(text), &kinds); err != nil || len(kinds.Themes) != len(tactics.AllThemes()) {
		t.Fatalf("%v: %s", err, text)
	}
	total := 0
	for _, v := range kinds.Variants {
		total += v.Count
		status, text := p.Get("/api/tactics/" + v.Name)
		var list []map[string]any
		if err := json.Unmarshal([]byte(text), &list); err != nil || status != 200 || len(list) != v.Count {
			t.Errorf("%s: %d %v, %d of %d", v.Name, status, err, len(list), v.Count)
		}
		if len(text) > 20_000 {
			t.Errorf("the list of %s has %d bytes", v.Name, len(text))
		}
		if _, there := list[0]["steps"]; there {
			t.Error("the list contains the solutions")
		}
	}
	if all := len(tactics.Collection()); total != all {
		t.Errorf("%d tactics are listed, want %d", total, all)
	}
	for i, x := range tactics.Collection() {
		if i%10 != 0 {
			continue
		}
		_, text := p.Get(tacticPath(&x))
		var s tacticState
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Steps) != len(x.Line) || s.FEN != x.Variant.FEN(x.Start) || s.ID != x.ID() {
			t.Errorf("%s: %d steps of %d", x.ID(), len(s.Steps), len(x.Line))
		}
		for j, step := range s.Steps {
			if j%2 == 0 && step.Legal[step.Index].Text != x.Variant.FormatMove(x.Line[j]) {
				t.Errorf("%s: move %d is %s", x.ID(), j, step.Legal[step.Index].Text)
			}
			if j%2 == 1 && (len(step.Legal) > 0 || len(step.Move.Captured) == 0) {
				t.Errorf("%s: reply %d", x.ID(), j)
			}
		}
	}
	if status, text := p.Get("/api/tactics/chess"); status != 200 || text != "[]" {
		t.Errorf("the list of an unknown variant: %d %s", status, text)
	}
	for _, path := range []string{"/api/tactics/international/x", "/api/tactics/chess/" + tactics.Collection()[0].ID(), "/api/tactics/international/x/watch"} {
		if status, _ := p.Get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// The refutation of every wrong first move shows that it wins less than a man.
func TestRefute(t *testing.T) {
	p := serve(t)
	for _, name := range []string{"international", "english"} {
		x := tacticsOf(name)[0]
		legal := x.Variant.AppendMoves(nil, x.Start)
		for i, m := range legal {
			status, answer := p.Post(tacticPath(x)+"/refute", map[string]any{"ply": 0, "index": i})
			if m == x.Line[0] {
				if status != 422 {
					t.Errorf("the right move is refuted: %v", answer)
				}
				continue
			}
			if gain, _ := answer["gain"].(float64); status != 200 || gain >= 1 || answer["reply"] == nil {
				t.Errorf("%s: %d %v", x.Variant.FormatMove(m), status, answer)
			}
		}
	}
	x := tacticsOf("international")[0]
	for _, b := range []map[string]any{{"ply": 1}, {"ply": -2}, {"ply": 100}, {"ply": 0, "index": 99}, {"ply": 0, "index": -1}, {"what": 1}} {
		if status, answer := p.Post(tacticPath(x)+"/refute", b); status != 422 && status != 400 {
			t.Errorf("%v: %d %v", b, status, answer)
		}
	}
	status, answer := p.Post(tacticPath(x)+"/explain", map[string]any{"ply": 0, "from": 1, "to": 1})
	if status != 200 || answer["text"] == "" {
		t.Errorf("explain: %d %v", status, answer)
	}
	if status, _ := p.Post(tacticPath(x)+"/explain", map[string]any{"ply": 0, "from": 99, "to": 1}); status != 422 {
		t.Errorf("explain 99: %d", status)
	}
}

// A watched search always reports the solution's move, and ends. Without a network the alpha-beta
// searches, and it finds a short combination.
func TestWatch(t *testing.T) {
	p := serve(t)
	x := tacticsOf("english")[0]
	status, text := p.Get(tacticPath(x) + "/watch")
	reports := []watched{}
	for _, line := range strings.Split(text, "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, "nodes") {
			var r watched
			if err := json.Unmarshal([]byte(data), &r); err != nil {
				t.Fatal(err)
			}
			reports = append(reports, r)
		}
	}
	if status != 200 || !strings.HasPrefix(text, "event: begin\n") || len(reports) < 2 {
		t.Fatalf("%d, %d reports\n%s", status, len(reports), text)
	}
	last := reports[len(reports)-1]
	if !last.Done || !last.Best || last.Nodes == 0 || !last.Moves[0].Solution {
		t.Errorf("the last report: %+v", last)
	}
	for _, r := range reports {
		n := 0
		for _, m := range r.Moves {
			if m.Solution {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d solutions in %+v", n, r)
		}
	}
}
