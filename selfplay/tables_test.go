package selfplay

import (
	"context"
	"testing"

	"damier/egdb"
	"damier/rules"
)

// TestGamesEndInTheTables plays games of few pieces with tables, by both searches. Each game ends
// at the first position that the tables know, with their result; with PlayOn all games are played
// to their end.
func TestGamesEndInTheTables(t *testing.T) {
	v := rules.English
	tables, err := egdb.Generate(context.Background(), v, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]Config{
		"tree":           {Visits: []string{"0:8"}, TreeRows: -1},
		"tree, play on":  {Visits: []string{"0:8"}, TreeRows: -1, PlayOn: true},
		"depth":          {Search: AlphaBeta, Depth: 2, RandomShare: 0.1},
		"depth, play on": {Search: AlphaBeta, Depth: 2, RandomShare: 0.1, PlayOn: true},
	} {
		a, err := NewActor(v, cfg, Identity{Seed: 1, Actor: "a0"}, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.SetTables(tables)
		a.SetModel(searcherOf(t, v, cfg, scatter), "m", 0)
		adjudged := 0
		for _, g := range play(t, a, 0, 40) {
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
				if !ok || outcome != g.Outcome || cfg.PlayOn {
					t.Errorf("%s: %s ended %v at %s, which is %v, %v", name, g.ID, g.Outcome, v.FEN(end), outcome, ok)
				}
			case !cfg.PlayOn && ok && len(v.AppendMoves(nil, end)) > 0 && g.Reason != rules.Threefold && g.Reason != rules.PlyLimit:
				t.Errorf("%s: %s was ended by %s, not by the tables, at %s", name, g.ID, g.Reason, v.FEN(end))
			}
			if !cfg.PlayOn && known > 0 {
				t.Errorf("%s: %s was played on in %d positions that the tables know", name, g.ID, known)
			}
		}
		if !cfg.PlayOn && adjudged < 4 {
			t.Errorf("%s: the tables ended %d games of 40: nothing is tested", name, adjudged)
		}
	}
}
