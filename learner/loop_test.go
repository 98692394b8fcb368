package learner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"damier/data"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/net"
	"damier/notation"
	"damier/rules"
	"damier/selfplay"
)

func TestWholeRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, report := mustRun(t, dir, tiny(map[string]string{"evaluation.rungs": "random"}))
	if m.Generation != 2 || m.Session != 1 || m.Steps == 0 || len(m.Evaluations) != 1 || m.Evaluations[0].Generation != 2 {
		t.Errorf("manifest %+v", m)
	}
	for _, f := range []string{"run.json", "config.toml", "metrics.jsonl", "models/gen-000001.toy", "models/gen-000002.toy", "checkpoint/" + m.Checkpoint.Name} {
		if !exists(filepath.Join(dir, f)) {
			t.Errorf("%s is missing", f)
		}
	}
	if f, err := os.Open(filepath.Join(dir, "progress.png")); err != nil {
		t.Error(err)
	} else if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	games, err := notation.ReadFile(rules.International, filepath.Join(dir, "matches", "gen-000002-random.pdn"))
	if err != nil || len(games) != 2 {
		t.Errorf("%d games of the match: %v", len(games), err)
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
	if kinds != "start generation generation evaluation stop " {
		t.Errorf("events %s", kinds)
	}
	if p := events[2].Progress; p.NewRows < 64 || p.Sims <= 0 || p.TreeRows <= 0 || p.Passes <= 0 || p.Passes > 2 || p.Value <= 0 || p.Visits != 4 || p.Length <= 0 {
		t.Errorf("progress %+v", p)
	}
	for _, want := range []string{"a new run", "gen 2:", "random", "finished after", "network: ", "curve: ", "to go on beyond its end: train --run X --generations 4"} {
		if !strings.Contains(report.text(), want) {
			t.Errorf("%q is not in\n%s", want, report.text())
		}
	}

	// A finished run reports that it is finished, plays nothing and changes no file.
	again, report := mustRun(t, dir, resume(nil))
	if again.Generation != 2 || again.Steps != m.Steps || again.Games.Totals() != m.Games.Totals() || again.Session != 2 || len(again.Evaluations) != 1 {
		t.Errorf("a finished run went on: %+v", again)
	}
	for _, want := range []string{"finished before, with generation 2", "--generations 4"} {
		if !strings.Contains(report.text(), want) {
			t.Errorf("%q is not in\n%s", want, report.text())
		}
	}

	// With more generations it continues to exactly that number.
	more, report := mustRun(t, dir, resume(map[string]string{"generations": "3"}))
	if more.Generation != 3 || more.Steps <= m.Steps || more.Session != 3 || !strings.Contains(report.text(), "going on at generation 2") {
		t.Errorf("%+v\n%s", more, report.text())
	}
	if more.Debt < 0 || more.Debt >= 32 || more.Pending != 0 {
		t.Errorf("debt %g, pending %d", more.Debt, more.Pending)
	}
	if got, want := float64(more.Steps*32)+more.Debt, 2*float64(more.Games.Totals().Rows); got != want {
		t.Errorf("%g rows learnt or owed, %g earned", got, want)
	}
}

// In the synchronous mode a run that is killed at any moment ends with the same weights as a run
// that never stopped, with either search, and its refit gives the same network.
func TestSynchronous(t *testing.T) {
	for name, set := range map[string]map[string]string{
		"tree":      {},
		"kept tree": {"selfplay.mcts.reuse": "true"},
		"alphabeta": {"selfplay.search": "alphabeta", "selfplay.depth": "1"},
		"both":      {"selfplay.alphabeta_rows": "150", "selfplay.depth": "1"},
	} {
		if testing.Short() && name != "both" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testSynchronous(t, set)
		})
	}
}

