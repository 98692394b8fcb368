package board_test

import (
	"strings"
	"testing"

	"damier/rules"
)

// The default opponent is the variant's stronger search over its network, and the other search can
// be chosen.
func TestNNUEOnThePage(t *testing.T) {
	c := networkConfig("thai")
	turkish, err := rules.Lookup("turkish", nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Variant = turkish
	p := openTab(t, c, 1280, 1000)
	p.Says("#player-top", "Black: Damier (NNUE), level 5")
	p.Says("#black-player", "Damier (NNUE)")
	p.Says("#black-level", "5 · depth 2")
	p.Says("#review-effort", "visits")
	p.begin("international", "person", "tree")
	p.Says("#player-top", "Black: Damier (tree search), level 5")
	p.Says("#review-effort", "visits")
	p.begin("thai", "person", "nnue")
	p.Says("#player-top", "Alpha-beta")
	p.Says("#review-effort", "depth")
	if eval[bool](p, `[...document.querySelector("#black-player").options].some((o) => o.value === "nnue")`) {
		t.Error("a network can be chosen in a variant without one")
	}
}

// The tree search over the trained network can be chosen, moves, and analyses: the page shows
// visits and scores of moves.
func TestTreeOnThePage(t *testing.T) {
	p := openTab(t, evensConfig(), 1280, 1000)
	p.begin("international", "person", "tree")
	p.Says("#player-top", "Black: Damier (tree search), level 5")
	p.Says("#black-level", "5 · 32 visits")
	p.Click(32, 28)
	p.Wait(`document.querySelectorAll("#moves button").length === 2`)
	p.Script(`document.querySelector("#analyse").click()`)
	p.Says("#effort", "Damier (tree search): ")
	p.Says("#visits-head", "Visits")
	p.Says("#expected", "50")
	// One move, if the answer forces a capture.
	p.Wait(`document.querySelectorAll("#top-moves tr").length > 0`)
	p.Shot("tree")
}

// A network of a file is shown by its name in its variant, without the Elo of the program's
// network.
func TestOwnNNUEOnThePage(t *testing.T) {
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := evensConfig()
	c.Variant = english
	c.Network = func(v *rules.Variant) (string, bool) {
		if v == english {
			return "english-nnue", true
		}
		return "", true
	}
	p := openTab(t, c, 1280, 1000)
	p.Says("#player-top", "Black: english-nnue (NNUE), level 5")
	p.begin("english", "person", "tree")
	p.Says("#player-top", "Black: english-nnue (tree search), level 5")
	p.begin("english", "person", "nnue")
	if text := eval[string](p, `document.querySelector("#black-level").selectedOptions[0].text`); text != "5 · depth 2" {
		t.Errorf("the level is shown as %q", text)
	}
	p.begin("frisian", "person", "nnue")
	p.Says("#player-top", "Black: Damier (NNUE), level 5")
	if text := eval[string](p, `document.querySelector("#black-level").selectedOptions[0].text`); !strings.Contains(text, "Elo") {
		t.Errorf("in another variant a level is shown as %q", text)
	}
}
