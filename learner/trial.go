package learner

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/stat"
)

// Trial is what came of one training from zero with a budget of CPU time: a line of the bench of learning.
type Trial struct {
	Time       time.Time         `json:"time"`
	Name       string            `json:"name"`    // of the question, as the person who asked it wrote it
	Build      string            `json:"build"`   // version of the program
	Command    string            `json:"command"` // that repeats it
	Variant    string            `json:"variant"`
	Preset     string            `json:"preset"`
	Settings   map[string]string `json:"settings"` // asked for beyond the preset
	Seed       uint64            `json:"seed"`
	CPUMinutes float64           `json:"cpu_minutes"` // spent on learning, all threads
	Minutes    float64           `json:"minutes"`     // the same on the clock
	Generation int               `json:"generation"`
	Rows       int               `json:"rows"`
	Games      int               `json:"games"`
	Policy     float64           `json:"policy_loss"`       // held-out, of the last generation, nats
	Value      float64           `json:"value_loss"`        //
	Entropy    float64           `json:"target_entropy"`    //
	Material   float64           `json:"material_loss"`     // loss of a value that counts pieces alone
	Rating     Rating            `json:"rating"`            // of the best network, on the ladder of its variant
	Matches    []TrialMatch      `json:"matches,omitempty"` // of the best network against others
}

// TrialMatch is a match of a trial's network against another one, both with the visits of the rating.
type TrialMatch struct {
	Opponent string  `json:"opponent"` // its file
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Score    float64 `json:"score"`
	Low      float64 `json:"score_low"` // of the 95 % interval
	High     float64 `json:"score_high"`
}

// RunTrial trains from zero in dir, which must not be a run yet, until the budget of s is spent, measures the best
// network on the ladder once, lets it play as many games against each network of the files against, and returns what
// came of it. The refit comes on top of the budget. Settings of s beyond the budget are the question; the caller fills
// in Name, Build and Command.
func RunTrial(ctx context.Context, dir string, s Sources, against []string, report Reporter) (Trial, error) {
	if IsRun(dir) {
		return Trial{}, settingsError{fmt.Errorf("%s is a run already; a trial begins from zero, in a directory of its own", dir)}
	}
	run, err := Open(dir, s)
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
		n, err := s.Method.Load(file, run.Variant)
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
	best, err := s.Method.Load(run.path(modelsDir, run.Manifest.Best().Name), run.Variant)
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

func (l *Learner) trial(s Sources) (Trial, error) {
	m := &l.run.Manifest
	events, err := ReadEvents(l.run.Dir)
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
		t.Policy, t.Value, t.Entropy, t.Material = p.HeldPolicy, p.HeldValue, p.HeldEntropy, p.HeldMaterial
	}
	if n := len(m.Evaluations); n > 0 {
		t.Rating = m.Evaluations[n-1]
	}
	return t, nil
}

// Spread returns the mean of what trials have come to and the standard deviation between seeds, NaN for a single one. A
// difference between two questions that is not far above it is luck.
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
