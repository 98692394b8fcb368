package selfplay

import (
	"context"
	"testing"

	"damier/data"
	"damier/egdb"
	"damier/rules"
)

// TestGamesEndInTheTables plays games of few pieces with tables: each ends with the first position that they know, and
// with the result that they give it; with PlayOn all are played to their ends.
func TestGamesEndInTheTables(t *testing.T) {
	v := rules.English
	tables, err := egdb.Generate(context.Background(), v, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, playOn := range []bool{false, true} {
		cfg := Config{Games: 4, FullVisits: 8, CheapVisits: 4, SimpleShare: 1, PlayOn: playOn}
		a, err := NewActor(v, cfg, Identity{Seed: 1, Actor: "a0", Model: "m"}, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.SetStage(Stage{FullVisits: 8, CheapVisits: 4, Simple: true})
		a.SetTables(tables)
		a.Renumber(0, 24)
		adjudged := 0
		err = a.Run(context.Background(), scatter, func() bool { return false }, func(g data.Game) {
			known := 0
			for _, ply := range g.Plies[1:] {
				if _, _, exact, ok := tables.Solve(ply.Position); ok && exact {
					known++
				}
			}
			last := g.Plies[len(g.Plies)-1]
			end := v.Play(last.Position, last.Moves[last.Played])
			outcome, _, _, ok := tables.Solve(end)
			switch {
			case g.Reason == rules.Adjudication:
				adjudged++
				if !ok || outcome != g.Outcome || playOn {
					t.Errorf("%s ended %v at %s, which is %v, %v", g.ID, g.Outcome, v.FEN(end), outcome, ok)
				}
			case !playOn && ok && len(v.AppendMoves(nil, end)) > 0 && g.Reason != rules.Threefold && g.Reason != rules.PlyLimit:
				t.Errorf("%s was ended by %s, not by the tables, at %s", g.ID, g.Reason, v.FEN(end))
			}
			if !playOn && known > 0 {
				t.Errorf("%s was played on in %d positions that the tables know", g.ID, known)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !playOn && adjudged < 8 {
			t.Errorf("the tables ended %d games of 24: nothing is tested", adjudged)
		}
	}
}
