package board

import (
	"context"
	"fmt"
	"strings"
	"testing"

	marks "damier/review"
	"damier/rules"
	"damier/web/searches"
)

// losing is a game whose last move loses at least a man.
const losing = "1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-22 *"

func TestReview(t *testing.T) {
	for name, config := range map[string]Config{"tree": evensConfig(), "alphabeta": {}} {
		p := serve(t, config)
		p.open(body{"seats": people})
		p.fails("review", body{"on": true}, 409, "no-moves")
		s := p.act("load", body{"text": losing})
		p.fails("review", body{"on": true, "index": len(efforts)}, 422, "request")
		p.act("review", body{"on": true, "index": 0})
		points := map[int]map[string]any{}
		accuracy := body{}
		p.listen(func(event string, data map[string]any) bool {
			if event != "review" {
				return false
			}
			for i, k := range data["points"].([]any) {
				points[i] = k.(map[string]any)
			}
			if a, ok := data["accuracy"].(map[string]any); ok {
				accuracy = a
			}
			if data["total"] != 10.0 || data["engine"] != name {
				t.Errorf("%s: %v", name, data)
			}
			return data["running"] == false
		})
		if len(points) != 10 {
			t.Fatalf("%s: %d positions, want 10", name, len(points))
		}
		for i := range 10 {
			k := points[i]
			if want := float64(0); i > 0 {
				if want = float64(nodeAt(s, i)); k["node"] != want {
					t.Errorf("%s: position %d belongs to move %v, want %v", name, i, k["node"], want)
				}
			}
			if k["best"] == "" {
				t.Errorf("%s: position %d: %v", name, i, k)
			}
			if name == "tree" && k["mark"] != nil {
				t.Errorf("the value of the network evens is %v", k)
			}
		}
		white, _ := accuracy["white"].(float64)
		black, _ := accuracy["black"].(float64)
		if name == "tree" && (white < 95 || black < 95) || name == "alphabeta" && (white <= 0 || white >= 90 || black <= white) {
			t.Errorf("%s: accuracy %v", name, accuracy)
		}
		// 17x28 captures the man of the last move, and White cannot recapture.
		if k := points[9]; name == "alphabeta" && (k["mark"] == nil || k["loss"].(float64) < marks.DoubtfulLoss) {
			t.Errorf("28-22 costs nothing: %v, before it %v", k, points[8])
		}
		if k := points[9]; name == "alphabeta" && (len(k["better"].([]any)) < 2 || k["better"].([]any)[0] == "28-22" || k["before"].(float64)-k["score"].(float64)-k["loss"].(float64) > 1e-9) {
			t.Errorf("the better line or the loss of 28-22 is wrong: %v", k)
		}
		// White's move 2 was a forced capture, so the scores before and after it are exactly
		// equal.
		if before, after := points[2]["score"], points[3]["score"]; before != after || points[3]["mark"] != nil {
			t.Errorf("%s: the only move changes the score from %v to %v", name, before, after)
		}
		// A new stream gets the whole review; a new game deletes it.
		p.listen(func(event string, data map[string]any) bool {
			return event == "review" && data["running"] == false && len(data["points"].([]any)) == 10
		})
		p.act("delete", body{"node": nodeAt(s, 9)})
		if b, err := p.board(); err != nil || b.review != nil {
			t.Errorf("%s: a move of it is gone, and the review is there: %v", name, err)
		}
	}
}

// A review can be stopped. It is interrupted by searches for a move. The analysis of the position
// continues after it.
func TestReviewStops(t *testing.T) {
	p := serve(t, evensConfig())
	p.open(body{"seats": people})
	p.act("load", body{"text": losing})
	p.act("analyse", body{"on": true})
	p.act("review", body{"on": true, "index": len(efforts) - 1})
	seen := 0
	p.listen(func(event string, data map[string]any) bool {
		if event == "analysis" {
			t.Error("the analysis does not wait for the review")
		}
		if event == "review" {
			seen = int(data["done"].(float64))
		}
		return seen > 0
	})
	q := *p
	q.open(body{"seats": body{"white": body{"player": "alphabeta", "level": 1}, "black": body{"player": "person"}}})
	q.until("moved meanwhile", func(s map[string]any) bool { return s["ply"] == 1.0 })
	p.act("review", body{"on": false})
	analysed := false
	p.listen(func(event string, data map[string]any) bool {
		if event == "review" && (data["running"] != false || data["done"] == 0.0 || data["done"] == 10.0 || len(data["points"].([]any)) != 0) {
			t.Errorf("stopped: %v", data)
		}
		analysed = analysed || event == "analysis"
		return analysed
	})
	p.act("review", body{"on": false}) // nothing to stop
	p.act("new", nil)
	if b, err := p.board(); err != nil || b.review != nil {
		t.Errorf("a new game has a review: %v", err)
	}
}

