package learner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
)

// A run that is over has one refit, whose network is the best one if it has won; a run that goes
// on goes on with its own.
func TestRefit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, report := mustRun(t, dir, tiny(map[string]string{"refit.passes": "3", "refit.games": "4", "evaluation.rungs": "random"}))
	r := m.Refit
	if r == nil || r.Generation != 2 || r.Wins+r.Draws+r.Losses != 4 || r.Rows == 0 || r.Visits != 4 {
		t.Fatalf("refit %+v", r)
	}
	if r.Score > 0.5 != (r.File.Name == "refit-000002.toy") || r.Score <= 0.5 != (m.Best() == m.Model) || m.Evaluations[0].Refit != m.refitted() {
		t.Errorf("refit %+v, best %v, evaluation %+v", r, m.Best(), m.Evaluations[0])
	}
	if text := report.text(); !strings.Contains(text, "a new network learns the window") || !strings.Contains(text, m.Best().Name) {
		t.Error(text)
	}
	events, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for _, e := range events {
		if e.Kind != "warning" { // a few short games may be the same
			kinds += e.Kind + " "
		}
	}
	if kinds != "start generation generation refit evaluation stop " {
		t.Errorf("events %s", kinds)
	}

	// Whatever came of it: with a winner the card, the view and a verification are of it.
	run, err := Open(dir, toyMethod{}, resume(nil))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(run.path(modelsDir, m.Model.Name))
	if err != nil {
		t.Fatal(err)
	}
	if run.Manifest.Refit.File, err = run.writeFile(modelsDir, "refit-000002.toy", text); err != nil {
		t.Fatal(err)
	}
	run.Manifest.Refit.Score = 0.75
	if err := errors.Join(run.Save(), run.Close()); err != nil {
		t.Fatal(err)
	}
	verify(t, dir)
	var card strings.Builder
	if err := WriteCard(&card, dir, toyMethod{}, Card{Model: "x.toy"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(card.String(), "At the end a new network learnt the window, and scored 75.0 %") || !strings.Contains(card.String(), "It is the network of this page.") {
		t.Error(card.String())
	}
	again, _ := mustRun(t, dir, resume(nil)) // no second refit
	if e := again.Evaluations; !e[len(e)-1].Refit || len(e) > 2 {
		t.Errorf("a winner that is measured once, and evaluations %+v", e)
	}
	if d := again.Refit; d.Score != 0.75 || !exists(filepath.Join(dir, modelsDir, "refit-000002.toy")) {
		t.Errorf("refit %+v", d)
	}

	// Stopped in a refit: the next session makes it.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	spy := newSpy()
	spy.training = func(l *Learner) {
		if l.finished() {
			cancel()
		}
	}
	stopped, err := session(t, ctx, dir, resume(map[string]string{"generations": "3"}), spy)
	if !errors.Is(err, context.Canceled) || stopped.Generation != 3 || stopped.Refit.Generation != 2 || stopped.refitted() || stopped.Best() != stopped.Model {
		t.Errorf("%v, generation %d, refit %+v, best %v", err, stopped.Generation, stopped.Refit, stopped.Best())
	}
	more, _ := mustRun(t, dir, resume(nil))
	if more.Refit.Generation != 3 || more.Model != stopped.Model || exists(filepath.Join(dir, modelsDir, "refit-000002.toy")) {
		t.Errorf("refit %+v, network %v, %v before", more.Refit, more.Model, stopped.Model)
	}
	// Nor is there one where nobody wants it.
	if none, _ := mustRun(t, dir, resume(map[string]string{"generations": "4", "refit.passes": "0"})); none.Refit.Generation != 3 {
		t.Errorf("refit %+v", none.Refit)
	}
}

// The network of a refit may have more units than the run's own.
func TestRefitOfAnotherWidth(t *testing.T) {
	set := map[string]string{"refit.passes": "1", "refit.games": "2", "refit.width": "64"}
	_, report := mustRun(t, filepath.Join(t.TempDir(), "run"), tiny(set))
	if text := report.text(); !strings.Contains(text, "network toy of width 32") || !strings.Contains(text, "learns the window, toy of width 64:") {
		t.Error(text)
	}
	set["refit.width"] = "33"
	if _, err := settings.Resolve(toyMethod{}, tiny(set)); err == nil || !strings.Contains(err.Error(), "refit.width: net.width is 33") {
		t.Errorf("33 units: %v", err)
	}
}

// A network of a refit in the middle of a run takes the place of the run's own if it wins. A
// process that is killed at any moment of that ends with the same weights as one that never
// stopped.
func TestRenewal(t *testing.T) {
	keys := map[string]string{
		"synchronous": "true", "generations": "5", "window.min_rows": "70", "generation.games": "6",
		"refit.passes": "2", "refit.games": "8", "refit.width": "1024", "refit.first": "400", "refit.strays": "0.1",
	}
	whole := filepath.Join(t.TempDir(), "run")
	killed := map[string]string{}
	report := newSpy()
	report.training = func(l *Learner) {
		if !l.finished() && killed["renewal"] == "" && strings.Contains(report.text(), "a new network learns") {
			killed["renewal"] = copyDir(t, whole)
		}
	}
	report.generation = func(l *Learner) {
		if l.run.Manifest.Replaced > 0 && killed["renewed"] == "" {
			killed["renewed"] = copyDir(t, whole)
		}
	}
	m, err := session(t, context.Background(), whole, tiny(keys), report)
	if err != nil {
		t.Fatal(err)
	}
	text := report.text()
	if len(killed) != 2 || m.Replaced == 0 || m.Steps <= m.Replaced || m.Generation != 5 || !strings.Contains(text, "the run goes on with it") {
		t.Fatalf("%d kills, generation %d, %d steps, %d of a replaced network\n%s", len(killed), m.Generation, m.Steps, m.Replaced, text)
	}
	verify(t, whole)
	last, err := toyMethod{}.Load(filepath.Join(whole, modelsDir, m.Model.Name), must(rules.Lookup(m.Variant, nil)))
	if err != nil || last.Shape() != "toy of width 1024" {
		t.Errorf("%v, %v", last, err)
	}
	events, err := journal.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	played, adopted := 0, 0
	for _, e := range events {
		switch {
		case e.Progress != nil:
			played++
		case e.Refit != nil && e.Refit.Adopted:
			adopted++
			if e.Refit.Score <= 0.5 || e.Refit.Played < 400 || e.Generation != e.Refit.Generation+1 {
				t.Errorf("event of generation %d, %+v", e.Generation, e.Refit)
			}
		}
	}
	if adopted == 0 || played+adopted != 5 {
		t.Errorf("%d generations that played, %d adopted", played, adopted)
	}
	var card strings.Builder
	if err := WriteCard(&card, whole, toyMethod{}, Card{Model: "x.toy"}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(card.String(), "against the run's own, and took its place."); n != adopted {
		t.Errorf("the card speaks of %d adopted networks, not of %d:\n%s", n, adopted, &card)
	}
	for name, dir := range killed {
		if got, _ := mustRun(t, dir, resume(nil)); got.Model != m.Model || got.Checkpoint.SHA256 != m.Checkpoint.SHA256 || got.Steps != m.Steps {
			t.Errorf("killed (%s): network %v of %d steps; without: %v, %d", name, got.Model, got.Steps, m.Model, m.Steps)
		}
	}

	// One that does not win takes nobody's place.
	keys["refit.width"], keys["net.width"] = "0", "1024"
	report = newSpy()
	m, err = session(t, context.Background(), filepath.Join(t.TempDir(), "run"), tiny(keys), report, func(l *Learner) {
		l.run.method = narrowRefits{toyMethod{}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.Replaced != 0 || m.Refit.Adopted || !strings.Contains(report.text(), "the run goes on with the old one") {
		t.Errorf("%d steps replaced, refit %+v\n%s", m.Replaced, m.Refit, report.text())
	}
}

// narrowRefits makes the networks of refits narrow, so that they lose.
type narrowRefits struct{ toyMethod }

func (m narrowRefits) Trainer(v *rules.Variant, c settings.Config, n Network) (Trainer, error) {
	c.Net.Width = 32
	return m.toyMethod.Trainer(v, c, n)
}

// A run by alpha-beta has the same records and shards as one by tree search, and says which of
// them played.
func TestBySearch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, report := mustRun(t, dir, tiny(map[string]string{"selfplay.search": "alphabeta", "selfplay.depth": "2"}))
	if m.Generation != 2 || m.Steps == 0 || !strings.Contains(report.text(), "play by alpha-beta of depth 2") || !strings.Contains(report.text(), "k nodes/s") {
		t.Errorf("%+v\n%s", m, report.text())
	}
	dir = filepath.Join(t.TempDir(), "run")
	_, report = mustRun(t, dir, tiny(map[string]string{"selfplay.alphabeta_rows": "64", "generations": "3"}))
	events, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var by []bool
	for _, e := range events {
		if e.Progress != nil {
			by = append(by, e.Progress.AlphaBeta)
		}
	}
	if len(by) != 3 || !by[0] || by[1] || by[2] || !strings.Contains(report.text(), "play by alpha-beta of depth 3 for 64 rows, then tree search") {
		t.Errorf("generations by alpha-beta: %v\n%s", by, report.text())
	}
}
