package learner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"damier/arena"
	"damier/data"
	"damier/internal/files"
	"damier/learner/settings"
	"damier/rules"
	"damier/selfplay"
)

// Worker plays games next to a run's learner, or with one network alone, and writes them as
// shards.
type Worker struct {
	Variant *rules.Variant
	Config  selfplay.Config
	Actors  int    // goroutines that play
	Name    string // unique; it is part of the names of shards and the ids of games
	Seed    uint64
	Dir     string        // folder of the shards
	Period  time.Duration // finished games are on disk after at most this

	// Source returns the network to play with and the stage of the run; a nil stage means that of
	// Config. It is called again after every shard.
	Source func() (Network, *selfplay.Stage, error)

	// OnShard, if not nil, is called with every shard, and with the counts since the one before.
	OnShard func(data.ShardInfo, selfplay.Stats)
}

// RunWorker returns a worker of the run in dir, which method trains. It plays with the present
// network of self-play and writes into the run's own folder of games, where the learner finds its
// shards.
func RunWorker(dir string, method Method, name string, actors int) (*Worker, error) {
	if !IsRun(dir) {
		return nil, fmt.Errorf("%w; begin one with `train --run %s`", notRun(dir), dir)
	}
	config, err := ResolveRun(dir, nil, settings.Sources{})
	if err != nil {
		return nil, err
	}
	if config.Synchronous {
		return nil, settings.Errorf("the run in %s is synchronous: it repeats to the bit, and takes no games of others", dir)
	}
	v, err := config.Lookup()
	if err != nil {
		return nil, err
	}
	w := &Worker{
		Variant: v, Config: config.SelfPlay, Actors: actors, Name: name, Seed: config.Seed,
		Dir:    filepath.Join(dir, gamesDir),
		Period: time.Duration(config.Limits.ShardPeriod * float64(time.Second)),
	}
	w.Source = func() (Network, *selfplay.Stage, error) {
		m, err := readManifest(dir)
		if err != nil {
			return nil, nil, err
		}
		stage := config.SelfPlay.Stage(m.Games.Totals().Rows)
		file := m.Model
		if m.GateClosed {
			file = m.Accepted
		}
		if file.Name == "" { // nothing is published yet: take the initial weights of the learner
			model, err := method.New(v, config.Config)
			return model, &stage, err
		}
		model, err := method.Load(filepath.Join(dir, modelsDir, file.Name), v)
		return model, &stage, err
	}
	return w, nil
}

// readManifest reads the manifest of a run that another process may hold.
func readManifest(dir string) (Manifest, error) {
	var m Manifest
	path := filepath.Join(dir, manifestFile)
	text, err := files.Read(path, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return m, notRun(dir)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, damaged("%s is damaged: %v", path, err)
	}
	if err := m.checkVersion(dir); err != nil {
		return m, err
	}
	return m, m.check(path)
}

// checkVersion returns an error for a manifest of another version of the program, with what to do
// about it. The error wraps data.ErrForeign.
func (m *Manifest) checkVersion(dir string) error {
	network := filepath.Join(dir, modelsDir, m.Model.Name)
	switch {
	case m.Format == ManifestFormat && m.Rules == rules.Version:
		return nil
	case m.Format < ManifestFormat && strings.HasSuffix(m.Model.Name, ".safetensors"):
		return foreign("%s is a run of the lattice network, which this version does not train, for the network of today is far stronger; begin a new run with --run DIR, and look at this one with the version that made it",
			dir)
	case m.Model.Name == "":
		return foreign("%s was made by another version (format %d, rules %d; this is format %d, rules %d) and has no network yet; begin a new run with --run DIR",
			dir, m.Format, m.Rules, ManifestFormat, rules.Version)
	}
	return foreign("%s was made by another version (format %d, rules %d; this is format %d, rules %d); begin a new run from its last network with --run DIR --from %s",
		dir, m.Format, m.Rules, ManifestFormat, rules.Version, network)
}

// maxManifest is the size in bytes above which a manifest is refused unread; that of a run of a
// year has a few megabytes.
const maxManifest = 1 << 28

