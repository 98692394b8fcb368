package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"damier/alphabeta"
	"damier/arena"
	"damier/engine"
	"damier/internal/publish"
	"damier/internal/usage"
	"damier/net"
	"damier/nnue"
	"damier/rules"
)

// Files of a run's directory.
const (
	checkpointFile = "checkpoint.safetensors"
	modelFile      = "model" + nnue.Extension
	metricsFile    = "metrics.jsonl"
	lockFile       = "lock"
)

// checkpointFormat names the format of a checkpoint.
const checkpointFormat = "damier-nnue-run-1"

// ErrConflict is wrapped by the error for a directory that holds something else than the run asked for.
var ErrConflict = errors.New("the directory holds another run")

// Generation is what is told of a generation, a line of metrics.jsonl.
type Generation struct {
	Generation int     `json:"generation"`
	Seconds    float64 `json:"seconds"`     // of the run, on the clock
	CPUSeconds float64 `json:"cpu_seconds"` // of all its threads
	Games      int64   `json:"games"`       // of the run
	Rows       int64   `json:"rows"`        // positions of the run
	White      float64 `json:"white"`       // shares of the generation's games
	Draw       float64 `json:"draw"`
	Black      float64 `json:"black"`
	Loss       float64 `json:"loss"` // on positions of games it has not learnt from, in nats
	Train      float64 `json:"train"`
	PerSecond  float64 `json:"rows_per_second"`
	Gone       int     `json:"files_gone,omitempty"` // files of the window that somebody else has deleted
	Match      *Match  `json:"match,omitempty"`

	// Refit is, in the last line of a run that is over, the match of the network that has learnt the window anew, of which Loss
	// and Train are, with the one that has learnt all the time. Match is then that of the better one.
	Refit *Match `json:"refit,omitempty"`
}

// Match is a measurement: the model against the baseline or another network, both at the same depth or number of nodes.
type Match struct {
	Opponent string  `json:"opponent"`
	Depth    int     `json:"depth,omitempty"`
	Nodes    uint64  `json:"nodes,omitempty"`
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Score    float64 `json:"score"`
	Low      float64 `json:"score_low"` // of the 95 % interval
	High     float64 `json:"score_high"`
}

// matchDepth is the depth of both sides in a measurement, and measurements how many a run makes on its way, or each hour if it
// has no end.
const (
	matchDepth   = 4
	measurements = 10
)

// Run is a training under way, or one that can go on. It belongs to one goroutine.
type Run struct {
	Dir    string
	Config Config
	Model  *nnue.Model // that plays and learns
	Refit  *nnue.Model // that has learnt the window anew at the end; nil before, or if it is not better

	// Missing is how many positions of the window were not there any more when the run was opened.
	Missing int

	lock    *flock.Flock
	variant *rules.Variant
	solver  *nnue.Solver
	window  window
	rng     *rand.Rand

	rows         int64
	refitted     int     // generation after which there has been a refit
	seconds, cpu float64 // of the parts before this one
	began        time.Time
	cpuBegan     float64
	overBegan    float64 // progress when this part began
	measured     float64 // stage at the last measurement
}

// state is what a checkpoint says beside its tensors.
type state struct {
	Config     Config  `json:"config"`
	Generation int     `json:"generation"`
	Games      int64   `json:"games"`
	Rows       int64   `json:"rows"`
	Steps      int64   `json:"steps"` // of the solver
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Measured   float64 `json:"measured"`
	Refitted   int     `json:"refitted,omitempty"` // generation after which there has been a refit
}

