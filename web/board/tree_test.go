package board

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/rules"
)

// drawn returns the tree of a state as text: the variations of a move follow it in brackets.
func drawn(s map[string]any) string {
	tree, _ := s["tree"].([]any)
	if tree == nil {
		return moves(s)
	}
	next := map[float64][]map[string]any{}
	for _, m := range tree {
		m := m.(map[string]any)
		up := m["up"].(float64)
		next[up] = append(next[up], m)
	}
	var line func(m map[string]any) []string
	line = func(m map[string]any) []string {
		words := []string{m["text"].(string)}
		return append(words, follow(m, next, line)...)
	}
	return strings.Join(follow(map[string]any{"id": 0.0}, next, line), " ")
}

func follow(m map[string]any, next map[float64][]map[string]any, line func(map[string]any) []string) []string {
	list := next[m["id"].(float64)]
	if len(list) == 0 {
		return nil
	}
	words := []string{list[0]["text"].(string)}
	for _, c := range list[1:] {
		words = append(words, "("+strings.Join(line(c), " ")+")")
	}
	return append(words, follow(list[0], next, line)...)
}

// node returns the id of a move of the line.
func nodeAt(s map[string]any, ply int) int {
	return int(s["moves"].([]any)[ply-1].(map[string]any)["id"].(float64))
}

func TestVariations(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	play := func(texts ...string) (s map[string]any) {
		t.Helper()
		for _, text := range texts {
			s = p.act("text", body{"text": text})
		}
		return s
	}
	is := func(s map[string]any, tree, line string) {
		t.Helper()
		if drawn(s) != tree || moves(s) != line {
			t.Fatalf("the tree is %q and the line %q, want %q and %q", drawn(s), moves(s), tree, line)
		}
	}
	s := play("32-28", "19-23", "28x19", "14x23")
	main := []int{nodeAt(s, 1), nodeAt(s, 2), nodeAt(s, 3), nodeAt(s, 4)}
	p.act("seek", body{"ply": 1})
	s = play("18-23", "38-32")
	is(s, "32-28 19-23 (18-23 38-32) 28x19 14x23", "32-28 18-23 38-32")
	branch := nodeAt(s, 2)

	// Back to the line by a click in the list. Playing a move that exists adds no variation.
	is(p.act("goto", body{"node": main[2]}), "32-28 19-23 (18-23 38-32) 28x19 14x23", "32-28 19-23 28x19 14x23")
	is(play("14x23"), "32-28 19-23 (18-23 38-32) 28x19 14x23", "32-28 19-23 28x19 14x23")
	p.act("goto", body{"node": main[0]})
	if s = p.act("redo", nil); s["ply"] != 2.0 || moves(s) != "32-28 19-23 28x19 14x23" {
		t.Errorf("redo leads to %v of %s", s["ply"], moves(s))
	}

	// A variation of the variation, and one at the first move.
	p.act("goto", body{"node": branch})
	is(play("37-32"), "32-28 19-23 (18-23 38-32 (37-32)) 28x19 14x23", "32-28 18-23 37-32")
	p.act("seek", body{"ply": 0})
	is(play("33-28"), "32-28 (33-28) 19-23 (18-23 38-32 (37-32)) 28x19 14x23", "33-28")

	// A promoted variation becomes the main line, and the old main line its variation.
	s = p.act("promote", body{"node": branch})
	is(s, "32-28 (33-28) 18-23 (19-23 28x19 14x23) 38-32 (37-32)", "33-28")
	p.fails("promote", body{"node": branch}, 422, "main")

	// After the shown move is deleted, the board shows the move before it.
	p.act("goto", body{"node": main[3]})
	s = p.act("delete", body{"node": main[1]})
	is(s, "32-28 (33-28) 18-23 38-32 (37-32)", "32-28 18-23 38-32")
	if s["ply"] != 1.0 || s["node"] != float64(main[0]) {
		t.Errorf("deleted, the board stands at %v", s["ply"])
	}
	p.fails("goto", body{"node": main[1]}, 422, "node")
	p.fails("goto", nil, 422, "request")
	p.fails("delete", body{"node": 0}, 422, "request")

	// A move played after taking one back becomes the main move.
	p.act("new", nil)
	play("32-28", "19-23")
	p.act("undo", nil)
	is(play("18-23", "37-32"), "32-28 18-23 (19-23) 37-32", "32-28 18-23 37-32")

	// A game ended by a player is over only at its last position.
	s = p.act("resign", nil)
	end := nodeAt(s, 3)
	p.act("seek", body{"ply": 2})
	if s = play("38-32"); s["outcome"] != "*" {
		t.Errorf("the variation has ended: %v", s)
	}
	if s = p.act("goto", body{"node": end}); s["outcome"] != "white" || s["reason"] != "resignation" {
		t.Errorf("the game has not ended: %v", s)
	}
	if s = p.act("delete", body{"node": end}); s["outcome"] != "*" {
		t.Errorf("without the last move the game has ended: %v", s)
	}
}

