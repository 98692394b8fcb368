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

// Tables sit at the board from the first, can be chosen beside the model, and search by depth.
func TestTablesOnThePage(t *testing.T) {
	p := openTab(t, web.Config{Models: evenModel, Tables: func(v *rules.Variant) alphabeta.Evaluator {
		if v.Name == "thai" {
			return nil
		}
		return flat{}
	}}, 1280, 1000)
	p.says("#player-top", "Black: Damier (tables), level 4")
	p.says("#black-player", "Damier (tables)")
	p.says("#black-level", "4 · depth 3")
	p.says("#review-effort", "depth")
	p.click(32, 28)
	p.wait(`document.querySelectorAll("#moves button").length === 2`)
	p.do(`document.querySelector("#analyse").click()`)
	p.says("#effort", "Damier (tables): ")
	p.shot("tables")
	p.begin("thai", "person", "tables")
	p.says("#player-top", "evens")
	p.says("#review-effort", "visits")
	if eval[bool](p, `[...document.querySelector("#black-player").options].some((o) => o.value === "tables")`) {
		t.Error("tables can be chosen where there are none")
	}
}
