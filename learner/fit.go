package learner

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"damier/data"
	"damier/internal/usage"
	"damier/learner/settings"
	"damier/rules"
)

// FitPoint is the state of a network during a [Fit].
type FitPoint struct {
	Samples    int     `json:"samples"`       // rows learnt, including repetitions
	CPUSeconds float64 `json:"cpu_seconds"`   // of learning only, all threads
	Value      float64 `json:"value_loss"`    // on held-out games, nats
	Material   float64 `json:"material_loss"` // that of a baseline that only counts pieces
}

// fitHeldout is the number of held-out rows that measure a fit: more than in a run, because a fit
// has the time.
const fitHeldout = 8192

// fitPoints is the number of measurements of a fit.
const fitPoints = 8

// materialRows is the number of rows, or a few more, from which a fit makes the baseline that counts
// pieces.
const materialRows = 1 << 14

// Fit trains a new network of the method on the newest games of the window of the run in dir, for
// the given number of samples, with the settings of the run overridden by s. After every eighth of
// the samples it calls tell with the losses on games that the network has not seen. The learning
// rate follows the schedule of a run. Fit only reads the run, which may be in use. It tells progress
// how many rows it has read, and then how many steps it has learnt; the work is called as in the
// lines of a run.
//
// Two fits differ only in their settings, so in minutes they show which network or rate learns a
// given window better. They do not show which one plays better; only games do.
func Fit(
	ctx context.Context, dir string, method Method, s settings.Sources, samples int, tell func(FitPoint), progress func(work string, done, of int),
) (Network, error) {
	resolved, err := ResolveRun(dir, method, s)
	if err != nil {
		return nil, err
	}
	cfg := resolved.Config
	v, err := cfg.Lookup()
	if err != nil {
		return nil, err
	}
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	steps := samples / cfg.Train.Batch
	if steps < fitPoints {
		return nil, settings.Errorf("%d samples are only %d batches of %d; a fit takes %d at least", samples, steps, cfg.Train.Batch, fitPoints)
	}
	r := newReplay(v, method, cfg, fitHeldout)
	size := cfg.Window.Size(m.Games.Totals().Rows)
	// Held-out games do not count for the window, so read more; the window drops what is too much.
	err = r.readNewest(ctx, dir, v, m.Games.Shards, size+size/10+fitHeldout, func(done, of int) { progress("reading", done, of) })
	if err != nil {
		return nil, err
	}
	if r.train.Len() == 0 || r.heldout.Len() == 0 {
		return nil, fmt.Errorf("%s has too few games to learn from and to be measured on: %d and %d rows", dir, r.train.Len(), r.heldout.Len())
	}
	trainer, err := method.Trainer(v, cfg, nil)
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	held := make([]data.Sample, r.heldout.Len())
	for i := range held {
		held[i] = r.heldout.At(i)
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, 'f'))
	batch := make([]data.Sample, cfg.Train.Batch)
	var pieces material
	for n := 0; n < materialRows; n += len(batch) {
		data.Draw(r.train, rng, batch)
		pieces.add(batch)
	}
	spent := 0.0
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		begun := usage.CPU()
		data.Draw(r.train, rng, batch)
		if _, err := trainer.Step(batch, cfg.Generation.FitFactor(float64(i)/float64(steps))); err != nil {
			return nil, fmt.Errorf("training step %d: %w", i+1, err)
		}
		spent += usage.CPU() - begun
		progress("learning", i+1, steps)
		if (i+1)*fitPoints/steps == i*fitPoints/steps {
			continue
		}
		loss, err := trainer.Evaluate(held)
		if err != nil {
			return nil, err
		}
		tell(FitPoint{
			Samples: (i + 1) * len(batch), CPUSeconds: spent, Value: loss.Value, Material: pieces.loss(held),
		})
	}
	return trainer.Network(Origin{}), nil
}

// readNewest fills the windows from the newest shards that together have the given number of rows.
// After each shard it tells progress how many rows it has read.
func (r replay) readNewest(
	ctx context.Context, dir string, v *rules.Variant, shards []data.ShardInfo, rows int, progress func(done, of int),
) error {
	first, n := len(shards), 0
	for first > 0 && n < rows {
		first--
		n += shards[first].Rows
	}
	for _, s := range shards[:first] {
		r.train.Skip(s.Rows) // the size of the window depends on all rows made so far
	}
	read := 0
	return data.ReadEach(ctx, filepath.Join(dir, gamesDir), v, shards[first:], func(s data.ShardInfo, games []data.Game) {
		for _, g := range games {
			r.add(g)
		}
		read += s.Rows
		progress(read, n)
	})
}

// WriteModel writes a model file, completely or not at all.
func WriteModel(path string, m Network) error {
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		return err
	}
	return write(path, file.Bytes())
}