// check returns an error for numbers that no run writes; it wraps data.ErrDamaged.
func (m *Manifest) check(path string) error {
	t := m.Games.Totals()
	for _, n := range []struct {
		key   string
		value float64
	}{
		{"session", float64(m.Session)}, {"generation", float64(m.Generation)}, {"steps", float64(m.Steps)},
		{"checkpoints", float64(m.Checkpoints)}, {"pending", float64(m.Pending)},
		{"seconds", m.Seconds}, {"cpu_seconds", m.CPUSeconds}, {"last_evaluation", m.LastEvaluation},
		{"not_finite", float64(m.NotFinite)}, {"games of all shards", float64(t.Games)}, {"rows of all shards", float64(t.Rows)},
		{"bytes of all shards", float64(t.Bytes)},
	} {
		if !(n.value >= 0) {
			return damaged("%s is damaged: %s is %g; it is never below 0", path, n.key, n.value)
		}
	}
	named := []File{m.Checkpoint, m.Unfinished, m.Model, m.Accepted}
	if m.Refit != nil {
		named = append(named, m.Refit.File)
	}
	for _, f := range named {
		if f.Name != filepath.Base(f.Name) && f.Name != "" {
			return damaged("%s is damaged: %q is no name of a file", path, f.Name)
		}
	}
	for _, s := range slices.Concat(m.Games.Shards, m.Games.Going) {
		if s.Name != filepath.Base(s.Name) {
			return damaged("%s is damaged: %q is no name of a shard", path, s.Name)
		}
	}
	return nil
}

// Run plays the given number of games, or until the context is done; 0 means no limit. When it
// returns, finished games are on disk; it drops games in progress.
func (w *Worker) Run(ctx context.Context, games int) error {
	model, stage, err := w.Source()
	if err != nil {
		return err
	}
	avoid := arena.ReservedKeys(w.Variant)
	var actors []*selfplay.Actor
	for i := range w.Actors {
		id := selfplay.Identity{Seed: w.Seed, Actor: fmt.Sprintf("%s-a%d", w.Name, i)}
		actor, err := selfplay.NewActor(w.Variant, w.Config, id, 0, func(p rules.Position) bool { return avoid[p.Key()] })
		if err != nil {
			return err
		}
		if games > 0 {
			actor.Renumber(0, uint64((games+i)/w.Actors))
		}
		actors = append(actors, actor)
	}
	if err := giveTables(ctx, w.Variant, w.Config.Tables, actors...); err != nil {
		return err
	}
	for n := 1; ; n++ {
		for _, a := range actors {
			s, err := model.Searcher(w.Variant, w.Config)
			if err != nil {
				return err
			}
			a.SetModel(s, model.ID(), model.Generation())
			if stage != nil {
				a.SetStage(*stage)
			}
		}
		played, over, failed := w.play(ctx, actors)
		if len(played) > 0 {
			info, err := data.WriteShard(w.Dir, fmt.Sprintf("%s-%06d%s", w.Name, n, data.Extension), w.Variant, played)
			if err != nil {
				return err
			}
			var stats selfplay.Stats
			for _, a := range actors {
				stats.Add(a.TakeStats())
			}
			if w.OnShard != nil {
				w.OnShard(info, stats)
			}
		}
		if failed != nil {
			return failed
		}
		if err := ctx.Err(); err != nil || over {
			return err
		}
		if model, stage, err = w.Source(); err != nil {
			return err
		}
	}
}

// play runs the actors for one period. over is true if no game is left to play.
func (w *Worker) play(ctx context.Context, actors []*selfplay.Actor) (played []data.Game, over bool, err error) {
	end := time.Now().Add(w.Period)
	stop := func() bool { return ctx.Err() != nil || !time.Now().Before(end) }
	var (
		mu     sync.Mutex
		failed error
		busy   bool // an actor was stopped before its games were over
		wait   sync.WaitGroup
	)
	for _, a := range actors {
		wait.Go(func() {
			err := a.Run(context.WithoutCancel(ctx), stop, func(g data.Game) {
				mu.Lock()
				defer mu.Unlock()
				played = append(played, g)
			})
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			busy = busy || !a.Idle()
		})
	}
	wait.Wait()
	return played, !busy, failed
}
