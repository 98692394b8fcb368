package selfplay

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"damier/data"
	"damier/rules"
)

// TestFamily plays games of every variant to their ends, by both searches, and writes and reads
// them.
func TestFamily(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Visits: []string{"0:4"}, Depth: 1, MaxPlies: 200, TreeRows: 2}
		actor, err := NewActor(v, cfg, Identity{Seed: 5, Actor: "a0"}, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		actor.SetModel(searcherOf(t, v, cfg, scatter), "m", 1)
		actor.Renumber(0, 6)
		var games []data.Game
		emit := func(g data.Game) { games = append(games, g) }
		if err := actor.Run(t.Context(), after(200), emit); err != nil {
			t.Fatal(err)
		}
		// The unfinished game is saved to a file and continued by another actor, which plays by
		// alpha-beta.
		dir := t.TempDir()
		under := actor.Unfinished()
		if len(under) > 0 {
			if _, err := data.WriteShard(dir, "unfinished.parquet", v, under); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if under, err = data.ReadShard(filepath.Join(dir, "unfinished.parquet"), v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		other, err := NewActor(v, cfg, Identity{Seed: 5, Actor: "a0"}, actor.next, nil)
		if err != nil {
			t.Fatal(err)
		}
		other.SetModel(searcherOf(t, v, cfg, scatter), "m", 1)
		other.SetStage(Stage{AlphaBeta: true})
		if err := other.Restore(under); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		other.last = actor.last
		if err := other.Run(t.Context(), never, emit); err != nil {
			t.Fatal(err)
		}
		if len(games) != 6 {
			t.Fatalf("%s: %d games, want 6", name, len(games))
		}
		if _, err := data.WriteShard(dir, "a.parquet", v, games); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read, err := data.ReadShard(filepath.Join(dir, "a.parquet"), v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(games, read, nan, cmpopts.EquateApprox(0, 1e-3), cmp.Exporter(exporter)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		s := other.TakeStats()
		s.Add(actor.TakeStats())
		t.Logf("%s: %.0f plies a game, ended by %v", name, float64(s.Plies)/float64(s.Games), s.Reasons)
	}
}

// TestFor: the lengths of openings and games grow with the board.
func TestFor(t *testing.T) {
	for name, want := range map[string][2]int{"russian": {8, 256}, "international": {12, 400}, "turkish": {16, 512}, "canadian": {18, 576}} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c := (Config{}).For(v); c.OpeningPlies != want[0] || c.MaxPlies != want[1] {
			t.Errorf("%s: %d plies of opening, %d at most, want %v", name, c.OpeningPlies, c.MaxPlies, want)
		}
		if c := (Config{OpeningPlies: -1, MaxPlies: 50}).For(v); c.OpeningPlies != -1 || c.MaxPlies != 50 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if d := cmp.Diff((Config{}).For(rules.International), (Config{}).WithDefaults()); d != "" {
		t.Error(d)
	}
}
