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

// Forecast is what a run will still do on this machine if the rest of it is as fast as a
// measurement of some seconds.
type Forecast struct {
	Games int // 0 if not known
	Rows  int
	// Left is the time until the run ends, with its refit and its last matches. If the run has no
	// end it is a day, and Games and Rows are those of a day.
	Left    time.Duration
	Endless bool
}

// foresee measures how fast this machine is and notes what the run will do. It plays with actors
// and learns with a trainer of its own, so the run is the same with it and without.
func (l *Learner) foresee(ctx context.Context) {
	p, err := l.measurePace(ctx)
	if err != nil {
		if ctx.Err() == nil {
			l.warn("how long the run will take could not be measured: %v", err)
		}
		return
	}
	more := ""
	if l.rows() > 0 {
		more = "more "
	}
	l.report.Note("%s", l.forecast(p).text(time.Now(), more))
}

// text describes the forecast. more is "more " if the run has games already.
func (f Forecast) text(now time.Time, more string) string {
	s := fmt.Sprintf("%s %spositions", about(f.Rows), more)
	if f.Games > 0 {
		s = fmt.Sprintf("%s %sgames, %s positions", about(f.Games), more, about(f.Rows))
	}
	if f.Endless {
		return "about " + s + " a day; the run goes on until it is stopped"
	}
	return fmt.Sprintf("about %s, ready at %s", s, clockTime(now, now.Add(f.Left)))
}

// about writes a number with two significant digits.
func about(n int) string {
	if n < 100 {
		return fmt.Sprint(n)
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-1)
	rounded := unit * math.Round(float64(n)/unit)
	for _, big := range []struct {
		size float64
		name string
	}{{1e9, "billion"}, {1e6, "million"}} {
		if rounded >= big.size {
			return fmt.Sprintf("%.3g %s", rounded/big.size, big.name)
		}
	}
	return thousands(int(rounded))
}

// clockTime writes a time of day, with the day if it is not today.
func clockTime(now, t time.Time) string {
	switch day := t.Format(time.DateOnly); {
	case day == now.Format(time.DateOnly):
		return t.Format("15:04")
	case t.Sub(now) < 6*24*time.Hour:
		return t.Format("15:04 on Monday")
	default:
		return t.Format("15:04 on 2 January")
	}
}