const annotated = `[Event "Notes and variations"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]
[GameType "20"]

{before the game} 1. 32-28 $1 {good} (1. 33-28 $6 {not so good} 18-23 (1...
19-23 2. 28x19) 2. 31-27) (1. 34-29) 1... 19-23 2. 28x19 14x23 {the exchange}
3. 37-32 *`

func TestPDNWithVariations(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	s := p.act("load", body{"text": annotated})
	want := "32-28 (33-28 18-23 (19-23 28x19) 31-27) (34-29) 19-23 28x19 14x23 37-32"
	if drawn(s) != want || s["intro"] != "before the game" || s["outcome"] != "white" {
		t.Fatalf("read: %s, %v", drawn(s), s["intro"])
	}
	written := func() string {
		t.Helper()
		status, text := p.Get("/api/boards/" + p.id + "/game.pdn")
		if status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		return text
	}
	first := written()
	if body := annotated[strings.Index(annotated, "{before"):]; !strings.Contains(first, body) {
		t.Errorf("the text is\n%s", first)
	}
	p.act("new", nil)
	if s = p.act("load", body{"text": first}); drawn(s) != want || written() != first {
		t.Errorf("after reading and writing the text is\n%s", written())
	}

	// Comments and glyphs can be changed, and are saved.
	s = p.act("annotate", body{"node": nodeAt(s, 1), "text": "the main {road}\n of all", "glyphs": []int{3}})
	if m := s["moves"].([]any)[0].(map[string]any); m["comment"] != "the main {road) of all" || fmt.Sprint(m["glyphs"]) != "[3]" {
		t.Errorf("annotated: %v", m)
	}
	if text := written(); !strings.Contains(text, "1. 32-28 $3 {the main {road) of all} (1. 33-28") {
		t.Errorf("annotated:\n%s", text)
	}
	p.act("annotate", body{"node": 0, "text": ""})
	if text := written(); strings.Contains(text, "before the game") {
		t.Errorf("without its first comment:\n%s", text)
	}
	p.fails("annotate", body{"node": 0, "glyphs": []int{1}}, 422, "request")
	p.fails("annotate", body{"node": nodeAt(s, 1), "glyphs": []int{300}}, 422, "request")
	p.fails("annotate", body{"node": nodeAt(s, 1), "text": strings.Repeat("x", maxComment+1)}, 422, "request")

	// The result belongs to the line that was played: with another main line there is no result.
	other := 0
	for _, m := range s["tree"].([]any) {
		if m := m.(map[string]any); m["text"] == "34-29" {
			other = int(m["id"].(float64))
		}
	}
	p.act("promote", body{"node": other})
	if text := written(); !strings.Contains(text, `[Result "*"]`) || !strings.Contains(text, "1. 34-29 (1. 32-28") {
		t.Errorf("promoted:\n%s", text)
	}
}

// Random trees are the same after writing, reading and writing again, in every variant. Deleted
// move by move, they leave no node.
func TestTreesRoundTrip(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	rng := rand.New(rand.NewPCG(8, 9))
	for _, name := range rules.Names() {
		s := p.act("new", body{"variant": name})
		for range 40 {
			if legal := len(s["legal"].([]any)); legal > 0 && rng.IntN(3) > 0 {
				s = p.act("move", body{"index": rng.IntN(legal)})
			} else {
				s = p.act("seek", body{"ply": rng.IntN(len(s["moves"].([]any)) + 1)})
			}
		}
		_, first := p.Get("/api/boards/" + p.id + "/game.pdn")
		tree := drawn(s)
		p.act("new", body{"variant": name})
		s = p.act("load", body{"text": first})
		if drawn(s) != tree {
			t.Errorf("%s: after reading the tree is\n%s\nwant\n%s\nin\n%s", name, drawn(s), tree, first)
		}
		if _, second := p.Get("/api/boards/" + p.id + "/game.pdn"); second != first {
			t.Errorf("%s: the second text is\n%s\nwant\n%s", name, second, first)
		}
		for len(s["moves"].([]any)) > 0 {
			s = p.act("delete", body{"node": nodeAt(s, 1+rng.IntN(len(s["moves"].([]any))))})
		}
		if s["ply"] != 0.0 || drawn(s) != "" {
			t.Errorf("%s: left is %v", name, s)
		}
	}
}

// A board has at most maxNodes moves.
func TestTreesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("1. 32-28")
	for range 1300 { // moves there and back, each in a variation
		b.WriteString(" (1. 33-28 18-22 2. 28-23 19x28)")
	}
	p := serve(t, Config{})
	p.open(body{"seats": people})
	s := p.act("load", body{"text": b.String() + " *"})
	if n := len(s["tree"].([]any)); n != 5 {
		t.Errorf("the same variation over and over makes %d moves", n)
	}
	board, err := p.board()
	if err != nil {
		t.Fatal(err)
	}
	board.mu.Lock()
	board.nodes = maxNodes
	board.mu.Unlock()
	p.fails("text", body{"text": "17-22"}, 409, "long")
	p.act("undo", nil)
	p.act("text", body{"text": "32-28"}) // the move exists already
}
