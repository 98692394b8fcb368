package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"damier/mcts"
	"damier/rules"
)

// RecordedRun is a run with recorded metrics, networks that know little and games that tests set. The zero value is a run
// of international draughts.
type RecordedRun struct {
	On       *rules.Variant
	Live     bool
	Networks []int         // generations; nil for five
	Pause    time.Duration // of a network before it answers
	Broken   error         // what everything fails with
	Every    string        // the setting evaluation.every; "" for none
	Bare     bool          // no opponent has an Elo
	Name     string        // "" for "recorded"
	Set      []Setting     // further settings
	Since    time.Duration // if not 0, the time since the last event; otherwise as recorded

	Looks atomic.Int32 // at the games
	Asked atomic.Int32 // networks

	mu    sync.Mutex
	lines [][]byte
	phase Phase
	games []Game
}

var readRecorded = sync.OnceValues(func() ([]byte, error) { return os.ReadFile("../../learner/testdata/metrics.jsonl") })

// interval matches what a [RecordedRun.Bare] has not measured.
var interval = regexp.MustCompile(`("(?:low|high)"):[^,}]+`)

func (r *RecordedRun) load() error {
	if r.lines != nil {
		return nil
	}
	text, err := readRecorded()
	if r.Bare {
		text = interval.ReplaceAll(text, []byte(`$1:0`))
	}
	r.lines = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return err
}

// Cut leaves only the first events.
func (r *RecordedRun) Cut(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.load(); err != nil {
		panic(err)
	}
	r.cut(n)
}

// cut leaves the first n events, the last of them Since ago if that is set.
func (r *RecordedRun) cut(n int) {
	r.lines = slices.Clone(r.lines[:n])
	if r.Since == 0 {
		return
	}
	last := eventTime(r.lines[n-1])
	for i, line := range r.lines {
		at := eventTime(line)
		now := at.Add(time.Since(last) - r.Since).UTC().Format(time.RFC3339Nano)
		r.lines[i] = timeOfEvent.ReplaceAll(line, []byte(`"time":"`+now+`"`))
	}
}

var timeOfEvent = regexp.MustCompile(`"time":"([^"]*)"`)

func eventTime(line []byte) time.Time {
	at, err := time.Parse(time.RFC3339Nano, string(timeOfEvent.FindSubmatch(line)[1]))
	if err != nil {
		panic(err)
	}
	return at
}

// Go makes the recorded events up to n known, and what the learner does.
func (r *RecordedRun) Go(n int, phase Phase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = nil
	if err := r.load(); err != nil {
		panic(err)
	}
	r.cut(n)
	r.phase = phase
}

// Play puts games on the boards.
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
	return About{Name: cmp.Or(r.Name, "recorded"), Variant: r.variant(), Live: r.Live, Marks: []Mark{{"alphabeta:depth=1", 0}, {"alphabeta:depth=2", 382}, {"alphabeta:depth=4", 826}, {"alphabeta:depth=6", 1190}}}
}

func (r *RecordedRun) Phase() Phase {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase
}

// Events counts lines, three at a time.
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
	list := []Setting{{"variant", `"international"`, "default"}, {"net.channels", "64", "preset day"}, {"train.batch", "512", "flag"}}
	if r.Every != "" {
		list = append(list, Setting{"evaluation.every", r.Every, "flag"})
	}
	return append(list, r.Set...), r.Broken
}

func (r *RecordedRun) Games(most int) ([]Game, error) {
	r.Looks.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.games[:min(most, len(r.games))], r.Broken
}

func (r *RecordedRun) Generations() ([]int, error) {
	if r.Networks != nil {
		return r.Networks, r.Broken
	}
	return []int{1, 26, 52, 119, 120}, r.Broken
}

// Network returns one that is sure of the first move by its generation; that of generation 13 is gone, that of 14 damaged.
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

// NetworkFile returns a file that holds the name of its generation; that of generation 13 is gone.
func (r *RecordedRun) NetworkFile(generation int) (NetworkFile, error) {
	if generation == 13 {
		return NetworkFile{}, fmt.Errorf("gen-000013: %w", fs.ErrNotExist)
	}
	name := fmt.Sprintf("gen-%06d.nnue", generation)
	return NetworkFile{
		Name: name, Content: []byte("network of generation " + fmt.Sprint(generation)),
		Play: "play --model runs/recorded/models/" + name,
	}, r.Broken
}

func (r *RecordedRun) WriteMetrics(w io.Writer) error {
	fmt.Fprintf(w, "# HELP damier_generation Networks.\n# TYPE damier_generation gauge\ndamier_generation 120\n")
	return r.Broken
}

// knowing gives the first move a prior and the side to move a chance to win.
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
