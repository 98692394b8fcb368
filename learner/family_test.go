package learner

import (
	"os"
	"path/filepath"
	"testing"

	"damier/learner/settings"
	"damier/notation"
	"damier/rules"
)

// The whole loop runs on every variant: two generations of the preset tiny, a match, and a third
// generation after a resume.
func TestFamily(t *testing.T) {
	names := rules.Names()
	if testing.Short() {
		// One of each board size and of each kind of lines.
		names = []string{"russian", "frisian", "turkish", "canadian"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			m, report := mustRun(t, dir, tiny(map[string]string{"variant": name, "evaluation.rungs": "random,alphabeta:depth=1"}))
			if m.Generation != 2 || m.Steps == 0 || m.Games.Totals().Rows < 128 || len(m.Evaluations) != 1 {
				t.Fatalf("manifest %+v\n%s", m, report.text())
			}
			v, err := rules.Lookup(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range []string{"gen-000002-random.pdn", "gen-000002-alphabeta-depth-1.pdn"} {
				if games, err := notation.ReadFile(v, filepath.Join(dir, matchesDir, match)); err != nil || len(games) != 2 {
					t.Errorf("%s: %d games, %v", match, len(games), err)
				}
			}
			more, _ := mustRun(t, dir, resume(map[string]string{"generations": "3"}))
			if more.Generation != 3 || more.Steps <= m.Steps || more.Games.Totals().Rows <= m.Games.Totals().Rows {
				t.Errorf("it did not go on: %+v", more)
			}
		})
	}
}

// The smoke run of every variant, two minutes each: the network beats random moves by far, and
// every game and file is complete.
func TestSmokeFamily(t *testing.T) {
	if os.Getenv("DAMIER_SMOKE") == "" {
		t.Skip("two minutes for every variant; set DAMIER_SMOKE=1, or to the name of one of them, to run it")
	}
	for _, name := range rules.Names() {
		if only := os.Getenv("DAMIER_SMOKE"); only != "1" && only != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			m, report := mustRun(t, dir, settings.Sources{Preset: "smoke", Set: map[string]string{"variant": name}})
			if len(m.Evaluations) == 0 {
				t.Fatalf("never measured\n%s", report.text())
			}
			scores := map[string]float64{}
			for _, r := range m.Evaluations[len(m.Evaluations)-1].Rungs {
				scores[r.Rung] = r.Score
			}
			t.Logf("%d generations, %d rows: %v", m.Generation, m.Games.Totals().Rows, scores)
			if scores["random"] < 0.8 {
				t.Errorf("%.0f %% against random moves\n%s", 100*scores["random"], report.text())
			}
		})
	}
}
