package learner

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"damier/data"
	"damier/internal/files"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
	"damier/selfplay"
)

// View reads the directory of a run in its present state, while a learner works there or later. It
// locks nothing and writes nothing. Several goroutines may call its methods.
type View struct {
	Dir     string
	Name    string
	Created time.Time
	Variant *rules.Variant
	method  Method

	mu    sync.Mutex
	games struct { // the games of the last checkpoint that was read
		file   File
		boards []selfplay.Board
	}
	last struct { // the latest metrics, for WritePrometheus
		next       int64
		event      journal.Event
		progress   *journal.Progress
		evaluation *journal.Rating
		warnings   int
	}
}

// OpenView returns the view of the run in dir, which method trains.
func OpenView(dir string, method Method) (*View, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	config, err := ResolveRun(dir, nil, settings.Sources{})
	if err != nil {
		return nil, err
	}
	v, err := config.Lookup()
	if err != nil {
		return nil, err
	}
	return &View{Dir: dir, Name: m.Name, Created: m.Created, Variant: v, method: method}, nil
}

// View returns the view of the run. It works also before the first manifest is written.
func (r *Run) View() *View {
	return &View{Dir: r.Dir, Name: r.Manifest.Name, Created: r.Manifest.Created, Variant: r.Variant, method: r.method}
}

// tailBytes is the number of bytes of the metrics that [View.Events] reads at a time; no line is
// as long.
const tailBytes = 1 << 20

// Events returns the events in the metrics from a byte offset on, at most about a megabyte of
// them, and the offset of the next ones. To read all, call it until it returns none. It leaves an
// incomplete last line for the next call and skips damaged lines. Ratings are those of the present
// ladder. Beyond the end of the file there are no events, and next is the end.
func (v *View) Events(from int64) (events []journal.Event, next int64, err error) {
	f, _, err := files.Open(filepath.Join(v.Dir, journal.File), journal.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil // the run has just begun
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	s, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if from = max(from, 0); from > s.Size() {
		return nil, s.Size(), nil
	}
	text := make([]byte, min(tailBytes, s.Size()-from))
	n, err := f.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, fmt.Errorf("metrics: %w", err)
	}
	text = text[:n]
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole == 0 && len(text) == tailBytes {
		whole = len(text) // the line is too long to be one of ours
	}
	if events, err = journal.Decode(bytes.NewReader(text[:whole])); err != nil {
		return nil, 0, err
	}
	v.rate(journal.Ratings(events))
	return events, from + int64(whole), nil
}

// rate rates some networks of the run together with all others that its manifest knows.
func (v *View) rate(some []*journal.Rating) {
	if len(some) == 0 {
		return
	}
	var all []*journal.Rating
	if m, err := readManifest(v.Dir); err == nil {
		for i := range m.Evaluations {
			r := &m.Evaluations[i]
			if !slices.ContainsFunc(some, func(s *journal.Rating) bool { return s.Generation == r.Generation && s.Refit == r.Refit }) {
				all = append(all, r)
			}
		}
	}
	all = append(all, some...)
	slices.SortStableFunc(all, func(a, b *journal.Rating) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(refits(a), refits(b)))
	})
	journal.Rate(v.Variant.Name, all)
}

// refits returns 1 for the rating of a refitted network, which comes after the run's own of the
// same generation.
func refits(r *journal.Rating) int {
	if r.Refit {
		return 1
	}
	return 0
}

// Settings returns the run's configuration in the order of the file.
func (v *View) Settings() ([]settings.Written, error) {
	return settings.ReadWritten(filepath.Join(v.Dir, configFile))
}