// When the reviewed tree is replaced by another, the review is deleted.
func TestReviewOfAnotherTree(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	p.act("load", body{"text": losing})
	p.act("review", body{"on": true, "index": 0})
	b, err := p.board()
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.game = rules.NewGame(rules.International)
	b.root, b.line, b.nodes = &node{}, nil, 0
	if b.changed(); b.review != nil {
		t.Error("the review is still there")
	}
}

// The limit of the queue applies to reviews too.
func TestReviewIsRefusedWhenBusy(t *testing.T) {
	c := evensConfig()
	c.Queue = 1
	p := serve(t, c)
	p.open(body{"seats": people})
	p.act("load", body{"text": losing})
	hold, held := make(chan struct{}), make(chan struct{})
	defer close(hold)
	if err := p.of.queue.Add(&searches.Job{Context: t.Context(), Run: func(context.Context, *searches.Worker) { close(held); <-hold }}); err != nil {
		t.Fatal(err)
	}
	<-held
	if err := p.of.queue.Add(&searches.Job{Context: t.Context(), Run: func(context.Context, *searches.Worker) {}}); err != nil {
		t.Fatal(err)
	}
	p.act("review", body{"on": true})
	p.listen(func(event string, data map[string]any) bool {
		if event == "review" && data["running"] == false && !strings.Contains(fmt.Sprint(data["error"]), "too many searches") {
			t.Errorf("the review does not say why there is none: %v", data)
		}
		return event == "review" && data["running"] == false
	})
	p.act("seek", body{"ply": 0})
	p.act("threat", body{"on": true})
	p.listen(func(event string, data map[string]any) bool {
		if event == "threat" && data["refused"] != "failed" {
			t.Errorf("the queue is full, and the threat is not refused as failed: %v", data)
		}
		return event == "threat"
	})
}

func TestThreat(t *testing.T) {
	for name, config := range map[string]Config{"tree": evensConfig(), "alphabeta": {}} {
		p := serve(t, config)
		p.open(body{"seats": people})
		p.act("threat", body{"on": true})
		see := func(what string, is func(data map[string]any) bool) {
			t.Helper()
			p.listen(func(event string, data map[string]any) bool {
				if event != "threat" {
					return false
				}
				if !is(data) {
					t.Errorf("%s, %s: %v", name, what, data)
				}
				return true
			})
		}
		see("the start", func(d map[string]any) bool { return d["side"] == "black" && d["text"] != "" && d["refused"] == nil })
		p.act("new", body{"fen": "W:W27,37,48:B21,10"})
		see("a capture", func(d map[string]any) bool { return d["refused"] == "capture" })
		p.act("new", body{"fen": "W:W33,42,43,50:BK5,10"})
		see("quiet", func(d map[string]any) bool { return d["refused"] == nil && len(d["path"].([]any)) >= 2 })
		p.act("new", body{"fen": "W:W36:B26"})
		see("nothing to play", func(d map[string]any) bool { return d["refused"] != nil || d["text"] != "" })
		p.act("resign", nil)
		see("over", func(d map[string]any) bool {
			return d["refused"] == "over" && strings.Contains(fmt.Sprint(d["error"]), "over")
		})
		p.act("threat", body{"on": false})
	}
}