// Open begins a run in dir, or goes on with the one that is there. change is applied to the settings of the run, or to
// the default ones; of a run that exists only its length, the number of actors, measurements' games and the refit may change. Until
// Close nobody else can open it.
func Open(dir string, change func(*Config) error) (*Run, error) {
	_, err := os.Stat(filepath.Join(dir, checkpointFile))
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh { // what is wrong with the settings is told before anything is written
		if _, err := begin(dir, change); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if !held {
		return nil, fmt.Errorf("%w: another process trains in %s", ErrConflict, dir)
	}
	if _, err := publish.Sweep(dir, time.Hour); err != nil { // of a process that was killed
		return nil, errors.Join(err, lock.Unlock())
	}
	var r *Run
	if fresh {
		if r, err = begin(dir, change); err == nil {
			err = r.save()
		}
	} else {
		if r, err = load(dir, change); err == nil {
			most := r.Config.window(r.rows)
			err = errors.Join(r.window.load(r.Model.Generation, most), trimMetrics(dir))
			r.Missing = max(0, min(most, int(r.rows))-len(r.window.examples))
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	r.lock = lock
	return r, nil
}

// Close lets others open the run.
func (r *Run) Close() error { return r.lock.Unlock() }

// load reads the run in dir but for its window, with its settings changed.
func load(dir string, change func(*Config) error) (*Run, error) {
	path := filepath.Join(dir, checkpointFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	metadata, tensors, err := net.ReadTensors(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if metadata["format"] != checkpointFormat || metadata["rules"] != strconv.Itoa(rules.Version) {
		return nil, fmt.Errorf("%s: format %q, rules %s; this program has %q and %d: %w", path, metadata["format"], metadata["rules"], checkpointFormat, rules.Version, net.ErrForeign)
	}
	var s state
	if err := json.Unmarshal([]byte(metadata["state"]), &s); err != nil {
		return nil, fmt.Errorf("%s: %v: %w", path, err, net.ErrDamaged)
	}
	was := s.Config
	if err := change(&s.Config); err != nil {
		return nil, err
	}
	now := s.Config
	now.Minutes, now.CPUMinutes, now.Actors, now.Games, now.Refit = was.Minutes, was.CPUMinutes, was.Actors, was.Games, was.Refit
	if now != was {
		return nil, fmt.Errorf("%w: %s was begun with other settings (%+v, and now %+v); choose another --run", ErrConflict, dir, was, now)
	}
	r, err := newRun(dir, s.Config)
	if err != nil {
		return nil, err
	}
	mine := r.Model.Tensors()
	if len(tensors) != 3*len(mine) {
		return nil, fmt.Errorf("%s: it lacks the weights of %s: %w", path, r.variant, net.ErrDamaged)
	}
	if err := r.Model.SetTensors(tensors[:len(mine)]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, t := range tensors[len(mine):] {
		moment := r.solver.Moments[i/2][i%2]
		if len(t.Data) != len(moment) {
			return nil, fmt.Errorf("%s: it lacks the state of the solver: %w", path, net.ErrDamaged)
		}
		copy(moment, t.Data)
	}
	r.solver.Steps = s.Steps
	r.Model.Generation, r.Model.Games, r.rows = s.Generation, s.Games, s.Rows
	r.seconds, r.cpu, r.measured, r.refitted = s.Seconds, s.CPUSeconds, s.Measured, s.Refitted
	return r, nil
}

// begin makes a run of which nothing is on disk, for a dir that holds nothing.
func begin(dir string, change func(*Config) error) (*Run, error) {
	c := Default()
	if err := change(&c); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		_, window := windowGeneration(name)
		switch {
		case name == lockFile && e.Type().IsRegular(), publish.IsTemporary(name, checkpointFile):
			continue // of a process that was killed before the first checkpoint
		case name == modelFile, window:
			return nil, fmt.Errorf("%w: %s looks like a run that has lost its %s, and nothing in it is touched; put the file back, or choose another --run",
				net.ErrDamaged, dir, checkpointFile)
		}
	}
	for _, e := range entries {
		if name := e.Name(); name != lockFile && !publish.IsTemporary(name, checkpointFile) {
			return nil, fmt.Errorf("%w: %s is not empty and has no %s, and nothing in it is touched; choose an empty or a new directory with --run",
				ErrConflict, dir, checkpointFile)
		}
	}
	return newRun(dir, c)
}

func newRun(dir string, c Config) (*Run, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	v, err := c.lookup()
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Config: c, Model: nnue.New(v, c.Width, c.Seed), variant: v}
	r.Model.Run = filepath.Base(dir)
	r.window = window{dir: dir, variant: v}
	r.solver = nnue.NewSolver(r.Model)
	return r, nil
}

// Seconds returns the length of the run so far on the clock, and in CPU time of all threads.
func (r *Run) Seconds() (clock, cpu float64) {
	if r.began.IsZero() {
		return r.seconds, r.cpu
	}
	return r.seconds + time.Since(r.began).Seconds(), r.cpu + usage.CPU() - r.cpuBegan
}

// Progress returns the share of the run that is over, in [0,1]; 0 for a run without an end.
func (r *Run) Progress() float64 {
	clock, cpu := r.Seconds()
	share := 0.0
	if r.Config.Minutes > 0 {
		share = clock / (60 * r.Config.Minutes)
	}
	if r.Config.CPUMinutes > 0 {
		share = max(share, cpu/(60*r.Config.CPUMinutes))
	}
	return min(share, 1)
}

// stage is the clock of measurements: the progress, or the hours of a run without an end.
func (r *Run) stage() float64 {
	if r.Config.Minutes > 0 || r.Config.CPUMinutes > 0 {
		return r.Progress()
	}
	clock, _ := r.Seconds()
	return clock / 3600
}

// Left returns the seconds on the clock until the run is over, at the pace since Train was called, on a machine that may be
// another than before; ok is false if there is no telling: the run has no end, or has only begun.
func (r *Run) Left() (seconds float64, ok bool) {
	p := r.Progress()
	if r.began.IsZero() || p <= r.overBegan {
		return 0, false
	}
	return time.Since(r.began).Seconds() * (1 - p) / (p - r.overBegan), true
}

// Train plays and learns until the run is over or the context is done, and tells of every generation. What is under way
// when the context is done is learnt too, but for the games that are not over. When the run is over a new network learns the
// window, which refit is told of on the way. It often plays better than the one that has learnt all the time
// (docs/experiments/nnue.md#learnt-anew-at-the-end), and if it does it is the model on disk. The run can go on in either case,
// with the latter.
func (r *Run) Train(ctx context.Context, tell func(Generation), refit func(FitPoint)) error {
	r.overBegan = r.Progress()
	r.measured = min(r.measured, r.stage()) // if the run is a longer one now
	r.began, r.cpuBegan = time.Now(), usage.CPU()
	avoid := arena.ReservedKeys(r.variant)
	for r.Progress() < 1 && ctx.Err() == nil {
		g, err := r.generation(ctx, avoid)
		if err != nil {
			return err
		}
		over, stage := r.Progress() >= 1, r.stage()
		due := over || stage >= r.measured+1.0/measurements
		if over && r.Config.Refit > 0 {
			due = false // the better network is measured behind the refit
		}
		if ctx.Err() == nil && r.Config.Games > 0 && due {
			if g.Match, err = r.measure(ctx, r.Model); err != nil && ctx.Err() == nil {
				return err
			}
			if g.Match != nil {
				r.measured = stage
			}
		}
		g.Seconds, g.CPUSeconds = r.Seconds()
		if err := r.save(); err != nil {
			return err
		}
		g.Gone, r.window.gone = r.window.gone, 0
		if err := r.log(g); err != nil {
			return err
		}
		if g.Match != nil {
			if _, err := Plot(r.Dir); err != nil {
				return err
			}
		}
		tell(g)
	}
	if ctx.Err() == nil && r.Config.Refit > 0 && r.refitted != r.Model.Generation && heldOutOf(len(r.window.examples)) > 0 {
		return r.refit(ctx, tell, refit)
	}
	return ctx.Err()
}

// refitGames is how many games decide between the network of a refit and the run's own, both at matchDepth, after so many
// seconds: two for each of them, 20 at least and 200 at most.
func refitGames(seconds float64) int { return 2 * min(max(int(seconds), 10), 100) }

// refit trains a new network on the window, and puts it in the place of the model on disk if it beats that.
func (r *Run) refit(ctx context.Context, tell func(Generation), point func(FitPoint)) error {
	g := Generation{Generation: r.Model.Generation, Games: r.Model.Games, Rows: r.rows}
	m, err := r.fit(ctx, r.Config, r.Config.Refit, func(p FitPoint) {
		g.Loss, g.Train = p.Loss, p.Train
		point(p)
	})
	if err != nil {
		return err
	}
	own := alphabeta.Config{Evaluator: r.Model.Evaluator(), Name: "the run's own network"}
	clock, _ := r.Seconds()
	if g.Refit, err = r.match(ctx, m, own, alphabeta.Limits{Depth: matchDepth}, refitGames(clock)); err != nil {
		return err
	}
	better := r.Model
	if g.Refit.Score > 0.5 {
		better, r.Refit = m, m
	}
	if r.Config.Games > 0 {
		if g.Match, err = r.measure(ctx, better); err != nil {
			return err
		}
		r.measured = r.stage()
	}
	r.refitted = r.Model.Generation
	g.Seconds, g.CPUSeconds = r.Seconds()
	if err := errors.Join(r.save(), r.log(g)); err != nil {
		return err
	}
	if g.Match != nil {
		if _, err := Plot(r.Dir); err != nil {
			return err
		}
	}
	tell(g)
	return nil
}

// measure plays a model against the baseline.
func (r *Run) measure(ctx context.Context, m *nnue.Model) (*Match, error) {
	return r.match(ctx, m, alphabeta.Config{}, alphabeta.Limits{Depth: matchDepth}, r.Config.Games)
}

// generation plays and learns once.
func (r *Run) generation(ctx context.Context, avoid map[uint64]bool) (Generation, error) {
	c, number := r.Config, r.Model.Generation
	begun := time.Now()
	games, outcomes, err := r.play(ctx, avoid)
	if err != nil {
		return Generation{}, err
	}
	g := Generation{Generation: number + 1, PerSecond: float64(len(games)) / time.Since(begun).Seconds()}
	n := max(outcomes[rules.WhiteWins]+outcomes[rules.BlackWins]+outcomes[rules.Draw], 1)
	g.White, g.Black, g.Draw = outcomes[rules.WhiteWins]/n, outcomes[rules.BlackWins]/n, outcomes[rules.Draw]/n
	r.Model.Games += int64(n)
	r.rows += int64(len(games))
	g.Games, g.Rows = r.Model.Games, r.rows
	if len(games) > 0 {
		if err := r.learn(&g, games, c); err != nil {
			return Generation{}, err
		}
	}
	r.Model.Generation++
	return g, nil
}

// play plays the games of a generation on all cores.
func (r *Run) play(ctx context.Context, avoid map[uint64]bool) ([]example, map[rules.Outcome]float64, error) {
	c, number := r.Config, r.Model.Generation
	actors := c.Actors
	if actors == 0 {
		actors = runtime.GOMAXPROCS(0)
	}
	evaluator := r.Model.Evaluator()
	var (
		all      []example
		outcomes = map[rules.Outcome]float64{}
		mu       sync.Mutex
		wait     sync.WaitGroup
		failed   error
	)
	for i := range actors {
		a := &actor{variant: r.variant, config: c, avoid: avoid, rng: rand.New(rand.NewPCG(c.Seed, uint64(number)<<16|uint64(i)))}
		if number > 0 {
			var err error
			if a.search, err = newSearcher(r.variant, &c, evaluator, number > 1); err != nil {
				return nil, nil, err
			}
		}
		wait.Go(func() {
			var room []example
			for ctx.Err() == nil {
				var outcome rules.Outcome
				var err error
				if room, outcome, err = a.game(ctx, room[:0]); err != nil {
					mu.Lock()
					if ctx.Err() == nil {
						failed = errors.Join(failed, err)
					}
					mu.Unlock()
					return
				}
				mu.Lock()
				all = append(all, room...)
				outcomes[outcome]++
				enough := len(all) >= c.rows(number)
				mu.Unlock()
				if enough {
					return
				}
			}
		})
	}
	wait.Wait()
	return all, outcomes, failed
}

// heldOut is how many positions of new games the loss is measured on before they are learnt.
const heldOut = 20_000

// learn measures the model on new examples, takes them into the window and learns from all of it.
func (r *Run) learn(g *Generation, games []example, c Config) error {
	number := r.Model.Generation
	r.rng = rand.New(rand.NewPCG(c.Seed, uint64(number)<<16|0xffff))
	mix := float32(c.Mix)
	if number < 2 {
		mix = 0 // what random moves or a new-born model expect is nothing to learn from
	}
	s := r.solver
	for range heldOut {
		x := &games[r.rng.IntN(len(games))]
		g.Loss += s.Loss(nnue.Example{Position: x.position, Target: x.target(mix)}) / heldOut
	}
	if err := r.window.add(g.Generation, games, c.window(r.rows)); err != nil {
		return err
	}
	s.Decay = float32(c.Decay)
	n := int(c.Passes * float64(len(games)))
	var room [nnue.Batch]nnue.Example
	for at := 0; at < n; at += nnue.Batch {
		batch := room[:min(nnue.Batch, n-at)]
		draw(batch, r.variant, r.window.examples, mix, r.rng)
		s.Rate = float32(c.Rate) * (1 - float32(at)/float32(n)) // what plays next has learnt its last steps gently
		g.Train += s.Learn(batch) / float64(n)
	}
	return nil
}

// draw fills a batch with any of the examples, each as often as it is drawn; where left and right are alike, half of them
// mirrored.
func draw(batch []nnue.Example, v *rules.Variant, examples []example, mix float32, rng *rand.Rand) {
	mirror := v.HasMirror()
	for i := range batch {
		x := &examples[rng.IntN(len(examples))]
		batch[i] = nnue.Example{Position: x.position, Target: x.target(mix)}
		if mirror && rng.IntN(2) == 0 {
			batch[i].Position = v.Mirror(x.position)
		}
	}
}

// match plays a model against an opponent, both with the same limits.
func (r *Run) match(ctx context.Context, m *nnue.Model, opponent alphabeta.Config, limits alphabeta.Limits, games int) (*Match, error) {
	openings, err := arena.Openings(r.variant)
	if err != nil {
		return nil, err
	}
	player := func(c alphabeta.Config) arena.Factory {
		return func() (arena.Player, error) {
			return engine.NewAlphaBetaPlayer(r.variant, c, engine.Limits{Depth: limits.Depth, Nodes: int64(limits.Nodes), Time: limits.Time})
		}
	}
	result, err := arena.Match{
		Variant: r.variant, A: player(alphabeta.Config{Evaluator: m.Evaluator()}), B: player(opponent),
		Openings: openings, Games: games, Concurrency: runtime.GOMAXPROCS(0), MaxPlies: maxPlies, Seed: r.Config.Seed,
	}.Play(ctx)
	if err != nil || result.Interrupted {
		return nil, errors.Join(err, ctx.Err())
	}
	name := opponent.Name
	if opponent.Evaluator == nil {
		versions := alphabeta.Versions()
		name = versions[len(versions)-1]
	}
	score := result.Pairs.ScoreInterval(0.95)
	return &Match{
		Opponent: name, Depth: limits.Depth, Nodes: limits.Nodes, Wins: result.Wins, Draws: result.Draws, Losses: result.Losses,
		Score: result.Score(), Low: score.Low, High: score.High,
	}, nil
}

// save writes the checkpoint and the model, that of the refit if there has been no generation since, and removes what neither
// of them needs any more.
func (r *Run) save() error {
	s := state{Config: r.Config, Generation: r.Model.Generation, Games: r.Model.Games, Rows: r.rows, Steps: r.solver.Steps, Measured: r.measured, Refitted: r.refitted}
	s.Seconds, s.CPUSeconds = r.Seconds()
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tensors := r.Model.Tensors()
	for i, t := range r.Model.Tensors() {
		for j, moment := range r.solver.Moments[i] {
			tensors = append(tensors, net.Tensor{Name: fmt.Sprintf("%s.moment%d", t.Name, j+1), Shape: t.Shape, Data: moment})
		}
	}
	metadata := map[string]string{"format": checkpointFormat, "rules": strconv.Itoa(rules.Version), "state": string(text)}
	file, err := publish.Create(filepath.Join(r.Dir, checkpointFile))
	if err != nil {
		return err
	}
	defer file.Discard()
	if err := net.WriteTensors(file, metadata, tensors); err != nil {
		return err
	}
	if err := file.Publish(); err != nil {
		return err
	}
	model := r.Model
	if r.Refit != nil && r.refitted == r.Model.Generation {
		model = r.Refit
	}
	return errors.Join(r.window.prune(), model.SaveFile(filepath.Join(r.Dir, modelFile)))
}

// trimMetrics removes half a line at the end of the metrics, which a process that was killed leaves behind.
func trimMetrics(dir string) error {
	path := filepath.Join(dir, metricsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if whole := bytes.LastIndexByte(text, '\n') + 1; err == nil && whole < len(text) {
		err = os.Truncate(path, int64(whole))
	}
	return err
}

// log appends a generation to the metrics.
func (r *Run) log(g Generation) error {
	f, err := os.OpenFile(filepath.Join(r.Dir, metricsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(g), f.Close())
}
