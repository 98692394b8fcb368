package dashboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"damier/mcts"
	"damier/rules"
)

// RecordedRun is a Run with recorded metrics, artificial networks and games set by tests. The zero
// value is a run of international draughts.
type RecordedRun struct {
	On       *rules.Variant
	Live     bool
	Networks []int         // generations; nil for five
	Pause    time.Duration // the time that a network takes
	Broken   error         // the error of every method, nil for none

	Looks atomic.Int32 // calls of Games
	Asked atomic.Int32 // calls of Network

	mu    sync.Mutex
	lines [][]byte
	phase Phase
	games []Game
}

var readRecorded = sync.OnceValues(func() ([]byte, error) { return os.ReadFile("../../learner/testdata/metrics.jsonl") })

func (r *RecordedRun) load() error {
	if r.lines != nil {
		return nil
	}
	text, err := readRecorded()
	r.lines = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return err
}

// Cut removes all events except the first ones.
func (r *RecordedRun) Cut(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(); err != nil {
		panic(err)
	}
	r.lines = r.lines[:n]
}

// Go publishes the recorded events up to n, and sets the learner's phase.
func (r *RecordedRun) Go(n int, phase Phase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = nil
	if err := r.load(); err != nil {
		panic(err)
	}
	r.lines, r.phase = r.lines[:n], phase
}

// Play sets the games in progress.
func (r *RecordedRun) Play(games ...Game) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.games = games
}

func (r *RecordedRun) variant() *rules.Variant {
	if r.On == nil {
		return rules.International
	}
	return r.On
}

func (r *RecordedRun) About() About {
	return About{Name: "recorded", Variant: r.variant(), Live: r.Live, Marks: []Mark{{"alphabeta:depth=1", 0}, {"alphabeta:depth=2", 382}, {"alphabeta:depth=4", 826}, {"alphabeta:depth=6", 1190}}}
}

func (r *RecordedRun) Phase() Phase {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase
}

// Events returns at most three events a call; offsets count lines.
func (r *RecordedRun) Events(from int64) (list []byte, next int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := errors.Join(r.Broken, r.load()); err != nil {
		return nil, 0, err
	}
	n := int64(len(r.lines))
	if from > n {
		return []byte("[]"), n, nil
	}
	next = min(from+3, n)
	return slices.Concat([]byte("["), bytes.Join(r.lines[from:next], []byte(",")), []byte("]")), next, nil
}

func (r *RecordedRun) Settings() ([]Setting, error) {
	return []Setting{{"variant", `"international"`, "default"}, {"net.channels", "64", "preset day"}, {"train.batch", "512", "flag"}}, r.Broken
}

func (r *RecordedRun) Games(n int) ([]Game, error) {
	r.Looks.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.games[:min(n, len(r.games))], r.Broken
}

func (r *RecordedRun) Generations() ([]int, error) {
	if r.Networks != nil {
		return r.Networks, r.Broken
	}
	return []int{1, 26, 52, 119, 120}, r.Broken
}

// Network returns a network whose confidence in the first move depends on its generation. That of
// generation 13 is missing, that of 14 damaged.
func (r *RecordedRun) Network(generation int) (mcts.Evaluator, error) {
	r.Asked.Add(1)
	switch generation {
	case 13:
		return nil, fmt.Errorf("gen-000013: %w", fs.ErrNotExist)
	case 14:
		return nil, errors.New("damaged")
	}
	return &knowing{float32(generation) / 1000, r.Pause}, r.Broken
}

func (r *RecordedRun) WriteMetrics(w io.Writer) error {
	fmt.Fprintf(w, "# HELP damier_generation Networks.\n# TYPE damier_generation gauge\ndamier_generation 120\n")
	return r.Broken
}

// knowing is a network with a fixed prior for the first move and a fixed chance to win for the
// side to move.
type knowing struct {
	first float32
	pause time.Duration
}

func (k *knowing) Evaluate(ctx context.Context, leaves []mcts.Leaf) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(k.pause):
	}
	for i := range leaves {
		n := len(leaves[i].Priors)
		for j := range leaves[i].Priors {
			leaves[i].Priors[j] = (1 - k.first) / float32(max(n-1, 1))
		}
		leaves[i].Priors[0] = k.first
		leaves[i].Value = rules.WDL{Win: k.first, Draw: 0.5, Loss: 0.5 - k.first}
	}
	return nil
}
