package board

import (
	"strings"
	"testing"
)

// Names are bounded, on one line, and do not disturb a search.
func TestNamesAreBounded(t *testing.T) {
	p := serve(t, Config{})
	seats := func(name string) body {
		return body{"seats": body{"white": body{"player": "person", "name": name}}}
	}
	p.open(seats(strings.Repeat("é", maxName)))
	p.fails("seats", seats(strings.Repeat("é", maxName+1)), 422, "name")
	s := p.act("seats", seats(" a\n\x00 b\t"))
	if got := s["seats"].(body)["white"].(body)["name"]; got != "a b" {
		t.Errorf("the name is %q", got)
	}
	p.act("seek", body{"ply": 0})
	if s = p.act("seats", seats("c")); s["auto"] != false {
		t.Error("a name alone has started the engines")
	}
}