// EachGame calls use with every recorded game, each once: those of the shards that the manifest
// lists, the oldest first, then those of shards that the run has yet to adopt, by name. It reads a
// shard whole and checks it as [data.ReadShard] does. It leaves out a shard that a running learner
// deletes meanwhile, and files that the run leaves alone. It ends with the first error.
func (v *View) EachGame(use func(*data.Game) error) error {
	m, err := readManifest(v.Dir)
	if err != nil {
		return err
	}
	dir := filepath.Join(v.Dir, gamesDir)
	found, err := data.Shards(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, s := range m.Games.Shards {
		names = append(names, s.Name)
	}
	for _, name := range found {
		if !slices.Contains(names[:len(m.Games.Shards)], name) {
			names = append(names, name)
		}
	}
	seen := map[string]bool{}
	for i, name := range names {
		games, err := data.ReadShard(filepath.Join(dir, name), v.Variant)
		if errors.Is(err, fs.ErrNotExist) || i >= len(m.Games.Shards) && errors.Is(err, data.ErrForeign) {
			continue
		}
		if err != nil {
			return err
		}
		for k := range games {
			if g := &games[k]; !seen[g.ID] && g.Outcome != rules.Ongoing {
				seen[g.ID] = true
				if err := use(g); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Generations returns the generations whose networks the run still has, ascending.
func (v *View) Generations() ([]int, error) {
	files, err := os.ReadDir(filepath.Join(v.Dir, modelsDir))
	if err != nil {
		return nil, err
	}
	generations := []int{}
	for _, f := range files {
		g := 0
		_, err := fmt.Sscanf(f.Name(), networkName(v.method), &g)
		if err == nil && f.Type().IsRegular() && modelFile(v.method, g) == f.Name() {
			generations = append(generations, g)
		}
	}
	slices.Sort(generations)
	return generations, nil
}

// Model loads the network of a generation. If the run no longer has it the error wraps
// [fs.ErrNotExist].
func (v *View) Model(generation int) (Network, error) {
	if generation < 0 {
		return nil, fs.ErrNotExist
	}
	return v.method.Load(filepath.Join(v.Dir, modelsDir, modelFile(v.method, generation)), v.Variant)
}

// maxModel is the size in bytes above which the file of a network is refused unread.
const maxModel = 1 << 26

// ModelFile returns the path and the content of the file of the network of a generation. If the
// run no longer has it the error wraps [fs.ErrNotExist].
func (v *View) ModelFile(generation int) (path string, content []byte, err error) {
	if generation < 0 {
		return "", nil, fs.ErrNotExist
	}
	path = filepath.Join(v.Dir, modelsDir, modelFile(v.method, generation))
	content, err = files.Read(path, maxModel)
	return path, content, err
}

// Boards returns the games in progress at the last checkpoint, at most the given number.
func (v *View) Boards(most int) ([]selfplay.Board, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for range 3 { // a learner may just have replaced the file that its manifest named
		m, err := readManifest(v.Dir)
		if err != nil {
			return nil, err
		}
		if m.Unfinished != v.games.file {
			var boards []selfplay.Board
			if m.Unfinished.Name != "" {
				var games []data.Game
				games, err = data.ReadShard(filepath.Join(v.Dir, checkpointDir, filepath.Base(m.Unfinished.Name)), v.Variant)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return nil, err
				}
				for i := range games {
					boards = append(boards, selfplay.LookAt(v.Variant, &games[i]))
				}
			}
			v.games.file, v.games.boards = m.Unfinished, boards
		}
		return v.games.boards[:min(most, len(v.games.boards))], nil
	}
	return v.games.boards[:min(most, len(v.games.boards))], nil
}

// follow reads the metrics added since the last call. The caller holds the lock.
func (v *View) follow() error {
	for {
		events, next, err := v.Events(v.last.next)
		if err != nil {
			return err
		}
		for _, e := range events {
			v.last.event = e
			if e.Progress != nil {
				v.last.progress = e.Progress
			}
			if e.Evaluation != nil {
				v.last.evaluation = e.Evaluation
			}
			if e.Kind == "warning" {
				v.last.warnings++
			}
		}
		if next <= v.last.next {
			v.last.next = next
			return nil
		}
		v.last.next = next
	}
}
