package learner

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"damier/data"
	"damier/learner/settings"
	"damier/rules"
)

// heldoutEvery is the share of games that are not used for training: one in heldoutEvery.
const heldoutEvery = 40

// heldoutRows is the number of newest held-out rows that are kept.
const heldoutRows = 1024

// refillRows is the number of rows that a run which lost its games plays before it trains again,
// if it had that many before.
const refillRows = 50_000

// replay is the replay window and the window of held-out rows.
type replay struct {
	train, heldout *data.Window
}

// newReplay returns empty windows; the held-out one has room for heldout rows.
func newReplay(v *rules.Variant, m Method, cfg settings.Config, heldout int) replay {
	return replay{
		train:   data.NewWindow(v, cfg.Window, m.Targets(v, cfg)),
		heldout: data.NewWindow(v, data.WindowConfig{MinRows: heldout, Cap: heldout}, m.Targets(v, cfg)),
	}
}

// rows returns the number of rows in both windows.
func (r replay) rows() int { return r.train.Len() + r.heldout.Len() }

// add adds a game to one of the windows. Whether it is held out depends on its id only.
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

// loadGames rebuilds the window from the shards of the run and cleans up the directory: it deletes
// half-written files of a killed process, renames damaged shards, and adopts sound ones that the
// manifest does not know.
func (l *Learner) loadGames(ctx context.Context) error {
	m := &l.run.Manifest
	dir := l.run.path(gamesDir)
	store, found, err := data.OpenStore(dir, l.variant, m.Games)
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	l.store = store
	// More than a batch, whatever a game takes.
	l.replay = newReplay(l.variant, l.run.method, l.cfg, max(heldoutRows, 4*l.cfg.Train.Batch))
	l.warnAbout(found)

	total := store.Totals().Rows
	// Held-out games do not count for the window, so read more than its size. Then it is the same
	// as in a run that never stopped; the window drops what is too much.
	size := l.cfg.Window.Size(total)
	shards, before := store.Recent(size + size/10 + heldoutRows)
	l.replay.train.Skip(before)
	adopted := map[string]bool{}
	for _, s := range found.Adopted {
		adopted[s.Name] = true
	}
	finished := map[string]bool{}
	read, want := 0, 0
	for _, s := range shards {
		want += s.Rows
	}
	l.report.Reading(l, 0, want)
	err = store.Each(ctx, shards, func(s data.ShardInfo, games []data.Game, err error) {
		if err != nil {
			l.warn("%v; training goes on without it", err)
			l.replay.train.Skip(s.Rows)
			return
		}
		read += s.Rows
		l.report.Reading(l, read, want)
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
	// A game in progress at the checkpoint may have been finished before the process was killed.
	l.underway = slices.DeleteFunc(l.underway, func(g data.Game) bool { return finished[g.ID] })
	// If the window lost its games, fill it again before training continues.
	l.refill = l.cfg.Generation.Start
	if !l.run.Fresh {
		l.refill = max(l.refill, min(size, refillRows)*9/10)
	}
	m.Games = store.State()
	return nil
}

// owe adds the training that the new rows of a shard allow.
func (l *Learner) owe(s data.ShardInfo) {
	l.run.Manifest.Debt += float64(s.Rows) * l.cfg.Generation.Passes
	l.run.Manifest.Pending += s.Rows
}

// adopt adds shards of other workers to the run. It returns the number of new rows.
func (l *Learner) adopt() (rows int, err error) {
	found, err := l.store.Scan()
	if err != nil {
		return 0, fmt.Errorf("games: %w", err)
	}
	l.warnAbout(found)
	for _, s := range found.Adopted {
		games, err := l.store.Read(s)
		if err != nil {
			l.warn("%v; training goes on without it", err)
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

// warnAbout warns about missing, damaged and foreign files in the directory of games.
func (l *Learner) warnAbout(found data.Found) {
	for _, r := range found.Damaged {
		l.warn("shard %s is damaged and set aside as %s; training goes on without it: %v", r.Name, r.Moved, r.Err)
	}
	for _, r := range found.Foreign {
		l.warn("%s is left alone: %v", r.Name, r.Err)
	}
	if n := len(found.Missing); n > 0 {
		l.warn("%d shards of the run are gone, %s the first: somebody has deleted them; training goes on, and their games still count in the totals", n, found.Missing[0].Name)
	}
}

// shard is the next shard, not yet on disk. Its games are as they would be read back, so that a run
// that continues without a break and one that is resumed have the same numbers.
type shard struct {
	games   []data.Game
	encoded *data.Writer
}

func (l *Learner) newShard() *shard { return &shard{encoded: data.NewWriter(l.variant)} }

func (s *shard) add(g data.Game) error {
	g.Round()
	if err := s.encoded.Add(&g); err != nil {
		return fmt.Errorf("games: %w", err)
	}
	s.games = append(s.games, g)
	return nil
}

// writeShard writes s, and adds its games to the window.
func (l *Learner) writeShard(s *shard) error {
	if len(s.games) == 0 {
		return nil
	}
	name := ""
	// A foreign file may have the name.
	for n := l.store.Totals().Shards + 1; name == "" || exists(l.store.Path(name)); n++ {
		name = fmt.Sprintf("%08d%s", n, data.Extension)
	}
	info, err := l.store.Write(name, s.encoded)
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	for _, g := range s.games {
		l.replay.add(g)
	}
	l.owe(info)
	return nil
}

// prune limits the games to their disk space.
func (l *Learner) prune() {
	pruned := l.store.Prune(l.cfg.Window.Size(l.store.Totals().Rows), int64(l.cfg.Limits.GamesGB*1e9))
	if pruned.Inside > 0 {
		l.warn("the cap of %g GB on games took %d shards that the window still wants; raise limits.games_gb", l.cfg.Limits.GamesGB, pruned.Inside)
	}
}

// rows returns the number of rows of the run so far.
func (l *Learner) rows() int { return l.store.Totals().Rows }

// random returns the random numbers for one purpose in the present generation. After a loss that
// was not finite they are different, so that the generation does not learn from the same batches
// again.
func (l *Learner) random(purpose uint64) *rand.Rand {
	m := &l.run.Manifest
	return rand.New(rand.NewPCG(l.cfg.Seed^purpose<<56, uint64(m.Generation)|uint64(m.NotFinite)<<32))
}

// batches returns the random numbers that draw the batches of the present generation. If the
// generation was interrupted, they differ from those that drew the batches learnt before.
func (l *Learner) batches() *rand.Rand {
	m := &l.run.Manifest
	return rand.New(rand.NewPCG(l.cfg.Seed^'t'<<56^uint64(l.trainer.Steps()), uint64(m.Generation)|uint64(m.NotFinite)<<32))
}
