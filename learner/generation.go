package learner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"damier/data"
	"damier/internal/usage"
	"damier/learner/journal"
	"damier/selfplay"
)

// generation is one iteration of the loop and its measurements.
type generation struct {
	learner *Learner
	p       journal.Progress

	stats    selfplay.Stats
	loss     Loss // sum over the steps
	steps    int
	distinct map[uint64]struct{}
	seen     int
}

// run plays, learns, publishes, measures and reports. When the context is done it stops at the
// next safe point: it loses no finished games and publishes no network early.
func (g *generation) run(ctx context.Context) error {
	l := g.learner
	if err := g.play(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil && !l.cfg.Synchronous {
		return err
	}
	if have := l.replay.rows(); have < l.refill || l.replay.train.Len() == 0 {
		l.report.Note("the window has %d of the %d rows it needs before training", have, l.refill)
		l.run.Manifest.Pending = 0
		return l.checkpoint()
	}
	l.refill = 0
	if err := g.learn(ctx); err != nil {
		if errors.Is(err, ErrNotFinite) {
			return l.goBack(err)
		}
		return err
	}
	begun := time.Now()
	if err := l.publish(); err != nil {
		return err
	}
	if err := g.measure(); err != nil {
		return err
	}
	g.p.OtherSecs += time.Since(begun).Seconds()
	g.p.Memory = usage.Resident()
	if err := l.event(journal.Event{Kind: "generation", Progress: &g.p}); err != nil {
		return err
	}
	l.report.Generation(l, &g.p)
	return ctx.Err()
}

// play runs the actors until the generation has its rows, or in a synchronous run its games.
func (g *generation) play(ctx context.Context) error {
	l := g.learner
	m := &l.run.Manifest
	stage := l.cfg.SelfPlay.Stage(l.rows())
	g.p.AlphaBeta, g.p.Visits = stage.AlphaBeta, stage.Visits
	begun, cpu := time.Now(), usage.CPU()

	if !l.cfg.Synchronous {
		adopted, err := l.adopt()
		if err != nil {
			return err
		}
		if adopted > 0 {
			l.report.Note("adopted %d rows of other workers", adopted)
		}
	}
	var rows atomic.Int64
	rows.Store(int64(m.Pending))
	want := int64(l.cfg.Generation.Rows)
	stop := func() bool { return rows.Load() >= want || ctx.Err() != nil }
	if l.cfg.Synchronous {
		if m.Pending > 0 {
			return nil // a process that was killed after writing the shard has already played the games
		}
		first := uint64(l.store.Totals().Games)
		for _, p := range l.players {
			p.Renumber(first, first+uint64(l.cfg.Generation.Games))
		}
		stop = func() bool { return ctx.Err() != nil }
	}
	games := make(chan data.Game, 256)
	failed := make(chan error, len(l.players))
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var actors sync.WaitGroup
	for _, p := range l.players {
		p.SetStage(stage)
		actors.Go(func() {
			err := p.Run(inner, stop, func(game data.Game) {
				rows.Add(int64(game.Rows()))
				games <- game
			})
			if err != nil {
				failed <- err
				cancel()
			}
		})
	}
	go func() { actors.Wait(); close(games) }()
	if err := g.collect(games, &rows, want); err != nil {
		cancel()
		for range games { // so that the actors can end
		}
		return err
	}
	for _, p := range l.players {
		g.stats.Add(p.TakeStats())
	}
	g.playStats(time.Since(begun).Seconds(), usage.CPU()-cpu)
	select {
	case err := <-failed:
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("self-play: %w", err)
		}
	default:
	}
	if l.cfg.Synchronous {
		return ctx.Err() // a synchronous generation is played again as a whole
	}
	return nil
}

// collect writes finished games to shards and adds them to the window until the channel closes. It
// encodes each when it comes: if all were encoded when the last game has ended, one core would work
// and the others wait.
func (g *generation) collect(games <-chan data.Game, rows *atomic.Int64, want int64) error {
	l := g.learner
	period := time.Duration(l.cfg.Limits.ShardPeriod * float64(time.Second))
	tick := time.NewTicker(max(period, 100*time.Millisecond))
	defer tick.Stop()
	look := time.NewTicker(500 * time.Millisecond)
	defer look.Stop()
	g.distinct = map[uint64]struct{}{}
	next := l.newShard()
	for {
		select {
		case game, ok := <-games:
			if !ok {
				// An interrupted synchronous generation writes no shard, because it is played
				// again.
				if l.cfg.Synchronous && len(next.games) < l.cfg.Generation.Games {
					return nil
				}
				return l.writeShard(next)
			}
			for i := range game.Plies {
				g.distinct[game.Plies[i].Position.Key()] = struct{}{}
				g.seen++
			}
			if err := next.add(game); err != nil {
				return err
			}
		case <-tick.C:
			if l.cfg.Synchronous {
				continue // a synchronous generation writes all its games as one shard
			}
			if err := l.writeShard(next); err != nil {
				return err
			}
			next = l.newShard()
		case <-look.C:
			l.report.Playing(l, int(rows.Load()), int(want))
		}
	}
}

