package learner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

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
			spent = spent.add(cost{seconds, seconds * float64(l.cfg.ActorCount())})
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

// renewals returns the rows at which the rest of the run has a refit in its middle, ascending, if it
// gets there.
func (l *Learner) renewals() []int {
	var rows []int
	for at := max(l.renewal(), l.rows()); at < math.MaxInt/2; at *= 2 {
		rows = append(rows, at)
	}
	return rows
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
	wider := float64(l.cfg.ForRefit().Net.Width) / float64(own.Net.Width)
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