// measurePace measures the speed of training and that of self-play in the stages to come. A run
// without a network of its own is measured with the one that is trained meanwhile, because searches
// and games with a network that knows nothing are much shorter.
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
	trained := l.newest()
	if window.Len() > 0 {
		trainer, err := l.run.method.Trainer(l.variant, l.cfg, nil)
		if err != nil {
			return p, err
		}
		defer trainer.Close()
		if p.train, err = l.measureTraining(ctx, trainer, window, e); err != nil {
			return p, err
		}
		if l.run.Manifest.Generation == 0 && l.run.initial == nil {
			trained = trainer.Network(l.origin())
		}
	}
	var total selfplay.Stats
	cut := 0
	for _, s := range stages {
		m, err := l.measurePlay(ctx, trained, s, e, e.play/time.Duration(len(stages)))
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

// renewals returns the rows at which the rest of the run has a refit in its middle, ascending, if it
// gets there.
func (l *Learner) renewals() []int {
	var rows []int
	for at := max(l.renewal(), l.rows()); at < math.MaxInt/2; at *= 2 {
		rows = append(rows, at)
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
	for i := range l.cfg.actors() {
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
	batches := newSampler(w, rand.New(rand.NewPCG(l.cfg.Seed, 'p')), size, math.MaxInt32)
	defer batches.close()
	// The first step allocates what the others use.
	if _, err := trainer.Step(batches.next(), 1); err != nil {
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
		if _, err := trainer.Step(batches.next(), 1); err != nil {
			return cost{}, err
		}
		steps++
	}
	return since(begun, cpu).times(1 / float64(steps*size)), nil
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

// forecast computes what the rest of the run will do, at the given speed.
func (l *Learner) forecast(p pace) Forecast {
	m := &l.run.Manifest
	now := l.rows()
	rest := math.Inf(1) // rows
	if n := l.cfg.Generations - m.Generation; l.cfg.Generations > 0 {
		each := float64(l.cfg.Generation.Rows)
		if l.cfg.Synchronous {
			each = float64(l.cfg.Generation.Games) / max(p.games, 1e-3)
		}
		rest = max(float64(n)*each-float64(m.Pending), 0)
	}
	left := cost{math.Inf(1), math.Inf(1)}
	endless := l.cfg.Generations == 0 && l.cfg.Minutes == 0 && l.cfg.CPUMinutes == 0
	if l.cfg.Minutes > 0 {
		left.clock = max(60*l.cfg.Minutes-m.Seconds, 0)
	}
	if l.cfg.CPUMinutes > 0 {
		left.cpu = max(60*l.cfg.CPUMinutes-m.CPUSeconds, 0)
	}
	if endless {
		left.clock = 24 * 60 * 60
	}

	// Walk through the stages and refits until the rows or the time are used up.
	var spent cost
	played := 0.0
	learn := p.train.times(l.cfg.Generation.Passes)
	refits := l.renewals()
	changes := append(l.changes(), refits...)
	slices.Sort(changes)
	changes = slices.Compact(changes)
	for i, from := range changes {
		until := math.Inf(1)
		if i+1 < len(changes) {
			until = float64(changes[i+1] - now)
		}
		stage := p.of(l.cfg.SelfPlay.Stage(from))
		if slices.Contains(refits, from) {
			seconds := l.refitSeconds(p, stage, from)
			spent = spent.add(cost{seconds, seconds * float64(l.cfg.actors())})
		}
		row := stage.row.add(learn)
		if l.cfg.Evaluation.Every > 0 { // matches take a share of the time
			row = row.times(1 + l.evaluationSeconds(p, stage)/(60*l.cfg.Evaluation.Every))
		}
		n := min(until, rest) - played
		n = min(n, (left.clock-spent.clock)/row.clock)
		if row.cpu > 0 {
			n = min(n, (left.cpu-spent.cpu)/row.cpu)
		}
		n = max(n, 0)
		played += n
		spent = spent.add(row.times(n))
		if played < until || played >= rest {
			break
		}
	}
	f := Forecast{Rows: int(played), Games: int(played * p.games), Endless: endless}
	if !endless {
		last := p.of(l.cfg.SelfPlay.Stage(now + f.Rows))
		spent.clock += l.refitSeconds(p, last, now+f.Rows) + l.evaluationSeconds(p, last)
	}
	f.Left = time.Duration(spent.clock * float64(time.Second))
	return f
}

// strayCost is the time of a stray position, with the line to it, in searched rows of 64 visits.
const strayCost = 0.4

// refitSeconds estimates the time of a refit when the run has so many rows.
func (l *Learner) refitSeconds(p pace, s stagePace, rows int) float64 {
	r := l.cfg.Refit
	if r.Passes == 0 {
		return 0
	}
	own := l.cfg
	l.newest().Settings(&own) // the training that was measured is of this network
	wider := float64(l.cfg.forRefit().Net.Width) / float64(own.Net.Width)
	window := float64(l.cfg.Window.Filled(rows, p.trees))
	strays := r.Strays * window
	return strays*strayCost*s.row.clock + r.Passes*wider*(window+strays)*p.train.clock + l.matchSeconds(p, s, 2*r.Games)
}

// evaluationSeconds estimates the time of an evaluation from the speed of the search.
func (l *Learner) evaluationSeconds(p pace, s stagePace) float64 {
	e := l.cfg.Evaluation
	return l.matchSeconds(p, s, e.Games*len(e.Rungs)+2*e.GateGames)
}

// matchSeconds estimates the time of games in which one side searches with the network.
func (l *Learner) matchSeconds(p pace, s stagePace, games int) float64 {
	if p.games == 0 || s.sims == 0 {
		return 0
	}
	moves := 1 / p.games / 2
	return float64(games) * moves * float64(l.cfg.Evaluation.Visits) / s.sims
}
