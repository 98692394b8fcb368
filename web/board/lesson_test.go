package board

import (
	"slices"
	"testing"

	marks "damier/review"
)

// An attempt at a lesson is judged as the review judges moves, and changes nothing on the board.
func TestLesson(t *testing.T) {
	p := serve(t, Config{})
	p.open(body{"seats": people})
	s := p.act("load", body{"text": losing})
	mistake := nodeAt(s, 9)
	p.fails("try", body{"node": mistake, "index": 0}, 409, "lesson") // there is no review
	p.act("review", body{"on": true, "index": 0})
	var point body
	p.listen(func(event string, data map[string]any) bool {
		if event != "review" || data["running"] != false {
			return false
		}
		point = data["points"].([]any)[9].(body)
		return true
	})
	if point["mark"] == nil || int(point["node"].(float64)) != mistake {
		t.Fatalf("28-22 is %v", point)
	}
	p.fails("try", body{"node": mistake, "text": "28-22"}, 409, "lesson") // the board is behind it
	p.act("goto", body{"node": nodeAt(s, 8)})
	p.fails("try", body{"node": nodeAt(s, 8), "text": "28-22"}, 409, "lesson") // no mistake
	p.fails("try", body{"node": mistake, "text": "28-17"}, 422, "refused")
	p.fails("try", body{"node": mistake, "index": 99}, 422, "refused")

	// try sends an attempt when the stream is open, and returns the verdict.
	try := func(text string) (found body) {
		t.Helper()
		p.listen(func(event string, data map[string]any) bool {
			if event == "state" {
				p.act("try", body{"node": mistake, "text": text})
			}
			found = data
			return event == "tried"
		})
		return found
	}
	better := point["better"].([]any)[0].(string)
	if v := try("28-22"); v["good"] != false || v["best"] != false || v["reply"] != nil || v["score"] != point["score"] {
		t.Errorf("the mistake again: %v", v)
	}
	if v := try(better); v["good"] != true || v["best"] != true || v["score"] != point["before"] || v["text"] != better {
		t.Errorf("the best move: %v", v)
	}
	// The verdict on every other move is the same as the cost that it has as a move of a game.
	legal := p.act("seek", body{"ply": 8})["legal"].([]any)
	at := slices.IndexFunc(legal, func(m any) bool {
		text := m.(body)["text"]
		return text != better && text != "28-22"
	})
	other := legal[at].(body)["text"].(string)
	v := try(other)
	loss := point["before"].(float64) - v["score"].(float64)
	if v["best"] != false || v["good"] != (marks.MarkOf(loss) == "") || v["text"] != other || v["reply"] == nil {
		t.Errorf("%s costs %.3f: %v", other, loss, v)
	}
	q := *p
	q.open(body{"seats": people})
	q.act("load", body{"text": "1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. " + other + " *"})
	q.act("review", body{"on": true, "index": 0})
	q.listen(func(event string, data map[string]any) bool {
		if event != "review" || data["running"] != false {
			return false
		}
		if again := data["points"].([]any)[9].(body)["score"]; again != v["score"] {
			t.Errorf("%s is worth %v as an attempt, %v in a game", other, v["score"], again)
		}
		return true
	})
	s = p.act("seek", body{"ply": 8})
	if moves(s) != "32-28 19-23 28x19 14x23 33-28 23x32 37x28 20-24 28-22" || s["tree"] != nil {
		t.Errorf("the attempts have changed the game: %s, %v", moves(s), s["tree"])
	}
	p.act("delete", body{"node": mistake})
	p.fails("try", body{"node": mistake, "index": 0}, 409, "lesson") // the review is gone
}