func testSynchronous(t *testing.T, set map[string]string) {
	keys := map[string]string{
		"synchronous": "true", "generations": "3", "window.min_rows": "70", "generation.games": "6",
		"refit.passes": "4", "refit.games": "2",
	}
	maps.Copy(keys, set)
	whole := filepath.Join(t.TempDir(), "run")
	// What a process that is killed leaves: the directory as it is at the end of generation 1;
	// with the shard of generation 2 that the manifest does not know; that of a process killed in
	// generation 1; and of one in the refit.
	killed := map[string]string{}
	report := newSpy()
	report.generation = func(l *Learner) {
		if l.run.Manifest.Generation == 1 {
			killed["boundary"] = copyDir(t, whole)
		}
	}
	report.training = func(l *Learner) {
		if l.finished() && killed["refit"] == "" {
			killed["refit"] = copyDir(t, whole)
		}
	}
	m, err := session(t, context.Background(), whole, tiny(keys), report, func(l *Learner) {
		step := l.step
		l.step = func(batch []data.Sample, rate float64) (Loss, error) {
			switch {
			case killed["early"] == "":
				killed["early"] = copyDir(t, whole)
			case l.run.Manifest.Generation == 1 && killed["shard"] == "":
				killed["shard"] = copyDir(t, whole)
			}
			return step(batch, rate)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(killed) != 4 || len(shards(t, killed["boundary"]))+1 != len(shards(t, killed["shard"])) {
		t.Fatalf("%d shards at the boundary, %d later; %d kills", len(shards(t, killed["boundary"])), len(shards(t, killed["shard"])), len(killed))
	}
	if m.Refit == nil || m.Refit.Generation != 3 {
		t.Fatalf("no refit: %+v", m.Refit)
	}
	if testing.Short() { // with the race detector: only the hardest case
		killed = map[string]string{"shard": killed["shard"]}
	}
	for name, dir := range killed {
		got, _ := mustRun(t, dir, resume(nil))
		if got.Model != m.Model || got.Checkpoint.SHA256 != m.Checkpoint.SHA256 {
			t.Errorf("killed (%s): network %v, checkpoint %v; without: %v, %v", name, got.Model, got.Checkpoint, m.Model, m.Checkpoint)
		}
		if d := cmp.Diff(m.Refit, got.Refit); d != "" {
			t.Errorf("killed (%s): another refit: %s", name, d)
		}
		text, err := os.ReadFile(filepath.Join(dir, modelsDir, got.Model.Name))
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); err != nil || sum != m.Model.SHA256 {
			t.Errorf("the file has the sum %s, %v", sum, err)
		}
	}
	if !testing.Short() && len(set) == 0 {
		keys["seed"] = "2"
		if other, _ := mustRun(t, filepath.Join(t.TempDir(), "run"), tiny(keys)); other.Model.SHA256 == m.Model.SHA256 {
			t.Error("two seeds give the same network")
		}
	}
	if _, err := RunWorker(whole, toyMethod{}, "w", 1); !errors.Is(err, settings.ErrSettings) {
		t.Errorf("a worker for a synchronous run: %v", err)
	}
	// Nothing of an unfinished generation is kept: it is played again as a whole.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stopped, err := session(t, ctx, killed["shard"], resume(map[string]string{"generations": "9"}), newSpy())
	if !errors.Is(err, context.Canceled) || stopped.Games.Totals() != m.Games.Totals() {
		t.Errorf("%v, %+v", err, stopped.Games.Totals())
	}
}

// A run that has only its checkpoint fills its window with new games before it trains.
func TestFromCheckpointAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	before, _ := mustRun(t, dir, tiny(nil))
	for _, f := range shards(t, dir) {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	trainedAt := -1
	report := newSpy()
	m, err := session(t, context.Background(), dir, resume(map[string]string{"generations": "3"}), report, func(l *Learner) {
		if l.replay.rows() != 0 || l.trainer.Steps() != before.Steps {
			t.Errorf("begins with %d rows and %d steps", l.replay.rows(), l.trainer.Steps())
		}
		if want := before.Games.Totals().Rows * 9 / 10; l.refill != want {
			t.Errorf("refill of %d rows, want %d", l.refill, want)
		}
		step, refill := l.step, l.refill
		l.step = func(batch []data.Sample, rate float64) (Loss, error) {
			if trainedAt < 0 {
				if trainedAt = l.replay.rows(); trainedAt < refill {
					t.Errorf("trained at %d rows of %d", trainedAt, refill)
				}
			}
			return step(batch, rate)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.Generation != 3 || m.Steps <= before.Steps || trainedAt < 0 || m.Games.Totals().Rows <= before.Games.Totals().Rows {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(report.text(), "shards of the run are gone") {
		t.Error(report.text())
	}
	if w := warnings(t, dir); len(w) != 1 || !strings.Contains(w[0], "shards of the run are gone") {
		t.Errorf("warnings in the metrics: %q", w)
	}
	verify(t, dir)
}

func TestFrom(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first")
	m, _ := mustRun(t, first, tiny(map[string]string{"generations": "1"}))
	file := filepath.Join(first, modelsDir, m.Model.Name)
	given, err := toyMethod{}.Load(file, rules.International)
	if err != nil {
		t.Fatal(err)
	}

	// The new run begins with these weights, also when it is killed before its first generation.
	s := tiny(map[string]string{"generations": "1", "seed": "5"})
	s.From = file
	dir := filepath.Join(t.TempDir(), "second")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := session(t, canceled, dir, s, newSpy()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got, err := session(t, context.Background(), dir, resume(nil), newSpy(), func(l *Learner) {
		if d := cmp.Diff(given.(*toy).Weights, l.newest().(*toy).Weights); d != "" {
			t.Errorf("the weights are not those of the file: %s", d)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.From != m.Model.Name || got.Steps == 0 || got.Generation != 1 {
		t.Errorf("%+v", got)
	}
	if f := got.Accepted.Name; f != "gen-000000.toy" && f != got.Model.Name {
		t.Errorf("accepted is %s", f)
	}
	events, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Progress != nil && e.Progress.Passes > 2 {
			t.Errorf("%g passes: those of the first run are counted", e.Progress.Passes)
		}
	}

	// Weights that do not fit are refused before anything is written.
	nowhere := filepath.Join(t.TempDir(), "third")
	s.Set["net.width"] = "64"
	if _, err := Open(nowhere, toyMethod{}, s); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "net.width: the file has 32, asked for is 64") {
		t.Errorf("another architecture: %v", err)
	}
	s.From = filepath.Join(first, configFile)
	if _, err := Open(nowhere, toyMethod{}, s); !errors.Is(err, net.ErrForeign) && !errors.Is(err, net.ErrDamaged) {
		t.Errorf("a foreign file: %v", err)
	}
	if exists(nowhere) {
		t.Error("a refused start left a directory")
	}
	s.From = file
	if _, err := Open(first, toyMethod{}, s); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "--from begins a new run") {
		t.Errorf("--from into a run: %v", err)
	}
}

func TestWorkersAndDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	before, _ := mustRun(t, dir, tiny(map[string]string{"generations": "1"}))

	w, err := RunWorker(dir, toyMethod{}, "w1", 2)
	if err != nil {
		t.Fatal(err)
	}
	rows, games := 0, 0
	w.OnShard = func(i data.ShardInfo, s selfplay.Stats) {
		rows, games = rows+i.Rows, games+i.Games
		if int(s.Games) != i.Games || i.MinGeneration != 1 {
			t.Errorf("shard %+v, stats %+v", i, s)
		}
	}
	if err := w.Run(context.Background(), 9); err != nil {
		t.Fatal(err)
	}
	if games != 9 {
		t.Errorf("the worker played %d games", games)
	}

	// One of the run's own shards is damaged, without a change of its size, and there is a foreign
	// file in the folder.
	own := filepath.Join(dir, gamesDir, before.Games.Shards[0].Name)
	text, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(own, text, 0o644); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, gamesDir, fmt.Sprintf("%08d.parquet", before.Games.Totals().Shards+2))
	if err := os.WriteFile(foreign, []byte("not a shard"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Verify(context.Background(), dir, toyMethod{}, &bytes.Buffer{}); !errors.Is(err, data.ErrDamaged) {
		t.Errorf("verify: %v", err)
	}

	report := newSpy()
	m, err := session(t, context.Background(), dir, resume(map[string]string{"generations": "3"}), report)
	if err != nil {
		t.Fatal(err)
	}
	if m.Generation != 3 || m.Games.Totals().Games < before.Games.Totals().Games+9 {
		t.Errorf("%+v", m.Games.Totals())
	}
	adopted := 0
	for _, s := range m.Games.Shards {
		if strings.HasPrefix(s.Name, "w1-") {
			adopted += s.Rows
		}
	}
	if adopted != rows {
		t.Errorf("%d rows adopted of %d", adopted, rows)
	}
	if got, want := float64(m.Steps*32)+m.Debt, 2*float64(m.Games.Totals().Rows); got != want {
		t.Errorf("%g rows learnt or owed, %g earned", got, want)
	}
	if !exists(own+".damaged") || exists(own) || !exists(foreign) {
		t.Error("the damaged shard is not set aside, or the foreign file is gone")
	}
	for _, want := range []string{filepath.Base(own), "training goes on without it", "is left alone"} {
		if !strings.Contains(report.text(), want) {
			t.Errorf("%q is not in\n%s", want, report.text())
		}
	}
	if _, err := RunWorker(t.TempDir(), toyMethod{}, "w", 1); !errors.Is(err, data.ErrForeign) {
		t.Errorf("a worker for no run: %v", err)
	}
}

func TestNotFinite(t *testing.T) {
	// The first time the run returns to the checkpoint, draws other batches and continues.
	dir := filepath.Join(t.TempDir(), "run")
	report := newSpy()
	failures := 0
	var first, second data.Sample
	m, err := session(t, context.Background(), dir, tiny(nil), report, func(l *Learner) {
		step := l.step
		l.step = func(batch []data.Sample, rate float64) (Loss, error) {
			switch {
			case failures == 0 && l.run.Manifest.Generation == 1 && l.trainer.Steps() > l.run.Manifest.Steps:
				failures, first = 1, batch[0]
				return Loss{}, fmt.Errorf("step: %w", ErrNotFinite)
			case failures == 1:
				if failures, second = 2, batch[0]; l.trainer.Steps() != l.run.Manifest.Steps {
					t.Errorf("after going back at step %d, the checkpoint has %d", l.trainer.Steps(), l.run.Manifest.Steps)
				}
			}
			return step(batch, rate)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.Generation != 2 || m.NotFinite != 1 || failures != 2 || !strings.Contains(report.text(), "back to the last checkpoint") {
		t.Errorf("%d failures, %+v\n%s", failures, m, report.text())
	}
	if first.Position == second.Position {
		t.Log("the first sample is the same again")
	}
	if got, want := float64(m.Steps*32)+m.Debt, 2*float64(m.Games.Totals().Rows); got != want {
		t.Errorf("%g rows learnt or owed, %g earned", got, want)
	}
	verify(t, dir)

	// The second time, because a setting cannot work, the run stops with a report, and its files
	// are intact.
	dir = filepath.Join(t.TempDir(), "run")
	report = newSpy()
	m, err = session(t, context.Background(), dir, tiny(map[string]string{"train.weight_decay": "1e300"}), report)
	if !errors.Is(err, ErrNotFinite) || m.NotFinite != 2 {
		t.Fatalf("%v, %d times", err, m.NotFinite)
	}
	for _, want := range []string{"time number 2", m.Checkpoint.Name, "train.learning_rate", "--from"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	events, _ := journal.Read(dir)
	if last := events[len(events)-1]; last.Kind != "stop" || !strings.Contains(last.Message, "not finite") {
		t.Errorf("last event %+v", last)
	}
	verify(t, dir)
}

func TestDiskCap(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, report := mustRun(t, dir, tiny(map[string]string{"limits.games_gb": "1e-6", "generations": "3"}))
	if len(m.Games.Shards) != 1 || len(shards(t, dir)) != 1 || m.Games.Removed.Shards < 2 || m.Games.Totals().Rows < 192 {
		t.Errorf("%+v", m.Games)
	}
	if !strings.Contains(report.text(), "raise limits.games_gb") {
		t.Error(report.text())
	}
}

// A run that is stopped saves its unfinished games and continues them later, with any number of
// actors.
func TestCancelAndGoOn(t *testing.T) {
	atOnce(t, 3)
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	report := newSpy()
	looks := 0
	// In the middle of the first generation, when all actors play, even on a busy machine.
	report.playing = func() {
		if looks++; looks == 4 {
			cancel()
		}
	}
	s := tiny(map[string]string{"actors": "3", "generation.rows": "1000000", "generation.start": "64",
		"selfplay.visits": "0:256"}) // slow, so that there are few games to read again
	start := time.Now()
	m, err := session(t, ctx, dir, s, report)
	if !errors.Is(err, context.Canceled) || m.Generation != 0 || m.Unfinished.Name == "" {
		t.Fatalf("%v, %+v", err, m)
	}
	if time.Since(start) > time.Minute || !strings.Contains(report.text(), "to go on: train --run X") {
		t.Error(report.text())
	}
	verify(t, dir)
	under, err := data.ReadShard(filepath.Join(dir, checkpointDir, m.Unfinished.Name), rules.International)
	// An actor that has just finished a game has none under way.
	if err != nil || len(under) < 1 || len(under) > 3 {
		t.Fatalf("%d games under way of three actors, %v", len(under), err)
	}
	taken := map[string]bool{}
	canceled, stop := context.WithCancel(context.Background())
	stop()
	again, err := session(t, canceled, dir, resume(map[string]string{"actors": "2"}), newSpy(), func(l *Learner) {
		for _, p := range l.players {
			for _, g := range p.Unfinished() {
				taken[g.ID] = true
			}
		}
	})
	if !errors.Is(err, context.Canceled) || len(taken) != len(under) {
		t.Errorf("%d games taken up of %d: %v", len(taken), len(under), err)
	}
	// Two actors lose none of them, and play no finished game twice.
	left, err := data.ReadShard(filepath.Join(dir, checkpointDir, again.Unfinished.Name), rules.International)
	if err != nil || len(left) != len(under) {
		t.Fatalf("%d games left of %d: %v", len(left), len(under), err)
	}
	finished := left[0]
	finished.Outcome, finished.Reason = rules.Draw, rules.Adjudication
	if _, err := data.WriteShard(filepath.Join(dir, gamesDir), "w-1.parquet", rules.International, []data.Game{finished}); err != nil {
		t.Fatal(err)
	}
	_, err = session(t, canceled, dir, resume(nil), newSpy(), func(l *Learner) {
		n := 0
		for _, p := range l.players {
			for _, g := range p.Unfinished() {
				n++
				if g.ID == finished.ID {
					t.Error("a finished game goes on")
				}
			}
		}
		if n != len(left)-1 {
			t.Errorf("%d games under way, want %d", n, len(left)-1)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The gate: a network that is worse than the accepted one does not play. If the file of the
// accepted network is missing, the newest network plays.
func TestGate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustRun(t, dir, tiny(nil))
	run, err := Open(dir, toyMethod{}, resume(map[string]string{"generations": "3"}))
	if err != nil {
		t.Fatal(err)
	}
	report := newSpy()
	l, err := New(t.Context(), run, report)
	if err != nil {
		t.Fatal(err)
	}
	m := &run.Manifest
	model, err := toyMethod{}.Load(run.path(modelsDir, m.Model.Name), run.Variant)
	if err != nil {
		t.Fatal(err)
	}
	older, err := run.writeFile(modelsDir, "gen-000001.toy", must(os.ReadFile(run.path(modelsDir, "gen-000001.toy"))))
	if err != nil {
		t.Fatal(err)
	}
	m.Accepted = older
	if err := l.decide(&journal.GateResult{Against: 1, High: 0.1}, model); err != nil {
		t.Fatal(err)
	}
	if playing, err := l.playing(); err != nil || !m.GateClosed || playing.Generation() != 1 || m.Accepted != older || !strings.Contains(report.text(), "until a network passes") {
		t.Errorf("%v, %+v", err, m)
	}
	if err := l.decide(&journal.GateResult{Against: 1, High: 0.1}, model); err != nil || !m.GateClosed {
		t.Errorf("failed twice: %v", err)
	}
	if err := run.Save(); err != nil {
		t.Fatal(err)
	}
	w, err := RunWorker(dir, toyMethod{}, "w", 1)
	if err != nil {
		t.Fatal(err)
	}
	if playing, stage, err := w.Source(); err != nil || playing.Generation() != 1 || stage.Visits != 4 {
		t.Errorf("a worker behind a closed gate: %v, %+v", err, stage)
	}
	if err := l.decide(&journal.GateResult{Against: 1, High: 0.6, Passed: true}, model); err != nil || m.GateClosed || m.Accepted != m.Model {
		t.Errorf("passed: %v, %+v", err, m)
	}
	m.GateClosed, m.Accepted = true, File{Name: "gone.safetensors"}
	if playing, err := l.playing(); err != nil || m.GateClosed || playing.Generation() != 2 {
		t.Errorf("the accepted network is gone: %v", err)
	}
	run.Close()

	// In a run: the network of the second evaluation plays the accepted one.
	got, err := session(t, context.Background(), dir, resume(map[string]string{"generations": "3", "evaluation.gate": "0.4", "evaluation.gate_games": "2"}), newSpy(), func(l *Learner) {
		l.run.Manifest.GateClosed, l.run.Manifest.Accepted = false, older
	})
	if err != nil {
		t.Fatal(err)
	}
	if g := got.Evaluations[len(got.Evaluations)-1].Gate; g == nil || g.Against != 1 || g.Wins+g.Draws+g.Losses != 2 || g.Passed == got.GateClosed {
		t.Errorf("gate %+v", g)
	}
}
