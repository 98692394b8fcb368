package learner

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"damier/data"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
)

func TestEvaluationPause(t *testing.T) {
	at, got := 0.0, []float64{}
	for range 7 {
		at += evaluationPause(600, at)
		got = append(got, at)
	}
	if want := []float64{120, 240, 480, 960, 1560, 2160, 2760}; !slices.Equal(got, want) {
		t.Errorf("measured at %v, want %v", got, want)
	}
}

// The rungs whose Elo is known are rungs that a run can play.
func TestMarksAreRungs(t *testing.T) {
	for _, m := range journal.Marks("international") {
		if r, err := settings.ParseRung(m.Name); err != nil || r.Depth == 0 || r.Spec != m.Name {
			t.Errorf("%s: %+v, %v", m.Name, r, err)
		}
	}
}

func TestRungs(t *testing.T) {
	l := &Learner{run: &Run{}}
	l.cfg.Evaluation.Rungs = []string{"random", "alphabeta:depth=1", "alphabeta:depth=2", "alphabeta:depth=4"}
	names := func() string {
		var s []string
		for _, r := range l.rungs() {
			s = append(s, strings.TrimPrefix(r.Spec, "alphabeta:depth="))
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		scores string // what the last evaluation found, as RungResults
		seen   []journal.RungResult
		want   string
	}{
		{"nothing yet", nil, "random 1 2 4"},
		{"weak", []journal.RungResult{{Rung: "random", Score: 0.5}, {Rung: "alphabeta:depth=1", Score: 0}, {Rung: "alphabeta:depth=2", Score: 0}, {Rung: "alphabeta:depth=4", Score: 0}}, "random 1"},
		{"grown", []journal.RungResult{{Rung: "random", Score: 1}, {Rung: "alphabeta:depth=1", Score: 0.375}}, "1 2"},
		{"beats all", []journal.RungResult{{Rung: "alphabeta:depth=1", Score: 1}, {Rung: "alphabeta:depth=2", Score: 1}, {Rung: "alphabeta:depth=4", Score: 1}}, "4"},
	} {
		if c.seen != nil {
			l.run.Manifest.Evaluations = append(l.run.Manifest.Evaluations, journal.Rating{Variant: "international", Rungs: c.seen})
		}
		if got := names(); got != c.want {
			t.Errorf("%s: rungs %q, want %q", c.scores, got, c.want)
		}
	}
	l.cfg.Evaluation.Rungs = nil
	if got := names(); got != "" {
		t.Errorf("no rungs: %q", got)
	}
}

// TestStallAdvice: a run that goes on accepts the advice for a network that stands still, and then
// has another one.
func TestStallAdvice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, _ := mustRun(t, dir, tiny(map[string]string{"refit.passes": "1"}))
	advice := func(set map[string]string) string {
		l, done := opened(t, dir, resume(set))
		defer done()
		return l.stallAdvice()
	}
	setting := fmt.Sprintf("refit.first=%d", m.Games.Totals().Rows)
	if got := advice(nil); !strings.HasSuffix(got, "--set "+setting) {
		t.Errorf("%q, want the setting %s", got, setting)
	}
	key, value, _ := strings.Cut(setting, "=")
	if got := advice(map[string]string{key: value}); !strings.HasPrefix(got, "; the next refit comes at ") {
		t.Errorf("with the advice followed: %q", got)
	}
	if got := advice(map[string]string{"refit.passes": "0"}); got != "" {
		t.Errorf("without a refit: %q", got)
	}
}

// The command of a card asks for the time of the generations, not for that of all the run.
func TestBudget(t *testing.T) {
	m := Manifest{CPUSeconds: 1500}
	generation := func(hours float64) journal.Event { return journal.Event{Kind: "generation", CPUHours: hours} }
	for _, c := range []struct {
		limit  float64
		events []journal.Event
		want   float64
	}{
		{0, nil, 25},
		{20, nil, 20},
		{0, []journal.Event{generation(0.1), generation(0.3), {Kind: "refit", CPUHours: 0.4}}, 18},
		{20, []journal.Event{generation(0.334), {Kind: "evaluation", CPUHours: 0.4}}, 20},
		{20, []journal.Event{generation(0.101)}, 7}, // stopped early
	} {
		if got := budget(m, settings.Config{CPUMinutes: c.limit}, c.events); got != c.want {
			t.Errorf("%+v: %g minutes", c, got)
		}
	}
}

func TestMaterial(t *testing.T) {
	sample := func(fen string, score float32) data.Sample {
		p, err := rules.ParseFEN(rules.International, fen)
		if err != nil {
			t.Fatal(err)
		}
		return data.Sample{Position: p, Score: score}
	}
	const win, loss = 1, 0
	ahead := sample("W:W31,32:B1", win)
	behind := sample("B:W31,32:B1", loss)
	king := sample("W:WK31:B1,2", win) // a king counts three: one ahead as well
	if materialOf(ahead.Position) != materialOf(king.Position) || materialOf(ahead.Position) == materialOf(behind.Position) {
		t.Error("material is miscounted")
	}
	var m material
	if got := m.loss([]data.Sample{ahead}); math.Abs(got-math.Log(2)) > 1e-12 {
		t.Errorf("knowing nothing the loss is %g, want ln 2", got)
	}
	m.add([]data.Sample{ahead, king, behind})
	// Two rows seen one ahead, both won, and one of one half: (2+1/2)/3.
	if got, want := m.loss([]data.Sample{ahead}), -math.Log((2+0.5)/3); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %g, want %g", got, want)
	}
	if got, want := m.loss([]data.Sample{behind}), -math.Log((1+0.5)/2); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %g, want %g", got, want)
	}
	if m.loss(nil) != 0 {
		t.Error("the loss on nothing")
	}
}

func TestWords(t *testing.T) {
	if got := thousands(1234567) + " " + thousands(12) + " " + thousands(123) + " " + thousands(1000); got != "1,234,567 12 123 1,000" {
		t.Error(got)
	}
	if got := clock(3*time.Hour + 4*time.Minute + 5600*time.Millisecond); got != "3:04:06" {
		t.Error(got)
	}
}

// A window that takes minutes to read is announced: by a bar on a terminal, by one line elsewhere.
func TestReadingIsTold(t *testing.T) {
	l := &Learner{run: &Run{Dir: "runs/long"}}
	for _, c := range []struct {
		terminal bool
		want     int
		says     string
	}{
		{false, 100, ""},
		{false, 2_000_000, "reading 2,000,000 rows of runs/long\n"},
		{true, 100, "reading"},
	} {
		var out strings.Builder
		console := Console{Out: &out, Terminal: c.terminal}
		for _, read := range []int{0, c.want / 2, c.want} {
			console.Reading(l, read, c.want)
		}
		if c.terminal && !strings.Contains(out.String(), c.says) || !c.terminal && out.String() != c.says {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
}
