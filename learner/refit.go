package learner

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"damier/data"
	"damier/learner/journal"
)

// RefitResult is the last refit of a run, with the file of its network.
type RefitResult struct {
	journal.Refit
	File File `json:"file"` // in models/; none if the new network is adopted or not better
}

// refitName returns the pattern of the names of refitted networks in models/, by generation.
func refitName(m Method) string { return "refit-%06d" + m.Extension() }

// refitted reports whether the best network of the run is a refitted one.
func (m *Manifest) refitted() bool {
	return m.Refit != nil && m.Refit.Generation == m.Generation && m.Refit.File.Name != ""
}

// Best returns the file of the run's best network, in models/; the zero File if none is published.
func (m *Manifest) Best() File {
	switch {
	case m.refitted():
		return m.Refit.File
	case m.GateClosed:
		return m.Accepted
	}
	return m.Model
}

// BestNetwork returns the path of the best network of the run in dir.
func BestNetwork(dir string) (string, error) {
	m, err := readManifest(dir)
	if err != nil {
		return "", err
	}
	return m.bestNetwork(dir)
}

// bestNetwork returns the path of the best network of the run in dir, whose manifest m is.
func (m *Manifest) bestNetwork(dir string) (string, error) {
	best := m.Best()
	if best.Name == "" {
		return "", foreign("%s has published no network yet; train on", dir)
	}
	return filepath.Join(dir, modelsDir, best.Name), nil
}