func (g *generation) playStats(seconds, cpu float64) {
	s, p := &g.stats, &g.p
	share := func(n int64) float64 { return float64(n) / float64(max(s.Games, 1)) }
	p.NewGames, p.NewRows = int(s.Games), int(s.Rows)
	p.White, p.Draws, p.Black, p.Limited = share(s.Wins), share(s.Draws), share(s.Losses), share(s.Limited)
	p.Reasons, p.TreeRows = s.Reasons, int(s.Tree)
	p.Length = share(s.Plies)
	p.Entropy = s.TargetEntropy / float64(max(s.Targets, 1))
	p.KL = s.TargetKL / float64(max(s.Targets, 1))
	p.Distinct = float64(len(g.distinct)) / float64(max(g.seen, 1))
	p.PlaySecs = seconds
	p.PlayBusy = cpu / seconds / float64(runtime.GOMAXPROCS(0))
	p.Sims = float64(s.Simulations) / seconds
	p.GamesRate = float64(s.Games) / seconds
	p.RowsRate = float64(s.Rows) / seconds
}

// learn trains as many steps as the rows played allow.
func (g *generation) learn(ctx context.Context) error {
	l := g.learner
	m := &l.run.Manifest
	size := l.cfg.Train.Batch
	owed := m.Debt
	steps := int(owed) / size
	rng, batch := l.batches(), make([]data.Sample, size)
	g.p.LearnRate = l.cfg.Generation.RateFactor(l.schedule())
	begun, cpu := time.Now(), usage.CPU()
	for i := range steps {
		if ctx.Err() != nil && !l.cfg.Synchronous {
			break
		}
		rate := g.p.LearnRate
		if l.cfg.Generation.Falling {
			rate *= 1 - float64(i)/float64(steps)
		}
		data.Draw(l.replay.train, rng, batch)
		loss, err := l.step(batch, rate)
		if err != nil {
			m.Debt = owed // what this generation has learnt is lost
			return fmt.Errorf("training step %d: %w", l.steps()+1, err)
		}
		m.Debt -= float64(size)
		g.steps++
		g.loss.Value += loss.Value
		g.loss.GradNorm += loss.GradNorm
		l.report.Training(l, i+1, steps)
	}
	n := float64(max(g.steps, 1))
	g.p.Value, g.p.GradNorm = g.loss.Value/n, g.loss.GradNorm/n
	g.p.TrainSecs = time.Since(begun).Seconds()
	if g.steps > 0 {
		g.p.TrainBusy = (usage.CPU() - cpu) / g.p.TrainSecs / float64(runtime.GOMAXPROCS(0))
		g.p.TrainRate = float64(g.steps*size) / g.p.TrainSecs
	}
	if ctx.Err() != nil && !l.cfg.Synchronous {
		return ctx.Err() // the rows stay pending, and the next session learns them
	}
	m.Pending = 0
	return nil
}

// measure computes the losses on held-out rows, and that of a baseline that counts pieces.
func (g *generation) measure() error {
	l := g.learner
	t := l.store.Totals()
	g.p.Steps, g.p.Rows, g.p.Games, g.p.Window = l.steps(), t.Rows, t.Games, l.replay.train.Len()
	g.p.Passes = float64(l.steps()*l.cfg.Train.Batch) / float64(max(t.Rows, 1))
	batch := make([]data.Sample, l.cfg.Train.Batch)
	if l.replay.heldout.Len() < len(batch) {
		return nil
	}
	var baseline material
	rng := l.random('h')
	const batches = 4
	for range 4 * batches {
		data.Draw(l.replay.train, rng, batch)
		baseline.add(batch)
	}
	for range batches {
		data.Draw(l.replay.heldout, rng, batch)
		loss, err := l.trainer.Evaluate(batch)
		if err != nil {
			return fmt.Errorf("held-out loss: %w", err)
		}
		g.p.HeldValue += loss.Value / batches
		g.p.HeldMaterial += baseline.loss(batch) / batches
		g.p.HeldRows += len(batch)
	}
	return nil
}

// goBack handles a loss that is not finite: the first time it returns to the last checkpoint, the
// second time it stops the run.
func (l *Learner) goBack(why error) error {
	m := &l.run.Manifest
	m.NotFinite++
	m.Games = l.store.State() // the debt and the pending rows belong to these shards
	if err := l.run.Save(); err != nil {
		return err
	}
	if m.NotFinite > 1 || m.Checkpoint.Name == "" {
		return fmt.Errorf("%w; it is time number %d in this run, so it stops here. The last good checkpoint is %s; look at train.learning_rate, and begin another run from the last network with --from %s",
			why, m.NotFinite, l.run.path(checkpointDir, m.Checkpoint.Name), l.run.path(modelsDir, m.Model.Name))
	}
	l.warn("%v; back to the last checkpoint, %s", why, m.Checkpoint.Name)
	return l.restore()
}
