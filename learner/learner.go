package learner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"damier/arena"
	"damier/data"
	"damier/internal/usage"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
	"damier/selfplay"
)

// Learner drives one run. Only one goroutine may use it.
type Learner struct {
	// Forecast makes Run measure for at most three seconds how fast this machine is, and note how
	// long the run will take and how much it will play. That changes nothing in the run.
	Forecast bool

	// Typical is a network that plays about as the run's will after some minutes, nil if there is
	// none. The speed of a run that has no network yet is measured with it.
	Typical Network

	run     *Run
	cfg     settings.Config
	variant *rules.Variant
	report  Reporter

	trainer  Trainer
	players  []*selfplay.Actor
	store    *data.Store
	replay   replay
	openings []arena.Opening

	// step is trainer.Step; tests make it fail.
	step func(batch []data.Sample, rate float64) (Loss, error)

	underway []data.Game // unfinished games of the last session, until the actors continue them
	warning  sync.Mutex  // held while a warning is appended to the metrics
	early    []string    // warnings from before the session has begun
	refill   int         // rows that the window needs before training continues
	started  time.Time   // of this session
	before   float64     // Manifest.Seconds when this session began
	cpuStart float64
	cpuSaved float64 // Manifest.CPUSeconds when this session began
}

// New prepares the learner of a run: network, optimiser, window and actors, as the run left them
// or new. ctx ends only the reading of the window, which may take long.
func New(ctx context.Context, run *Run, report Reporter) (*Learner, error) {
	l := &Learner{run: run, cfg: run.Config.Config, variant: run.Variant, report: report}
	run.Manifest.rate(run.Variant.Name)
	if err := l.loadTrainer(); err != nil {
		return nil, err
	}
	l.loadUnderway()
	if err := l.loadGames(ctx); err != nil {
		return nil, err
	}
	var err error
	if l.openings, err = arena.Openings(l.variant); err != nil {
		return nil, err
	}
	if err := l.makePlayers(); err != nil {
		return nil, err
	}
	return l, nil
}

// loadTrainer makes the trainer and loads the checkpoint of the run into it.
func (l *Learner) loadTrainer() error {
	t, err := l.run.newTrainer()
	if err != nil {
		return err
	}
	l.trainer, l.step = t, t.Step
	if l.run.Manifest.Checkpoint.Name == "" {
		return nil
	}
	return l.restore()
}

// newTrainer makes a trainer for the checkpoints of the run. The network of a refit may have
// another architecture than that of the settings.
func (r *Run) newTrainer() (Trainer, error) {
	c := r.Config.Config
	if r.Manifest.Replaced > 0 {
		n, err := r.method.Load(r.path(modelsDir, r.Manifest.Model.Name), r.Variant)
		if err != nil {
			return nil, err
		}
		n.Settings(&c)
	}
	return r.method.Trainer(r.Variant, c, r.initial)
}

// restore loads the checkpoint that the manifest names into the trainer.
func (l *Learner) restore() error {
	m := &l.run.Manifest
	state, err := l.run.readFile(checkpointDir, m.Checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint: %w; begin a new run from the last network with --from %s", err, l.run.path(modelsDir, m.Model.Name))
	}
	if err := l.trainer.Load(bytes.NewReader(state)); err != nil {
		return fmt.Errorf("checkpoint %s: %w", l.run.path(checkpointDir, m.Checkpoint.Name), err)
	}
	return nil
}

// makePlayers makes the actors and gives them the unfinished games and their network.
func (l *Learner) makePlayers() error {
	m := &l.run.Manifest
	avoid := arena.ReservedKeys(l.variant)
	model, err := l.playing()
	if err != nil {
		return err
	}
	n := l.cfg.ActorCount()
	for i := range n {
		// Each session numbers its games differently. In a synchronous run the number is that of
		// the games before, so that a repeated generation has the same games.
		first := uint64(m.Session+1) << 40
		if l.cfg.Synchronous {
			first = uint64(l.store.Totals().Games)
		}
		id := selfplay.Identity{Seed: l.cfg.Seed, Actor: fmt.Sprintf("a%d", i)}
		actor, err := selfplay.NewActor(l.variant, l.cfg.SelfPlay, id, first, func(p rules.Position) bool { return avoid[p.Key()] })
		if err != nil {
			return err
		}
		// Divide all games among the present actors, whose number may have changed.
		games := l.underway[i*len(l.underway)/n : (i+1)*len(l.underway)/n]
		if err := actor.Restore(games); err != nil {
			l.warn("a game under way could not be taken up: %v", err)
		}
		l.players = append(l.players, actor)
	}
	l.underway = nil
	if err := giveTables(context.Background(), l.variant, l.cfg.SelfPlay.Tables, l.players...); err != nil {
		return err
	}
	return l.play(model)
}

// loadUnderway reads the games in progress at the last checkpoint.
func (l *Learner) loadUnderway() {
	f := l.run.Manifest.Unfinished
	if f.Name == "" || l.cfg.Synchronous {
		return
	}
	games, err := data.ReadShard(l.run.path(checkpointDir, f.Name), l.variant)
	if err != nil {
		l.warn("games under way could not be taken up: %v", err)
		return
	}
	l.underway = games
}

// playing returns the network of self-play: the newest, or while the gate is closed the accepted
// one.
func (l *Learner) playing() (Network, error) {
	m := &l.run.Manifest
	if !m.GateClosed {
		return l.newest(), nil
	}
	accepted, err := l.run.method.Load(l.run.path(modelsDir, m.Accepted.Name), l.variant)
	if err != nil {
		l.warn("the accepted network cannot be used, self-play goes on with the newest one: %v", err)
		m.GateClosed = false
		return l.newest(), nil
	}
	return accepted, nil
}

