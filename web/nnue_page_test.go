package web_test

import (
	"testing"

	"damier/alphabeta"
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
