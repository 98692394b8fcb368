package player

import (
	"context"
	"testing"

	"damier/models"
	"damier/nnue"
	"damier/rules"
	"damier/tactics"
)

// TestTreeSolves: of the international combinations of the collection 2,000 visits find nearly all, and fewer when no node
// is searched for them.
func TestTreeSolves(t *testing.T) {
	e, err := models.NNUE(rules.International)
	if err != nil {
		t.Fatal(err)
	}
	solved := func(scout int) (n, all int) {
		c := Config{Visits: 2000, Search: TreeSearch(Spec{Kind: Tree}.Search)}
		c.Search.Scout = scout
		p, err := NewTree(rules.International, e.Evaluator(), 1, nnue.OnePlyConfig{}, c)
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