// steps returns the number of training steps of the run.
func (l *Learner) steps() int { return l.run.Manifest.Replaced + l.trainer.Steps() }

// newest returns the trained network, with the identity of the last published one.
func (l *Learner) newest() Network { return l.trainer.Network(l.origin()) }

// origin returns the origin of a network that is published now.
func (l *Learner) origin() Origin {
	m := &l.run.Manifest
	return Origin{Run: m.Name, Generation: m.Generation, Games: l.store.Totals().Games}
}

// Close ends the goroutines of a Learner that was not run.
func (l *Learner) Close() { l.trainer.Close() }

// Run continues until the end of the run, its first unrecoverable error, or until the context is
// done. Then it writes a checkpoint and returns the error of the context.
func (l *Learner) Run(ctx context.Context) error {
	defer l.trainer.Close()
	m := &l.run.Manifest
	m.Session++
	l.started, l.before = time.Now(), m.Seconds
	l.cpuStart, l.cpuSaved = usage.CPU(), m.CPUSeconds
	if err := l.begin(); err != nil {
		return err
	}
	l.report.Begin(l)
	if err := l.event(journal.Event{Kind: "start", Message: fmt.Sprintf("session %d", m.Session)}); err != nil {
		return err
	}
	for _, message := range l.early {
		if err := l.event(journal.Event{Kind: "warning", Message: message}); err != nil {
			return err
		}
	}
	if l.Forecast && !l.finished() {
		l.foresee(ctx)
		l.started, l.cpuStart = time.Now(), usage.CPU() // it takes nothing from the run's time
	}
	err := l.loop(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		return errors.Join(err, l.event(journal.Event{Kind: "stop", Message: err.Error()}))
	}
	stopped, message := err, "finished"
	if stopped != nil {
		message = "interrupted"
		if err := l.checkpoint(); err != nil {
			return err
		}
	}
	if err := l.event(journal.Event{Kind: "stop", Message: message}); err != nil {
		return err
	}
	l.report.End(l, stopped)
	return stopped
}

// begin writes the first manifest of the session. A new run writes a checkpoint at once: it holds
// the weights of --from, and a loss that is not finite can return to it.
func (l *Learner) begin() error {
	m := &l.run.Manifest
	if m.Checkpoint.Name != "" {
		return l.run.Save()
	}
	if l.run.initial != nil { // workers play with it until the first generation
		if err := l.writeModel(); err != nil {
			return err
		}
	}
	return l.checkpoint()
}

func (l *Learner) loop(ctx context.Context) error {
	for !l.finished() {
		if l.renewalDue() { // here, so that a process that was killed in it makes it again
			if err := l.renew(ctx); err != nil {
				return err
			}
			continue
		}
		g := &generation{learner: l}
		if err := g.run(ctx); err != nil {
			return err
		}
		if l.evaluationDue() && !l.finished() {
			if err := l.evaluate(ctx); err != nil {
				return err
			}
		}
	}
	if err := l.refit(ctx); err != nil {
		return err
	}
	// Measure the last network once in any case.
	m := &l.run.Manifest
	if e := m.Evaluations; len(e) == 0 || e[len(e)-1].Generation != m.Generation || e[len(e)-1].Refit != m.refitted() {
		return l.evaluate(ctx)
	}
	return nil
}

// progress returns the finished share of the run, in [0,1]; 0 for a run without end.
func (l *Learner) progress() float64 {
	p := 0.0
	if l.cfg.Generations > 0 {
		p = float64(l.run.Manifest.Generation) / float64(l.cfg.Generations)
	}
	if l.cfg.Minutes > 0 {
		p = max(p, l.seconds()/(60*l.cfg.Minutes))
	}
	if l.cfg.CPUMinutes > 0 {
		p = max(p, l.cpuSeconds()/(60*l.cfg.CPUMinutes))
	}
	return min(p, 1)
}

// schedule returns the progress for the learning rate. In a synchronous run it does not depend on
// the clock.
func (l *Learner) schedule() float64 {
	if !l.cfg.Synchronous {
		return l.progress()
	}
	if l.cfg.Generations == 0 {
		return 0
	}
	return float64(l.run.Manifest.Generation) / float64(l.cfg.Generations)
}

func (l *Learner) finished() bool { return l.progress() >= 1 }

// seconds returns the clock time of the run so far, all sessions.
func (l *Learner) seconds() float64 { return l.before + time.Since(l.started).Seconds() }

// cpuSeconds returns the CPU time of the run so far, all sessions.
func (l *Learner) cpuSeconds() float64 { return l.cpuSaved + usage.CPU() - l.cpuStart }

// event completes e and appends it to the metrics.
func (l *Learner) event(e journal.Event) error {
	e.Time = time.Now().UTC()
	e.Seconds, e.CPUHours, e.Generation = l.seconds(), l.cpuSeconds()/3600, l.run.Manifest.Generation
	return advise(journal.Append(l.run.Dir, e))
}

// warn reports a warning and appends it to the metrics. Those from before the session has begun are
// appended when it begins. The matches of an evaluation may call it at once.
func (l *Learner) warn(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	l.report.Warn("%s", message)
	l.warning.Lock()
	defer l.warning.Unlock()
	if l.started.IsZero() {
		l.early = append(l.early, message)
		return
	}
	if err := l.event(journal.Event{Kind: "warning", Message: message}); err != nil {
		l.report.Warn("%v", err)
	}
}

// Boards returns games in progress, at most the given number: one of each actor. Any goroutine may
// call it while the learner runs.
func (l *Learner) Boards(most int) []selfplay.Board {
	var boards []selfplay.Board
	for _, p := range l.players {
		if b, ok := p.Board(); ok && len(boards) < most {
			boards = append(boards, b)
		}
	}
	return boards
}
