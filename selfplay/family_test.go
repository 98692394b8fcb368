package selfplay

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"damier/data"
	"damier/rules"
)

// TestFamily plays games of every variant to their ends, and writes and reads them.
func TestFamily(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Games: 4, FullVisits: 4, CheapVisits: 2, MaxPlies: 200}
		actor, err := NewActor(v, cfg, Identity{Seed: 5, Actor: "a0"}, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		actor.Renumber(0, 6)
		var games []data.Game
		halfway := 0
		err = actor.Run(context.Background(), scatter, func() bool { halfway++; return halfway > 60 }, func(g data.Game) { games = append(games, g) })
		if err != nil {
			t.Fatal(err)
		}
		// The games under way go through a file, to another actor.
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
		if err := other.Restore(under); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		other.last = actor.last
		if err := other.Run(context.Background(), scatter, func() bool { return false }, func(g data.Game) { games = append(games, g) }); err != nil {
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

// TestFor: openings and games are as long as the board is large.
func TestFor(t *testing.T) {
	for name, want := range map[string][2]int{"russian": {6, 300}, "international": {10, 300}, "turkish": {12, 384}, "canadian": {14, 432}} {
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
	if a, b := (Config{}).For(rules.International), (Config{}).WithDefaults(); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
}
