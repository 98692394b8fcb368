package board

import (
	"math/rand/v2"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
	"damier/web/webtest"
)

// Late in a game that it expects to be drawn the engine offers a draw; a move declines, and the
// person accepts without a search. While it hopes for more it makes no offer.
func TestEngineOffersDraw(t *testing.T) {
	for _, c := range []struct {
		value rules.WDL
		offer bool
	}{
		{rules.WDL{Win: 0.2, Draw: 0.6, Loss: 0.2}, true},
		{rules.WDL{Win: 0.5, Draw: 0.2, Loss: 0.3}, false},
	} {
		p := serve(t, networkConfig(webtest.Evens{Value: c.value}))
		p.open(body{"seats": people})
		offers, games := 0, 0
		for seed := uint64(0); offers < 2 && games < 5; seed++ {
			pdn, ok := randomGame(t, seed)
			if !ok {
				continue
			}
			games++
			p.act("load", body{"text": pdn})
			s := p.act("seats", body{"seats": body{"white": body{"player": "person"}, "black": body{"player": "tree", "level": 2}}})
			for s["outcome"] == "*" && s["ply"].(float64) < 104 {
				if s["offered"] == true {
					if s["message"] != "offered" || s["ply"].(float64) < 80 {
						t.Fatalf("an offer at ply %v, and says %v", s["ply"], s["message"])
					}
					if offers++; offers == 2 {
						defer p.occupy()() // no search is needed
						if s = p.act("draw", nil); s["outcome"] != "draw" || s["reason"] != "agreement" {
							t.Fatalf("accepted: %v", s)
						}
						break
					}
				}
				s = p.act("move", body{"index": 0})
				if s["offered"] == true {
					t.Fatal("the offer stands after a move")
				}
				s = p.until("the engine has moved", func(s map[string]any) bool {
					return s["outcome"] != "*" || s["turn"] == "white" && s["thinking"] == false
				})
			}
		}
		if (offers > 0) != c.offer {
			t.Errorf("expecting %v it makes %d offers in %d games", c.value, offers, games)
		}
	}
}

// randomGame returns a game of 66 random plies as PDN, and false if it was over before.
func randomGame(t *testing.T, seed uint64) (pdn string, ok bool) {
	t.Helper()
	g, rng := rules.NewGame(rules.International), rand.New(rand.NewPCG(seed, 7))
	for g.Ply() < 66 && !g.Over() {
		legal := g.Legal()
		if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := notation.Write(&text, notation.NewGame(g, nil)); err != nil {
		t.Fatal(err)
	}
	return text.String(), !g.Over()
}
