package learner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"damier/data"
	"damier/internal/usage"
	"damier/rules"
	"damier/selfplay"
)

// pace is how fast this machine is.
type pace struct {
	stages map[selfplay.Stage]stagePace
	train  cost    // of a row that is learnt
	games  float64 // games for each row played, 0 if not known
	trees  float64 // rows of trees for each row played
}

// stagePace is the speed of self-play in one stage.
type stagePace struct {
	row  cost    // of a row that is played
	sims float64 // simulations a second
}

// cost is the time that something takes.
type cost struct{ clock, cpu float64 } // seconds

func (c cost) add(k cost) cost      { return cost{c.clock + k.clock, c.cpu + k.cpu} }
func (c cost) times(n float64) cost { return cost{n * c.clock, n * c.cpu} }
func since(t time.Time, cpu float64) cost {
	return cost{time.Since(t).Seconds(), usage.CPU() - cpu}
}

// of returns the speed of a stage; that of one that was not measured follows from the nearest one
// by its visits.
func (p pace) of(s selfplay.Stage) stagePace {
	if m, ok := p.stages[s]; ok {
		return m
	}
	best, ratio := stagePace{}, math.Inf(1)
	for k, m := range p.stages {
		r := float64(s.Visits) / float64(max(k.Visits, 1))
		if k.AlphaBeta == s.AlphaBeta && math.Abs(math.Log(r)) < math.Abs(math.Log(ratio)) {
			best, ratio = stagePace{m.row.times(r), m.sims}, r
		}
	}
	return best
}

// effort bounds the measurement on which a forecast rests. Each part ends when it has its rows, but
// not before least, or when its time is over.
type effort struct {
	first      time.Duration // play that gives training its rows
	train      time.Duration
	play       time.Duration // for all stages together
	least      time.Duration
	playRows   int // of a stage
	trainRows  int
	mostStages int
}

// wholeEffort is that of a run of a minute or more; it takes less than three seconds.
var wholeEffort = effort{
	first:      400 * time.Millisecond,
	train:      600 * time.Millisecond,
	play:       1600 * time.Millisecond,
	least:      50 * time.Millisecond,
	playRows:   1000,
	trainRows:  300_000,
	mostStages: 3,
}

// effort returns the effort that the rest of the run is worth: a short run is measured for a small
// part of its time.
func (l *Learner) effort() effort {
	e := wholeEffort
	rows, seconds := l.limits()
	share := min(seconds/60, 1)
	if rows < float64(e.playRows) {
		e.playRows = int(rows)
		e.trainRows = int(rows * l.cfg.Generation.Passes)
		share = min(share, rows/float64(wholeEffort.playRows))
	}
	for _, d := range []*time.Duration{&e.first, &e.train, &e.play, &e.least} {
		*d = max(time.Duration(share*float64(*d)), time.Millisecond)
	}
	return e
}

// limits returns how many rows and how many seconds are left of the run at most, infinite if it has
// no such limit. Seconds of CPU time count as seconds.
func (l *Learner) limits() (rows, seconds float64) {
	m := &l.run.Manifest
	rows, seconds = math.Inf(1), math.Inf(1)
	if l.cfg.Generations > 0 {
		rows = max(float64((l.cfg.Generations-m.Generation)*l.cfg.Generation.Rows-m.Pending), 0)
	}
	if l.cfg.Minutes > 0 {
		seconds = max(60*l.cfg.Minutes-m.Seconds, 0)
	}
	if l.cfg.CPUMinutes > 0 {
		seconds = min(seconds, max(60*l.cfg.CPUMinutes-m.CPUSeconds, 0))
	}
	return rows, seconds
}

// measurePace measures the speed of training and that of self-play in the stages to come. Searches
// and games with a network that knows nothing are much shorter, so a run without a network of its
// own is measured with [Learner].Typical, or if there is none with the one that is trained
// meanwhile.
func (l *Learner) measurePace(ctx context.Context) (pace, error) {
	p := pace{stages: map[selfplay.Stage]stagePace{}}
	e := l.effort()
	stages := l.stagesToCome(e.mostStages)
	first, err := l.measurePlay(ctx, l.newest(), stages[0], e, e.first)
	if err != nil {
		return p, err
	}
	window := data.NewWindow(l.variant, l.cfg.Window, l.run.method.Targets(l.variant, l.cfg))
	for _, g := range first.games {
		window.Add(g)
	}
	player, begins := l.newest(), l.run.Manifest.Generation == 0 && l.run.initial == nil
	if window.Len() > 0 {
		trainer, err := l.run.method.Trainer(l.variant, l.cfg, nil)
		if err != nil {
			return p, err
		}
		defer trainer.Close()
		if p.train, err = l.measureTraining(ctx, trainer, window, e); err != nil {
			return p, err
		}
		if begins {
			player = trainer.Network(l.origin())
		}
	}
	if begins && l.Typical != nil {
		player = l.Typical
	}
	var total selfplay.Stats
	cut := 0
	for _, s := range stages {
		m, err := l.measurePlay(ctx, player, s, e, e.play/time.Duration(len(stages)))
		if err != nil {
			return p, err
		}
		p.stages[s] = m.pace
		total.Add(m.stats)
		cut += m.cut
	}
	if total.Rows > 0 && total.Games > 0 {
		// On average half of a game that was cut has been played.
		p.games = (float64(total.Games) + float64(cut)/2) / float64(total.Rows)
		p.trees = float64(total.Tree) / float64(total.Rows)
	}
	return p, nil
}

