package lidraughts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/rules"
)

// played returns the variants of the server by its game type numbers.
func played(t testing.TB) []*rules.Variant {
	t.Helper()
	var all []*rules.Variant
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch v.GameType {
		case 20, 25, 26, 40, 96, 97, 98: // modules/draughts/src/main/variant of the server
			all = append(all, v)
		}
	}
	if len(all) < 7 {
		t.Fatalf("%d variants, want at least 7", len(all))
	}
	return all
}

// TestMovesRoundTrip plays random games and reads them back, leg by leg and with all legs of a
// capture in one word.
func TestMovesRoundTrip(t *testing.T) {
	for _, v := range played(t) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 30 {
			g := rules.NewGame(v)
			var single, joined []string
			for !g.Over() && g.Ply() < 160 {
				m := g.Legal()[rng.IntN(len(g.Legal()))]
				legs := Legs(v, g.Position(), m, nil)
				if want := max(1, m.Captured().Len()); len(legs) != want {
					t.Fatalf("%s: %s has %d legs, want %d", v.Name, v.FormatMove(m), len(legs), want)
				}
				single = append(single, legs...)
				word := legs[0]
				for _, l := range legs[1:] {
					word += l[2:]
				}
				joined = append(joined, word)
				if err := g.Play(m); err != nil {
					t.Fatal(err)
				}
			}
			for _, words := range [][]string{single, joined} {
				h := rules.NewGame(v)
				begun, err := Moves(h, strings.Join(words, " "))
				if err != nil || begun != nil {
					t.Fatalf("%s: %v: %v, %v", v.Name, words, begun, err)
				}
				if h.Ply() != g.Ply() || h.Position() != g.Position() {
					t.Fatalf("%s: %v is read as %v, want %v", v.Name, words, h.Moves(), g.Moves())
				}
			}
		}
	}
}

// TestBegunCaptures: every prefix of a capture is recognised, and the capture is completed.
func TestBegunCaptures(t *testing.T) {
	found := 0
	for _, v := range played(t) {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			g := rules.NewGame(v)
			var words []string
			for !g.Over() && g.Ply() < 120 {
				m := g.Legal()[rng.IntN(len(g.Legal()))]
				legs := Legs(v, g.Position(), m, nil)
				for n := 1; n < len(legs); n++ {
					h := rules.NewGame(v)
					begun, err := Moves(h, strings.Join(append(words[:len(words):len(words)], legs[:n]...), " "))
					if err != nil || len(begun) != n+1 || h.Position() != g.Position() {
						t.Fatalf("%s: %v then %v: %v, %v", v.Name, words, legs[:n], begun, err)
					}
					if rest := Legs(v, g.Position(), m, begun); fmt.Sprint(rest) != fmt.Sprint(legs[n:]) {
						t.Fatalf("%s: behind %v come %v, want %v", v.Name, legs[:n], rest, legs[n:])
					}
					found++
				}
				words = append(words, legs...)
				if err := g.Play(m); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d captures of several legs, too few to tell", found)
	}
}

func TestMovesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"32":                      "not squares",
		"3a28":                    "no square",
		"3251":                    "no square",
		"3228 3228":               "not legal",
		"3227 1822 9999":          "no square",
		"3223":                    "not legal",
		"3228 1923 2819x1":        "no square",
		"2832":                    "not legal",
		strings.Repeat("32", 200): "not squares",
	} {
		if _, err := Moves(rules.NewGame(rules.International), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
	g := rules.NewGame(rules.International)
	if _, err := Moves(g, "3228 1923 2819 1423"); err != nil || g.Ply() != 4 {
		t.Errorf("captures of one leg: %v, %d plies", err, g.Ply())
	}
}

func FuzzMoves(f *testing.F) {
	f.Add("3228 1923 2819 1423")
	f.Add("3228 19232819")
	f.Add("322819")
	f.Fuzz(func(t *testing.T, text string) {
		g := rules.NewGame(rules.International)
		begun, err := Moves(g, text)
		if err == nil && len(begun) == 1 {
			t.Errorf("a capture of no leg: %v", begun)
		}
	})
}
