package alphabeta_test

import (
	"os"
	"testing"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/rules"
)

// TestBeatsMaterial plays the newest version against the one that only counts pieces, at depth 4
// from the openings of each variant: 16 games of two variants, and with DAMIER_LONG=1 60 games of
// each. What the evaluation knows beyond the pieces must be worth a clear majority.
func TestBeatsMaterial(t *testing.T) {
	if testing.Short() {
		t.Skip("-short is for the race detector, and the games of this test share nothing")
	}
	names, games := []string{"frisian", "brazilian"}, 16
	if os.Getenv("DAMIER_LONG") == "1" {
		names, games = rules.Names(), 60
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := rules.Lookup(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			openings, err := arena.Openings(v)
			if err != nil {
				t.Fatal(err)
			}
			player := func(version string) arena.Factory {
				return func() (arena.Player, error) {
					return engine.NewAlphaBetaPlayer(v, alphabeta.Config{Version: version, TableBits: 14}, engine.Limits{Depth: 4})
				}
			}
			r, err := arena.Match{
				Variant: v, A: player("alphabeta-1"), B: player("alphabeta-material"),
				Openings: openings, Games: games, Concurrency: 1,
			}.Play(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("+%d =%d -%d, score %.1f %%", r.Wins, r.Draws, r.Losses, 100*r.Score())
			if r.Score() < 0.6 {
				t.Errorf("score %.1f %% against material alone, want 60", 100*r.Score())
			}
		})
	}
}