// stagesToCome returns the different stages of the rest of the run; of more than most, the first, the
// last and some between.
func (l *Learner) stagesToCome(most int) []selfplay.Stage {
	var stages []selfplay.Stage
	for _, from := range l.changes() {
		if s := l.cfg.SelfPlay.Stage(from); !slices.Contains(stages, s) {
			stages = append(stages, s)
		}
	}
	if n := len(stages); n > most {
		var some []selfplay.Stage
		for i := range most {
			some = append(some, stages[i*(n-1)/(most-1)])
		}
		stages = some
	}
	return stages
}

// changes returns the rows at which the rest of the run begins or changes its stage, ascending.
func (l *Learner) changes() []int {
	now := l.rows()
	rows := []int{now}
	for _, from := range l.cfg.SelfPlay.Changes() {
		if from > now {
			rows = append(rows, from)
		}
	}
	return rows
}

// playMeasure is the result of a measurement of self-play.
type playMeasure struct {
	pace  stagePace
	stats selfplay.Stats // with the rows of games that were cut
	games []data.Game    // with those that were cut
	cut   int
}

// measurePlay plays with a network on all actors for at most the given time.
func (l *Learner) measurePlay(
	ctx context.Context, model Network, s selfplay.Stage, e effort, most time.Duration,
) (playMeasure, error) {
	var m playMeasure
	var actors []*selfplay.Actor
	for i := range l.cfg.ActorCount() {
		id := selfplay.Identity{Seed: l.cfg.Seed, Actor: fmt.Sprintf("forecast%d", i)}
		a, err := selfplay.NewActor(l.variant, l.cfg.SelfPlay, id, 0, nil)
		if err != nil {
			return m, err
		}
		searcher, err := model.Searcher(l.variant, l.cfg.SelfPlay)
		if err != nil {
			return m, err
		}
		a.SetModel(searcher, model.ID(), model.Generation())
		a.SetStage(s)
		actors = append(actors, a)
	}
	begun, cpu := time.Now(), usage.CPU()
	var mu sync.Mutex
	var wrong error
	var playing sync.WaitGroup
	for _, a := range actors {
		playing.Go(func() {
			rows := 0
			stop := func() bool {
				passed := time.Since(begun)
				enough := rows >= e.playRows/len(actors) && passed >= e.least
				return enough || passed >= most || ctx.Err() != nil
			}
			err := a.Run(ctx, stop, func(g data.Game) {
				rows += g.Rows()
				mu.Lock()
				defer mu.Unlock()
				m.games = append(m.games, g)
			})
			mu.Lock()
			defer mu.Unlock()
			wrong = errors.Join(wrong, err)
		})
	}
	playing.Wait()
	took := since(begun, cpu)
	if err := errors.Join(ctx.Err(), wrong); err != nil {
		return m, err
	}
	for _, a := range actors {
		m.stats.Add(a.TakeStats())
		for _, g := range a.Unfinished() {
			m.cut++
			m.stats.Rows += int64(g.Rows())
			g.Outcome, g.Reason = rules.Draw, rules.PlyLimit
			m.games = append(m.games, g)
		}
	}
	if m.stats.Rows == 0 {
		return m, errors.New("no position was searched")
	}
	m.pace.row = took.times(1 / float64(m.stats.Rows))
	m.pace.sims = float64(m.stats.Simulations) / took.clock
	return m, nil
}

// measureTraining trains on the rows of a window and measures what a row costs.
func (l *Learner) measureTraining(
	ctx context.Context, trainer Trainer, w *data.Window, e effort,
) (cost, error) {
	size := l.cfg.Train.Batch
	rng, batch := rand.New(rand.NewPCG(l.cfg.Seed, 'p')), make([]data.Sample, size)
	step := func() error {
		data.Draw(w, rng, batch)
		_, err := trainer.Step(batch, 1)
		return err
	}
	// The first step allocates what the others use.
	if err := step(); err != nil {
		return cost{}, err
	}
	begun, cpu := time.Now(), usage.CPU()
	steps := 0
	enough := func(passed time.Duration) bool {
		return passed >= e.train || steps*size >= e.trainRows && passed >= e.least
	}
	for steps == 0 || !enough(time.Since(begun)) {
		if err := ctx.Err(); err != nil {
			return cost{}, err
		}
		if err := step(); err != nil {
			return cost{}, err
		}
		steps++
	}
	return since(begun, cpu).times(1 / float64(steps*size)), nil
}
