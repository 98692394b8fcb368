package web_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"damier/alphabeta"
	"damier/mcts"
	"damier/rules"
	"damier/web"
)

// flat is an evaluation that knows nothing.
type flat struct{}

func (flat) Score(rules.Position) alphabeta.Score { return 0 }

// The trained alpha-beta sits at the board from the first, can be chosen beside the model, and search by depth.
func TestNNUEOnThePage(t *testing.T) {
	p := openTab(t, web.Config{Models: evenModel, NNUE: func(v *rules.Variant) alphabeta.Evaluator {
		if v.Name == "thai" {
			return nil
		}
		return flat{}
	}}, 1280, 1000)
	p.says("#player-top", "Black: Damier (NNUE), level 4")
	p.says("#black-player", "Damier (NNUE)")
	p.says("#black-level", "4 · depth 3")
	p.says("#review-effort", "depth")
	p.click(32, 28)
	p.wait(`document.querySelectorAll("#moves button").length === 2`)
	p.do(`document.querySelector("#analyse").click()`)
	p.says("#effort", "Damier (NNUE): ")
	p.shot("nnue")
	p.begin("thai", "person", "nnue")
	p.says("#player-top", "evens")
	p.says("#review-effort", "visits")
	if eval[bool](p, `[...document.querySelector("#black-player").options].some((o) => o.value === "nnue")`) {
		t.Error("it can be chosen where there is none")
	}
}

// even is an evaluator that holds all moves and both sides equal.
type even struct{}

func (even) Evaluate(_ context.Context, leaves []mcts.Leaf) error {
	for i := range leaves {
		for j := range leaves[i].Priors {
			leaves[i].Priors[j] = 1 / float32(len(leaves[i].Priors))
		}
		leaves[i].Value = rules.WDL{Win: 0.5, Loss: 0.5}
	}
	return nil
}

// The tree search over the trained network is chosen, answers, and analyses: visits and what each move is worth.
func TestTreeOnThePage(t *testing.T) {
	p := openTab(t, web.Config{
		NNUE: func(*rules.Variant) alphabeta.Evaluator { return flat{} },
		Tree: func(_ *rules.Variant, n int) []mcts.Evaluator { return slices.Repeat([]mcts.Evaluator{even{}}, n) },
	}, 1280, 1000)
	p.begin("international", "person", "tree")
	p.says("#player-top", "Black: Damier (tree search), level 4")
	p.says("#black-level", "4 · 32 visits")
	p.click(32, 28)
	p.wait(`document.querySelectorAll("#moves button").length === 2`)
	p.do(`document.querySelector("#analyse").click()`)
	p.says("#effort", "Damier (tree search): ")
	p.says("#visits-head", "Visits")
	p.says("#wdl", "50")
	p.wait(`document.querySelectorAll("#top-moves tr").length > 0`) // one, if the answer forces a capture
	p.shot("tree")
}

// That of a file goes by its name in its variant, without the Elo of what comes with the program.
func TestOwnNNUEOnThePage(t *testing.T) {
	english, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := openTab(t, web.Config{
		NNUE: func(*rules.Variant) alphabeta.Evaluator { return flat{} }, Variant: english, OwnNNUE: "english-nnue",
	}, 1280, 1000)
	p.says("#player-top", "Black: english-nnue (NNUE), level 4")
	p.says("#black-player", "english-nnue (NNUE)")
	if text := eval[string](p, `document.querySelector("#black-level").selectedOptions[0].text`); text != "4 · depth 3" {
		t.Errorf("its level is told as %q", text)
	}
	p.begin("frisian", "person", "nnue")
	p.says("#player-top", "Black: Damier (NNUE), level 4")
	if text := eval[string](p, `document.querySelector("#black-level").selectedOptions[0].text`); !strings.Contains(text, "Elo") {
		t.Errorf("in another variant a level is told as %q", text)
	}
}
