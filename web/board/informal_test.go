package board

import (
	"slices"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
)

// lapse plays the lapse with a text.
func (p *page) lapse(s body, text string) body {
	p.Helper()
	list, _ := s["lapses"].([]any)
	i := slices.IndexFunc(list, func(m any) bool { return m.(body)["text"] == text })
	if i < 0 {
		p.Fatalf("no %s among %v", text, list)
	}
	return p.act("lapse", body{"index": i})
}

func TestInformalBetweenPeople(t *testing.T) {
	p := serve(t, Config{})
	const start = "W:W28,40:B5,23"
	s := p.open(body{"seats": people, "fen": start})
	if s["lapses"] != nil {
		t.Errorf("with strict rules the lapses are %v", s["lapses"])
	}
	p.fails("lapse", body{"index": 0}, 422, "refused")
	p.fails("force", nil, 409, "lapse")
	if s = p.act("informal", body{"on": true}); s["informal"] != true {
		t.Fatalf("not informal: %v", s)
	}

	// Forced.
	s = p.lapse(s, "40-34")
	l := s["lapse"].(body)
	if s["turn"] != "black" || l["fault"] != "omitted" || l["must"] != 1.0 || l["side"] != "white" || len(l["guilty"].([]any)) != 1 || l["missed"].([]any)[0] != "28x19" {
		t.Fatalf("the lapse is %v", l)
	}
	s = p.act("force", nil)
	if s["fen"] != start || s["message"] != "forced" || s["lapse"] != nil || s["past"] != nil {
		t.Errorf("forced: %v", s)
	}

	// Huffed.
	p.lapse(s, "40-34")
	p.fails("huff", body{"from": 34}, 422, "lapse")
	s = p.act("huff", body{"from": 28})
	if s["fen"] != "B:W34:B5,23" || s["message"] != "huffed:28" || s["lapse"] != nil {
		t.Errorf("huffed: %v", s)
	}
	past := s["past"].([]any)[0].(body)
	if past["move"] != "40-34" || past["remedy"] != "huff" || past["huffed"] != "28" {
		t.Errorf("the episode is %v", past)
	}

	// Taken back; then let stand, because the other side moves.
	s = p.act("undo", nil)
	if s["fen"] != start {
		t.Errorf("undone: %v", s["fen"])
	}
	p.lapse(s, "40-34")
	s = p.act("text", body{"text": "23x32"})
	if s["lapse"] != nil || s["ply"] != 1.0 || len(s["past"].([]any)) != 1 {
		t.Errorf("stood: %v", s)
	}
	_, text := p.Get("/api/boards/" + p.id + "/game.pdn")
	international, err := rules.Lookup("international", nil)
	if err != nil {
		t.Fatal(err)
	}
	games, err := notation.ParsePDN(international, text)
	if err != nil || len(games) != 2 {
		t.Fatalf("the PDN has %d games: %v\n%s", len(games), err, text)
	}
	if got := games[0].Notes; len(got) != 1 || got[0].Text != "informal: 40-34 (omitted), let stand" || got[0].Ply != 0 {
		t.Errorf("the episode says %v", got)
	}
	if international.FEN(games[1].Start()) == start || games[1].Ply() != 1 {
		t.Errorf("the game after it begins where the other did:\n%s", text)
	}
	p.fails("force", nil, 409, "lapse")
	p.act("undo", nil)
	if s = p.act("undo", nil); s["fen"] != start || s["past"] != nil {
		t.Errorf("all undone: %v", s)
	}
	if s = p.act("new", nil); s["past"] != nil || s["informal"] != true {
		t.Errorf("a new game: %v", s)
	}
}

// A capture that is cut short has a path, and it presses the clock like any move.
func TestInformalCutShort(t *testing.T) {
	p := serve(t, Config{})
	s := p.open(body{"seats": people, "fen": "W:W32,50:B5,18,28", "informal": true, "clock": body{"main": 60, "increment": 60}})
	for _, m := range s["lapses"].([]any) {
		if m := m.(body); m["captured"] != nil && len(m["captured"].([]any)) == 1 && (m["paths"] == nil || len(m["paths"].([]any)[0].([]any)) != 2) {
			t.Errorf("paths of %v", m)
		}
	}
	legal := s["legal"].([]any)[0].(body)
	if strings.Count(legal["text"].(string), "x") != 1 {
		t.Fatalf("legal %v", legal)
	}
	var short string
	for _, m := range s["lapses"].([]any) {
		if m := m.(body); m["captured"] != nil {
			short = m["text"].(string)
		}
	}
	s = p.lapse(s, short)
	if l := s["lapse"].(body); l["fault"] != "short" {
		t.Errorf("%s: %v", short, l)
	}
	if w := left(s, "white"); w <= 60_000 || s["clock"].(body)["running"] != "black" {
		t.Errorf("the clock after it: %v", s["clock"])
	}
	if s = p.act("force", nil); left(s, "white") > 60_000 || s["clock"].(body)["running"] != "white" {
		t.Errorf("the clock after forcing: %v", s["clock"])
	}
}

// An engine chooses the remedy without being asked.
func TestInformalAgainstEngine(t *testing.T) {
	p := serve(t, Config{})
	seats := body{"white": body{"player": "person"}, "black": body{"player": "alphabeta", "level": 5}}
	s := p.open(body{"seats": seats, "fen": "W:W28,47:B5,23", "informal": true})
	p.lapse(s, "47-42")
	s = p.until("decided", func(s body) bool { return s["thinking"] == false && s["turn"] == "white" })
	if s["past"] == nil && s["message"] != "forced" {
		t.Errorf("the engine has not chosen a remedy: %v", s)
	}
	if past, ok := s["past"].([]any); ok && past[0].(body)["remedy"] == "huff" && s["ply"] != 1.0 {
		t.Errorf("the engine has huffed and not moved: %v", s)
	}
}

func TestLook(t *testing.T) {
	p := serve(t, Config{})
	s := p.open(body{"seats": people})
	first := s["pieces"]
	p.act("text", body{"text": "32-28"})
	if got := p.act("look", body{"index": 0}); got["pieces"] != first {
		t.Errorf("at the start there is %v", got)
	}
	_, now := p.Post("/api/boards/"+p.id+"/look", body{"index": 1})
	if now["pieces"] == first {
		t.Error("after a move nothing has changed")
	}
	p.fails("look", body{"index": 2}, 422, "request")
}
