package learn

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/stat"

	"damier/alphabeta"
	"damier/nnue"
)

// Trial is what came of one training from zero with a budget of CPU time: a line of the bench of learning.
type Trial struct {
	Time       time.Time         `json:"time"`
	Name       string            `json:"name"`    // of the question, as the person who asked it wrote it
	Build      string            `json:"build"`   // version of the program
	Command    string            `json:"command"` // that repeats it
	Variant    string            `json:"variant"`
	Settings   map[string]string `json:"settings"` // asked for beyond the default ones
	Seed       uint64            `json:"seed"`
	CPUMinutes float64           `json:"cpu_minutes"` // spent on learning, all threads
	Minutes    float64           `json:"minutes"`     // the same on the clock
	Generation int               `json:"generation"`
	Games      int64             `json:"games"`
	Rows       int64             `json:"rows"` // positions
	Loss       float64           `json:"loss"` // held-out, of the last generation, nats
	Matches    []Match           `json:"matches"`
}

// Bench is how the networks of trials are measured: in as many games against each of a few frozen opponents, both sides
// searching as many nodes a move, so that the machine's load changes nothing.
type Bench struct {
	Games   int // against each opponent
	Nodes   uint64
	Against []string // files of networks; the baseline is an opponent in any case
}

// opponents returns the opponents of a bench, the baseline first.
func (b Bench) opponents(change func(*Config) error) ([]alphabeta.Config, error) {
	c := Default()
	if err := change(&c); err != nil {
		return nil, err
	}
	v, err := c.lookup()
	if err != nil {
		return nil, err
	}
	opponents := []alphabeta.Config{{}}
	for _, file := range b.Against {
		m, err := nnue.LoadFile(file, v)
		if err != nil {
			return nil, err
		}
		opponents = append(opponents, alphabeta.Config{Evaluator: m.Evaluator(), Name: filepath.ToSlash(file)})
	}
	return opponents, nil
}

// Trial trains from zero in dir, which must not be a run yet, with settings changed as [Open] does, and measures the network.
// The caller fills in Name, Build, Command and Settings.
func (b Bench) Trial(ctx context.Context, dir string, change func(*Config) error, tell func(*Run, Generation)) (Trial, error) {
	if _, err := os.Stat(filepath.Join(dir, checkpointFile)); err == nil {
		return Trial{}, fmt.Errorf("%w: %s is a run already; a trial begins from zero, in a directory of its own", ErrConflict, dir)
	}
	opponents, err := b.opponents(change)
	if err != nil {
		return Trial{}, err
	}
	r, err := Open(dir, change)
	if err != nil {
		return Trial{}, err
	}
	defer r.Close()
	var last Generation
	err = r.Train(ctx, func(g Generation) {
		tell(r, g)
		if g.Refit != nil {
			g.Loss = last.Loss // its own is on other positions
		}
		last = g
	}, func(FitPoint) {})
	if err != nil {
		return Trial{}, err
	}
	model := r.Model
	if r.Refit != nil {
		model = r.Refit
	}
	t := Trial{
		Time: time.Now().UTC(), Variant: r.variant.String(), Seed: r.Config.Seed, CPUMinutes: last.CPUSeconds / 60, Minutes: last.Seconds / 60,
		Generation: last.Generation, Games: last.Games, Rows: last.Rows, Loss: last.Loss,
	}
	for _, opponent := range opponents {
		m, err := r.match(ctx, model, opponent, alphabeta.Limits{Nodes: b.Nodes}, b.Games)
		if err != nil {
			return Trial{}, err
		}
		t.Matches = append(t.Matches, *m)
	}
	return t, nil
}

// Spread returns the mean of the trials' scores against an opponent, by its place in Matches, and the standard deviation
// between seeds, NaN for a single trial. A difference between two questions that is not far above it is luck.
func Spread(trials []Trial, opponent int) (mean, deviation float64) {
	var scores []float64
	for _, t := range trials {
		scores = append(scores, t.Matches[opponent].Score)
	}
	if len(scores) < 2 {
		return stat.Mean(scores, nil), math.NaN()
	}
	return stat.MeanStdDev(scores, nil)
}
