package open

import (
	"context"
	"testing"

	"damier/engine"
	"damier/models"
	"damier/rules"
	"damier/tactics"
)

// TestTreeSolves: 2,000 visits find nearly all international combinations of the collection, and
// fewer of them without the search for combinations at the nodes.
func TestTreeSolves(t *testing.T) {
	e, err := models.NNUE(rules.International)
	if err != nil {
		t.Fatal(err)
	}
	solved := func(scout int) (n, all int) {
		c := TreeSearch(Spec{Kind: Tree}.Search)
		c.Scout = scout
		p, err := engine.NewTreePlayer(rules.International, engine.TreeConfig{
			Evaluators: lookers(e.Evaluator(), Spec{}, 1), Search: c, Own: engine.Limits{Nodes: 2000},
		}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range tactics.Collection() {
			if x.Variant.String() != rules.International.String() || i%2 > 0 {
				continue
			}
			all++
			p.NewGame()
			m, err := p.Play(context.Background(), rules.NewGameFrom(x.Variant, x.Start))
			if err != nil {
				t.Fatal(err)
			}
			if m == x.Line[0] {
				n++
			}
		}
		return n, all
	}
	with, all := solved(64)
	without, _ := solved(-1)
	t.Logf("%d of %d with the scout, %d without", with, all, without)
	if 10*with < 9*all || with <= without {
		t.Errorf("%d of %d with the scout, %d without", with, all, without)
	}
}