func TestPassTurn(t *testing.T) {
	for _, c := range []struct {
		fen, kind string
		legal     int
	}{
		{"W:W31-50:B1-20", "", 9},
		{"B:W31-50:B1-20", "", 9},
		{"W:W28:B22", "capture", 0},
		{"W:W28,32:B23,14,10", "capture", 0},
		{"W:W45,50:B35", "", 1},
		{"W:W40,45,44:B35", "none", 0},
	} {
		p, err := rules.ParseFEN(rules.International, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		g, kind, err := passTurn(rules.NewGameFrom(rules.International, p))
		if kind != c.kind || (err == nil) != (c.kind == "") {
			t.Errorf("%s: %q %v, want %q", c.fen, kind, err, c.kind)
			continue
		}
		if g != nil && len(g.Legal()) != c.legal {
			t.Errorf("%s: %d moves after a pass, want %d", c.fen, len(g.Legal()), c.legal)
		}
	}
}

func TestCheckPosition(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	e := strings.Repeat("e", 50)
	put := func(pieces map[int]byte) string {
		text := []byte(e)
		for q, letter := range pieces {
			text[q-1] = letter
		}
		return string(text)
	}
	for _, c := range []struct {
		name, text, side, kinds, says string
	}{
		{"good", put(map[int]byte{31: 'w', 5: 'B'}), "white", "", ""},
		{"nothing at all", e, "", "turn none none", "white has no piece"},
		{"no side", put(map[int]byte{31: 'w', 5: 'B'}), "", "turn", "choose White or Black"},
		{"promotion rows", put(map[int]byte{3: 'w', 31: 'w', 48: 'b'}), "black", "row row", "a black man cannot stand on 48"},
		{"kings there", put(map[int]byte{3: 'W', 48: 'B'}), "black", "", ""},
		{"too many", strings.Repeat("e", 5) + strings.Repeat("w", 21) + strings.Repeat("e", 23) + "B", "white", "many", "white has 21 pieces"},
		{"stuck", put(map[int]byte{46: 'w', 41: 'b', 37: 'b', 32: 'b'}), "white", "stuck", "cannot"},
	} {
		s := p.act("check", body{"text": c.text, "side": c.side})
		var kinds, texts []string
		for _, f := range s["faults"].([]any) {
			kinds = append(kinds, f.(map[string]any)["kind"].(string))
			texts = append(texts, f.(map[string]any)["text"].(string))
		}
		if strings.Join(kinds, " ") != c.kinds || !strings.Contains(strings.Join(texts, "; "), c.says) {
			t.Errorf("%s: %q %q", c.name, kinds, texts)
		}
		good := c.kinds == "" || c.kinds == "stuck"
		if fen := s["fen"].(string); (fen != "") != good {
			t.Errorf("%s: the FEN is %q", c.name, fen)
		} else if good {
			if s := p.act("new", body{"fen": fen}); s["fen"] != fen || s["pieces"] != c.text {
				t.Errorf("%s: set up it is %v", c.name, s["fen"])
			}
		}
	}
	p.fails("check", body{"text": e + "e", "side": "white"}, 422, "request")
	p.fails("check", body{"text": strings.Replace(e, "e", "x", 1), "side": "white"}, 422, "request")
	p.fails("check", body{"text": e, "side": "red"}, 422, "request")
}

// The editor accepts a position if and only if the rules do, in every variant.
func TestCheckAgreesWithRules(t *testing.T) {
	letters := "eeewbWB"
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		seed := uint32(7)
		for range 300 {
			text := make([]byte, v.Board.Squares())
			var white, black, kings rules.Set
			for i := range text {
				seed = seed*1664525 + 1013904223
				text[i] = letters[seed>>16%uint32(len(letters))]
				set := v.Board.Set(rules.Square(i + 1))
				switch text[i] {
				case 'w', 'W':
					white = white.Or(set)
				case 'b', 'B':
					black = black.Or(set)
				}
				if text[i] == 'W' || text[i] == 'B' {
					kings = kings.Or(set)
				}
			}
			got := check(v, string(text), "white")
			want := rules.Validate(v, rules.NewPosition(white, black, kings, rules.White))
			if white.Empty() || black.Empty() {
				continue
			}
			if (got.FEN != "") != (want == nil) {
				t.Fatalf("%s, %s: %v, the rules say %v", name, text, got.Faults, want)
			}
		}
	}
}
