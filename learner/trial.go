package learner

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"damier/learner/journal"
	"damier/learner/settings"

	"gonum.org/v1/gonum/stat"
)

// Trial is the result of one training from zero with a budget of CPU time: a line of train bench.
type Trial struct {
	Time       time.Time         `json:"time"`
	Name       string            `json:"name"`    // the name that a person gave it
	Build      string            `json:"build"`   // version of the program
	Command    string            `json:"command"` // the command that repeats it
	Variant    string            `json:"variant"`
	Preset     string            `json:"preset"`
	Settings   map[string]string `json:"settings"` // differences from the preset
	Seed       uint64            `json:"seed"`
	CPUMinutes float64           `json:"cpu_minutes"` // used for training, all threads
	Minutes    float64           `json:"minutes"`     // the time on the clock
	Generation int               `json:"generation"`
	Rows       int               `json:"rows"`
	Games      int               `json:"games"`
	Value      float64           `json:"value_loss"`        // held-out, of the last generation, nats
	Material   float64           `json:"material_loss"`     // value loss of a baseline that only counts pieces
	Rating     journal.Rating    `json:"rating"`            // of the best network, on the ladder of its variant
	Matches    []TrialMatch      `json:"matches,omitempty"` // of the best network against others
}

// TrialMatch is a match of a trial's network against another network, both with the visits of the
// rating.
type TrialMatch struct {
	Opponent string  `json:"opponent"` // its file
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Score    float64 `json:"score"`
	Low      float64 `json:"score_low"` // of the 95 % interval
	High     float64 `json:"score_high"`
}

// RunTrial trains a network of the method from zero in dir, which must not be a run yet, until the
// budget of s is used up. It measures the best network on the ladder once, plays the same number of
// games against each network of the files in against, and returns the results. The refit is not part
// of the budget. The settings of s are what the trial tests; the caller sets Name, Build and Command.
func RunTrial(ctx context.Context, dir string, method Method, s settings.Sources, against []string, report Reporter) (Trial, error) {
	if IsRun(dir) {
		return Trial{}, settings.Errorf("%s is a run already; a trial begins from zero, in a directory of its own", dir)
	}
	run, err := Open(dir, method, s)
	if err != nil {
		return Trial{}, err
	}
	defer run.Close()
	l, err := New(ctx, run, report)
	if err != nil {
		return Trial{}, err
	}
	var opponents []Network
	for _, file := range against {
		n, err := method.Load(file, run.Variant)
		if err != nil {
			return Trial{}, err
		}
		opponents = append(opponents, n)
	}
	if err := l.Run(ctx); err != nil {
		return Trial{}, err
	}
	t, err := l.trial(s)
	if err != nil {
		return Trial{}, err
	}
	best, err := method.Load(run.path(modelsDir, run.Manifest.Best().Name), run.Variant)
	if err != nil {
		return Trial{}, err
	}
	visits := l.cfg.Evaluation.Visits
	for i, n := range opponents {
		result, err := l.match(ctx, fmt.Sprintf("against-%d", i+1), best.Players(run.Variant, visits), n.Players(run.Variant, visits), l.cfg.Evaluation.Games)
		if err != nil {
			return Trial{}, err
		}
		score := result.Pairs.ScoreInterval(0.95)
		t.Matches = append(t.Matches, TrialMatch{
			Opponent: filepath.ToSlash(against[i]), Wins: result.Wins, Draws: result.Draws, Losses: result.Losses,
			Score: result.Score(), Low: score.Low, High: score.High,
		})
	}
	return t, nil
}

func (l *Learner) trial(s settings.Sources) (Trial, error) {
	m := &l.run.Manifest
	events, err := journal.Read(l.run.Dir)
	if err != nil {
		return Trial{}, err
	}
	totals := m.Games.Totals()
	t := Trial{
		Time: time.Now().UTC(), Variant: l.variant.String(), Preset: s.Preset, Settings: s.Set, Seed: l.cfg.Seed,
		Generation: m.Generation, Rows: totals.Rows, Games: totals.Games,
	}
	for _, e := range events {
		if e.Progress == nil {
			continue
		}
		p := e.Progress
		t.CPUMinutes, t.Minutes = 60*e.CPUHours, e.Seconds/60
		t.Value, t.Material = p.HeldValue, p.HeldMaterial
	}
	if n := len(m.Evaluations); n > 0 {
		t.Rating = m.Evaluations[n-1]
	}
	return t, nil
}

// Spread returns the mean of a figure over trials and its standard deviation between seeds, NaN
// for a single trial. A difference between two settings that is not far above it is luck.
func Spread(trials []Trial, figure func(Trial) float64) (mean, deviation float64) {
	figures := make([]float64, len(trials))
	for i, t := range trials {
		figures[i] = figure(t)
	}
	if len(figures) < 2 {
		return stat.Mean(figures, nil), math.NaN()
	}
	return stat.MeanStdDev(figures, nil)
}