// refit trains a new network on the window, once for every generation at which the run is over. It
// often plays better than the run's own network (docs/experiments/nnue.md#learnt-anew-at-the-end),
// and is then the run's best network. If the run continues, it continues with its own network.
//
// A process that is stopped or killed during the refit saves nothing of it; the next one starts it
// again.
func (l *Learner) refit(ctx context.Context) error {
	m := &l.run.Manifest
	if m.Generation == 0 || m.Refit != nil && m.Refit.Generation == m.Generation || l.refitSteps(l.replay.train.Len()) == 0 {
		return nil
	}
	t, r, err := l.challenge(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	which := "the old one stays the best"
	if r.Score > 0.5 {
		which = "it is the best network"
		var file bytes.Buffer
		if err := t.Network(l.origin()).Save(&file); err != nil {
			return err
		}
		if r.File, err = l.run.writeFile(modelsDir, fmt.Sprintf(refitName(l.run.method), m.Generation), file.Bytes()); err != nil {
			return fmt.Errorf("refit: %w", err)
		}
	}
	m.Refit = r
	m.Seconds, m.CPUSeconds = l.seconds(), l.cpuSeconds()
	if err := l.run.Save(); err != nil {
		return err
	}
	return l.refitDone(r, which)
}

// renewal returns the number of rows of the run at the next refit in the middle of it.
func (l *Learner) renewal() int {
	if l.cfg.Refit.First == 0 || l.cfg.Refit.Passes == 0 {
		return math.MaxInt
	}
	if r := l.run.Manifest.Refit; r != nil {
		return max(l.cfg.Refit.First, 2*r.Played)
	}
	return l.cfg.Refit.First
}

// renewalDue reports whether a refit in the middle of the run is due.
func (l *Learner) renewalDue() bool {
	return l.rows() >= l.renewal() && l.run.Manifest.Generation > 0 && l.refitSteps(l.replay.train.Len()) > 0
}

// renew trains a new network on the window in the middle of the run. If it plays better than the
// run's own network, it takes its place as the next generation. A process that is stopped or
// killed before the end saves nothing of it, as in refit.
func (l *Learner) renew(ctx context.Context) error {
	m := &l.run.Manifest
	t, r, err := l.challenge(ctx)
	if err != nil {
		return err
	}
	m.Refit = r
	if r.Score <= 0.5 {
		t.Close()
		if err := l.checkpoint(); err != nil {
			return err
		}
		return l.refitDone(r, "the run goes on with the old one")
	}
	r.Adopted = true
	m.Replaced = l.steps()
	l.trainer.Close()
	l.trainer, l.step = t, t.Step
	if err := l.publish(); err != nil {
		return err
	}
	return l.refitDone(r, "the run goes on with it")
}

// refitDone records a refit, reports what came of it, and deletes the network of the one before.
func (l *Learner) refitDone(r *RefitResult, which string) error {
	if err := l.event(journal.Event{Kind: "refit", Refit: &r.Refit}); err != nil {
		return err
	}
	l.report.Note("the new network against the one that has learnt all the time, %d visits a move: +%d =%d -%d, %.1f %% (%.1f to %.1f): %s; held-out loss %.4f, the old one's %.4f",
		r.Visits, r.Wins, r.Draws, r.Losses, 100*r.Score, 100*r.Low, 100*r.High, which, r.Loss, r.Own)
	return l.run.removeOthers(modelsDir, named(refitName(l.run.method), 1), map[string]bool{r.File.Name: true})
}

// refitSteps returns the number of batches of a refit from so many rows.
func (l *Learner) refitSteps(rows int) int {
	return int(l.cfg.Refit.Passes*float64(rows)) / l.cfg.Train.Batch
}

// challenge trains a new network on the window and lets it play the run's own. It returns the new
// one's trainer, which the caller must close, and the result.
func (l *Learner) challenge(ctx context.Context) (_ Trainer, _ *RefitResult, err error) {
	m := &l.run.Manifest
	rows, err := l.strays(ctx)
	if err != nil {
		return nil, nil, err
	}
	steps := l.refitSteps(rows.Len())
	t, loss, err := l.learnAnew(ctx, rows, steps)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	own, err := l.heldout(l.trainer)
	if err != nil {
		return nil, nil, err
	}
	visits := l.cfg.Evaluation.Visits
	result, err := l.match(ctx, fmt.Sprintf("gen-%06d-refit", m.Generation),
		t.Network(l.origin()).Players(l.variant, visits), l.newest().Players(l.variant, visits), l.cfg.Refit.Games)
	if err != nil {
		return nil, nil, fmt.Errorf("refit: %w", err)
	}
	interval := result.Pairs.ScoreInterval(0.95)
	return t, &RefitResult{Refit: journal.Refit{
		Generation: m.Generation, Played: l.rows(), Rows: steps * l.cfg.Train.Batch, Loss: loss, Own: own, Visits: visits,
		Wins: result.Wins, Draws: result.Draws, Losses: result.Losses,
		Score: result.Score(), Low: interval.Low, High: interval.High,
	}}, nil
}

// learnAnew trains a new network on the given number of batches of rows, with a rate that falls to
// 0, and returns its trainer, which the caller must close, and its loss on held-out rows.
func (l *Learner) learnAnew(ctx context.Context, rows mixture, steps int) (_ Trainer, loss float64, err error) {
	m := &l.run.Manifest
	t, err := l.run.method.Trainer(l.variant, l.cfg.ForRefit(), nil)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	l.report.Note("a new network learns the window, %s: %s rows, %s in all",
		t.Network(l.origin()).Shape(), thousands(rows.Len()), thousands(steps*l.cfg.Train.Batch))
	rng := rand.New(rand.NewPCG(l.cfg.Seed^'r'<<56, uint64(m.Generation)))
	batch := make([]data.Sample, l.cfg.Train.Batch)
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		data.Draw(rows, rng, batch)
		if _, err := t.Step(batch, 1-float64(i)/float64(steps)); err != nil {
			return nil, 0, fmt.Errorf("refit, step %d: %w", i+1, err)
		}
		l.report.Training(l, i+1, steps)
	}
	loss, err = l.heldout(t)
	return t, loss, err
}

// heldout returns the value loss on all held-out rows, 0 if there are none.
func (l *Learner) heldout(t Trainer) (float64, error) {
	if l.replay.heldout.Len() == 0 {
		return 0, nil
	}
	rows := make([]data.Sample, l.replay.heldout.Len())
	for i := range rows {
		rows[i] = l.replay.heldout.At(i)
	}
	loss, err := t.Evaluate(rows)
	return loss.Value, err
}
