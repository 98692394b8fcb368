package board

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"damier/rules"
)

func TestOrderOfVerdicts(t *testing.T) {
	win := func(plies int) Verdict { return Verdict{Known: true, Result: 1, Theory: 1, Plies: plies, Sure: true} }
	loss := func(plies int) Verdict { return Verdict{Known: true, Result: -1, Theory: -1, Plies: plies, Sure: true} }
	open := func(x Verdict) Verdict { x.Sure = false; return x }
	forbidden := func(x Verdict) Verdict { x.Result, x.Forbidden = 0, true; return x }
	draw := Verdict{Known: true, Sure: true}
	order := []Verdict{ // best first
		win(3), win(41), open(win(5)), open(win(61)), forbidden(win(9)), draw, forbidden(loss(8)),
		open(loss(30)), open(loss(2)), loss(40), loss(2), {},
	}
	for i, a := range order {
		for j, b := range order {
			got := compareVerdicts(a, b)
			if i < j && got >= 0 || i == j && got != 0 || i > j && got <= 0 {
				t.Errorf("%+v against %+v: %d", a, b, got)
			}
		}
	}
	for _, c := range []struct {
		moves []Verdict
		want  Verdict
	}{
		{[]Verdict{win(3), draw, loss(2)}, win(3)},
		{[]Verdict{win(3), {}}, win(3)},
		{[]Verdict{open(win(3)), draw}, open(win(3))},
		{[]Verdict{open(win(3)), {}}, Verdict{}}, // the unknown move may win
		{[]Verdict{draw, {}}, Verdict{}},
		{[]Verdict{loss(8), loss(4)}, loss(8)},
		{[]Verdict{open(loss(8)), loss(40)}, open(loss(8))},
		{[]Verdict{forbidden(win(9)), draw}, forbidden(win(9))},
	} {
		if got := positionVerdict(c.moves); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.moves, got, c.want)
		}
	}
}

// The server sends the verdicts on the position and its moves, or says why there are none.
func TestVerdicts(t *testing.T) {
	asked := 0
	p := serve(t, Config{Verdicts: func(_ context.Context, v *rules.Variant, q rules.Position) ([]Verdict, error) {
		asked++
		var all []Verdict
		for i, m := range v.AppendMoves(nil, q) {
			all = append(all, []Verdict{
				{Move: m, Known: true, Result: -1, Theory: -1, Plies: 6, Sure: true},
				{Move: m, Known: true, Result: 1, Theory: 1, Plies: 11},
				{Move: m, Known: true, Theory: 1, Plies: 61, Sure: true, Forbidden: true},
			}[i%3])
		}
		switch q.Turn {
		case rules.Black:
			return nil, errors.New("a table is damaged")
		}
		if len(all) > 3 {
			return make([]Verdict, len(all)), nil
		}
		return all, nil
	}})
	s := p.open(body{"seats": people})
	if s["tables"] != true || s["verdicts"] != nil {
		t.Errorf("tables %v, shown %v", s["tables"], s["verdicts"])
	}
	see := func(what string, is func(d map[string]any) bool) {
		t.Helper()
		p.listen(func(event string, d map[string]any) bool {
			if event != "verdicts" {
				return false
			}
			if !is(d) {
				t.Errorf("%s: %v", what, d)
			}
			return true
		})
	}
	p.act("new", body{"fen": "W:W28,39:B1"})
	if asked != 0 {
		t.Errorf("%d calls before a page asked for verdicts", asked)
	}
	if s := p.act("verdicts", body{"on": true}); s["verdicts"] != true {
		t.Errorf("not shown: %v", s)
	}
	see("too many moves for the tables", func(d map[string]any) bool { return d["refused"] == "unknown" && d["moves"] == nil })
	p.act("new", body{"fen": "W:W36,37:B5"})
	see("three moves", func(d map[string]any) bool {
		whole, _ := d["position"].(map[string]any)
		moves, _ := d["moves"].([]any)
		if d["side"] != "white" || d["refused"] != nil || len(moves) != 3 {
			return false
		}
		first, second, third := moves[0].(map[string]any), moves[1].(map[string]any), moves[2].(map[string]any)
		return whole["result"] == "win" && whole["sure"] == false && whole["plies"] == 11.0 && whole["moves"] == 6.0 && whole["text"] == nil &&
			first["result"] == "win" && first["sure"] == false && strings.Contains(fmt.Sprint(first["text"]), "-") &&
			second["result"] == "draw" && second["sure"] == true && second["forbidden"] == "win" && second["moves"] == 31.0 &&
			third["result"] == "loss" && third["sure"] == true && third["moves"] == 3.0
	})
	p.act("text", body{"text": first(t, p)})
	see("damaged", func(d map[string]any) bool {
		return d["refused"] == "failed" && strings.Contains(fmt.Sprint(d["error"]), "a table is damaged")
	})
	p.act("resign", nil)
	see("over", func(d map[string]any) bool { return d["refused"] == "over" })
	if s := p.act("verdicts", body{"on": false}); s["verdicts"] != nil {
		t.Errorf("still shown: %v", s)
	}

	p = serve(t, Config{})
	if s := p.open(body{"seats": people}); s["tables"] != nil {
		t.Errorf("tables where there are none: %v", s)
	}
	if got := p.fails("verdicts", body{"on": true}, 409, "tables"); !strings.Contains(got, "--egdb") {
		t.Errorf("refused with %q", got)
	}
}

// first returns the first legal move of the board.
func first(t *testing.T, p *page) string {
	t.Helper()
	s := p.until("a legal move", func(s map[string]any) bool { return len(s["legal"].([]any)) > 0 })
	return s["legal"].([]any)[0].(map[string]any)["text"].(string)
}
