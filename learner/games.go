package learner

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"slices"

	"damier/data"
	"damier/rules"
)

// heldoutEvery is the share of games kept from training: one in so many.
const heldoutEvery = 40

// heldoutRows is how many of their latest rows are kept.
const heldoutRows = 1024

// refillRows is how many rows a run that lost its games plays before it trains again, if it had as many.
const refillRows = 50_000

// replay is the replay window and beside it the rows kept from training.
type replay struct {
	train, heldout *data.Window
}

// newReplay returns the empty windows, the held-out one for so many rows.
func newReplay(v *rules.Variant, m Method, cfg Config, heldout int) replay {
	return replay{
		train:   data.NewWindow(v, cfg.Window, m.Targets(v, cfg)),
		heldout: data.NewWindow(v, data.WindowConfig{MinRows: heldout, Cap: heldout}, m.Targets(v, cfg)),
	}
}

// rows returns how many rows there are, those kept from training included.
func (r replay) rows() int { return r.train.Len() + r.heldout.Len() }

// add puts a game where it belongs. Whether it is held out depends on its id alone.
func (r replay) add(g data.Game) {
	h := fnv.New32a()
	h.Write([]byte(g.ID))
	if h.Sum32()%heldoutEvery == 0 {
		r.heldout.Add(g)
		r.train.Skip(g.Rows())
	} else {
		r.train.Add(g)
	}
}

// loadGames rebuilds the window from the run's shards and puts the directory in order: what a killed process left
// half-written goes, damaged shards are set aside, whole ones that the manifest does not know are adopted.
func (l *Learner) loadGames(ctx context.Context) error {
	m := &l.run.Manifest
	dir := l.run.path(gamesDir)
	store, found, err := data.OpenStore(dir, l.variant, m.Games)
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	l.store = store
	l.replay = newReplay(l.variant, l.run.method, l.cfg, max(heldoutRows, 4*l.cfg.Train.Batch)) // more than a batch, whatever a game takes
	l.tell(found)

	total := store.Totals().Rows
	// Held-out games do not fill the window: more is read than its size, for it to be that of a run that
	// never stopped. It drops by itself what is too much.
	size := l.cfg.Window.Size(total)
	shards, before := store.Recent(size + size/10 + heldoutRows)
	l.replay.train.Skip(before)
	adopted := map[string]bool{}
	for _, s := range found.Adopted {
		adopted[s.Name] = true
	}
	finished := map[string]bool{}
	err = store.Each(ctx, shards, func(s data.ShardInfo, games []data.Game, err error) {
		if err != nil {
			l.report.Warn("%v; training goes on without it", err)
			l.replay.train.Skip(s.Rows)
			return
		}
		for _, g := range games {
			l.replay.add(g)
			finished[g.ID] = true
		}
	})
	if err != nil {
		return err
	}
	for _, s := range found.Adopted {
		l.owe(s)
	}
	// A game under way at the checkpoint may have been finished before the process was killed.
	l.underway = slices.DeleteFunc(l.underway, func(g data.Game) bool { return finished[g.ID] })
	// A window that lost its games is filled again before training goes on.
	l.refill = l.cfg.Generation.Start
	if !l.run.Fresh {
		l.refill = max(l.refill, min(size, refillRows)*9/10)
	}
	m.Games = store.State()
	return nil
}

// owe counts the training that new rows have earned.
func (l *Learner) owe(s data.ShardInfo) {
	l.run.Manifest.Debt += float64(s.Rows) * l.cfg.Generation.Passes
	l.run.Manifest.Pending += s.Rows
}

// adopt takes shards of other workers into the run. It returns how many new rows came.
func (l *Learner) adopt() (rows int, err error) {
	found, err := l.store.Scan()
	if err != nil {
		return 0, fmt.Errorf("games: %w", err)
	}
	l.tell(found)
	for _, s := range found.Adopted {
		games, err := l.store.Read(s)
		if err != nil {
			l.report.Warn("%v; training goes on without it", err)
			continue
		}
		for _, g := range games {
			l.replay.add(g)
		}
		l.owe(s)
		rows += s.Rows
	}
	return rows, nil
}

// tell warns of what was not as it should be in the games' directory.
func (l *Learner) tell(found data.Found) {
	for _, r := range found.Damaged {
		l.report.Warn("shard %s is damaged and set aside as %s; training goes on without it: %v", r.Name, r.Moved, r.Err)
	}
	for _, r := range found.Foreign {
		l.report.Warn("%s is left alone: %v", r.Name, r.Err)
	}
	if n := len(found.Missing); n > 0 {
		l.report.Warn("%d shards of the run are gone, %s the first: somebody has deleted them; training goes on, and their games still count in the totals", n, found.Missing[0].Name)
	}
}

// writeShard writes games as the next shard and takes them into the window as they read back, so that a run that
// goes on and one that is taken up again see the same numbers.
func (l *Learner) writeShard(games []data.Game) error {
	if len(games) == 0 {
		return nil
	}
	name := ""
	for n := l.store.Totals().Shards + 1; name == "" || exists(l.store.Path(name)); n++ { // somebody's file may have the name
		name = fmt.Sprintf("%08d%s", n, data.Extension)
	}
	info, err := l.store.Write(name, games)
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	read, err := l.store.Read(info)
	if errors.Is(err, fs.ErrNotExist) {
		l.report.Warn("%v; it was deleted as soon as it was written, and training goes on without it", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("games: a shard just written does not read back: %w", err)
	}
	for _, g := range read {
		l.replay.add(g)
	}
	l.owe(info)
	return nil
}

// prune holds the games to their cap of disk.
func (l *Learner) prune() {
	pruned := l.store.Prune(l.cfg.Window.Size(l.store.Totals().Rows), int64(l.cfg.Limits.GamesGB*1e9))
	if pruned.Inside > 0 {
		l.report.Warn("the cap of %g GB on games took %d shards that the window still wants; raise limits.games_gb", l.cfg.Limits.GamesGB, pruned.Inside)
	}
}

// rows returns the number of rows of the run so far.
func (l *Learner) rows() int { return l.store.Totals().Rows }

// random returns the random numbers of one purpose in the present generation. After a loss that was not finite
// they are others, so that the generation is not learnt from the same batches again.
func (l *Learner) random(purpose uint64) *rand.Rand {
	m := &l.run.Manifest
	return rand.New(rand.NewPCG(l.cfg.Seed^purpose<<56, uint64(m.Generation)|uint64(m.NotFinite)<<32))
}

// batches returns the random numbers that batches of the present generation are drawn by. If it was stopped half-way, they are
// others than those of the batches that were learnt before.
func (l *Learner) batches() *rand.Rand {
	m := &l.run.Manifest
	return rand.New(rand.NewPCG(l.cfg.Seed^'t'<<56^uint64(l.trainer.Steps()), uint64(m.Generation)|uint64(m.NotFinite)<<32))
}
