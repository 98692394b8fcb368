package book

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"damier/internal/files"
	"damier/rules"
)

// Searcher gives the expected score in [0,1] of a position for the side to move. The result must
// depend on nothing but the position. One goroutine at a time uses a Searcher.
type Searcher interface {
	Search(ctx context.Context, p rules.Position) (float64, error)
}

// DefaultWeight is the default weight of a loss in the priority: the loss of a twentieth of a
// point costs as much as two plies.
const DefaultWeight = 40

// State says how far a build is.
type State struct {
	Positions int     // with a score
	Expanded  int     // with all moves
	Searched  int     // positions searched now, not taken from the work file
	Plies     int     // from the start to the deepest position
	Score     float64 // of the start
	Elapsed   time.Duration
}

// Builder makes a book.
type Builder struct {
	Variant *rules.Variant
	Recipe  Recipe
	Made    string // the command, without the number of positions
	Out     string // the file of the book

	// Limits; zero means none. Both are looked at between two rounds of expansions, so a build
	// makes some more positions than Positions says, always the same number.
	Time      time.Duration
	Positions int

	Workers  []Searcher    // one for each core
	Save     time.Duration // time between two writes of the work file; 0 means 5 s
	Progress func(State)   // called on the goroutine of Build
}

// Work returns the name of the work file of the book in a file.
func Work(out string) string { return out + ".work" }

// mostPlies is the depth beyond which no position is expanded.
const mostPlies = 80

// Build makes the book and writes it. What its searches find is in the work file at least every
// few seconds; a build with the same recipe goes on from there, also after it was finished. If ctx
// is done first, Build writes the work file and returns the error of ctx.
func (b *Builder) Build(ctx context.Context) (State, error) {
	if b.Recipe.Weight < 0 || len(b.Workers) == 0 || b.Time <= 0 && b.Positions <= 0 {
		return State{}, errors.New("book: a build needs a limit, a worker and a weight of 0 or more")
	}
	if err := b.checkOut(); err != nil {
		return State{}, err
	}
	found, err := b.resume()
	if err != nil {
		return State{}, err
	}
	t := newTree(b.Variant, b.Recipe.Weight)
	began, saved := time.Now(), time.Now()
	searched, unsaved := 0, 0
	save := func() error {
		if unsaved == 0 {
			return nil
		}
		unsaved, saved = 0, time.Now()
		return b.save(found)
	}
	state := func() State {
		return State{
			Positions: len(t.nodes), Expanded: t.expanded, Searched: searched, Plies: t.plies,
			Score: t.nodes[0].score.Expected(), Elapsed: time.Since(began),
		}
	}
	search := func(fresh []int) error {
		n, err := b.search(ctx, t, fresh, found)
		searched += n
		unsaved += n
		return err
	}
	if err := search([]int{0}); err != nil {
		return state(), errors.Join(err, save())
	}
	interval := b.Save
	if interval == 0 {
		interval = 5 * time.Second
	}
	for {
		if b.Positions > 0 && len(t.nodes) >= b.Positions {
			break
		}
		if b.Time > 0 && searched > 0 && time.Since(began) >= b.Time {
			break
		}
		next := t.choose()
		if len(next) == 0 {
			break // all is decided
		}
		var fresh []int
		for _, n := range next {
			fresh = t.expand(n, fresh)
		}
		if err := search(fresh); err != nil {
			return state(), errors.Join(err, save())
		}
		t.raise(next)
		if b.Progress != nil {
			b.Progress(state())
		}
		if time.Since(saved) > interval {
			if err := save(); err != nil {
				return state(), err
			}
		}
	}
	if err := save(); err != nil {
		return state(), err
	}
	s := state()
	h := Header{
		Variant: b.Variant.String(), Rules: rules.Version, Expanded: s.Expanded, Plies: s.Plies,
		Score: s.Score, Recipe: b.Recipe, Made: fmt.Sprintf("%s --positions %d", b.Made, s.Positions),
	}
	return s, write(b.Out, magic, h, t.entries())
}

// checkOut returns an error if something is in the place of the book that is no book of the variant.
func (b *Builder) checkOut() error {
	text, err := files.Read(b.Out, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, _, _, err := parse(text, magic, b.Variant); err != nil {
		return fmt.Errorf("%s would be replaced: %w; give another --out, or remove the file", b.Out, err)
	}
	return nil
}

// resume reads the scores of the work file.
func (b *Builder) resume() (map[uint64]Score, error) {
	found := map[uint64]Score{}
	name := Work(b.Out)
	text, err := files.Read(name, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	h, keys, values, err := parse(text, workMagic, b.Variant)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if h.Recipe.Network == "" {
		b.Recipe.Network = "" // some of the scores are of a network that the work file does not name
	}
	if h.Recipe != b.Recipe {
		return nil, fmt.Errorf("%s: %w: it is of a build with %+v, and this one has %+v; give the same flags, another --out, or remove the file",
			name, ErrForeign, h.Recipe, b.Recipe)
	}
	k := &Book{keys: keys, values: values}
	for i := range h.Positions {
		key, value := k.at(i)
		found[key] = Score(value)
	}
	return found, nil
}

func (b *Builder) save(found map[uint64]Score) error {
	entries := make([]entry, 0, len(found))
	for key, score := range found {
		entries = append(entries, entry{key, uint16(score)})
	}
	h := Header{Variant: b.Variant.String(), Rules: rules.Version, Recipe: b.Recipe, Made: b.Made}
	return write(Work(b.Out), workMagic, h, entries)
}

// search gives nodes their scores: from found, or by the workers, which it then adds to found. It
// returns how many the workers found, also if there was an error.
func (b *Builder) search(ctx context.Context, t *tree, fresh []int, found map[uint64]Score) (int, error) {
	var wanted []int
	for _, n := range fresh {
		x := &t.nodes[n]
		if score, known := found[x.key]; known {
			x.score = score
		} else {
			wanted = append(wanted, n)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		node  int
		score float64
		err   error
	}
	work, answers := make(chan int), make(chan answer)
	var wg sync.WaitGroup
	for _, w := range b.Workers[:min(len(b.Workers), len(wanted))] {
		wg.Go(func() {
			for n := range work {
				score, err := w.Search(ctx, t.nodes[n].position)
				if err == nil {
					err = ctx.Err() // the search was cut short
				}
				answers <- answer{n, score, err}
			}
		})
	}
	go func() {
		defer close(work)
		for _, n := range wanted {
			select {
			case work <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { wg.Wait(); close(answers) }()
	var failed error
	scores := map[int]Score{}
	for a := range answers {
		if a.err != nil {
			failed = errors.Join(failed, a.err)
			cancel()
			continue
		}
		scores[a.node] = ScoreOf(a.score)
	}
	for n, score := range scores {
		t.nodes[n].score = score
		found[t.nodes[n].key] = score
	}
	if failed == nil && len(scores) < len(wanted) {
		failed = ctx.Err()
	}
	if errors.Is(failed, context.Canceled) {
		failed = context.Canceled // once, not once for each core
	}
	return len(scores), failed
}
