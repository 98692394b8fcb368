package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"damier/data"
	"damier/internal/plain"
)

// pendingGames are the good games of a message. They wait for the next shard.
type pendingGames struct {
	message jetstream.Msg
	worker  string
	games   []data.Game
}

// memory returns about how many bytes a game takes in memory.
func memory(g *data.Game) int {
	bytes := 0
	for i := range g.Plies {
		p := &g.Plies[i]
		bytes += plyBytes + moveBytes*len(p.Moves) + positionBytes*len(p.Tree)
	}
	return bytes
}

// The sizes in bytes of the parts of a game; TestPendingBytes checks them.
const (
	plyBytes      = 216
	moveBytes     = 26 // with its visits, prior and value
	positionBytes = 80 // with its line
)

// addPending makes games wait for the next shard.
func (h *Hub) addPending(p pendingGames) {
	h.pendingBytes += len(p.message.Data())
	for i := range p.games {
		h.waiting[p.games[i].ID] = true
		h.pendingBytes += memory(&p.games[i])
	}
	h.pending = append(h.pending, p)
}

// clearPending forgets all pending games.
func (h *Hub) clearPending() {
	h.pending = nil
	h.waiting = map[string]bool{}
	h.pendingBytes = 0
}

// pendingFull reports whether no more games may wait.
func (h *Hub) pendingFull() bool {
	return len(h.waiting) >= maxPending || h.pendingBytes >= maxPendingBytes
}

// takeGames receives games until the context is done, and writes shards in between.
func (h *Hub) takeGames(ctx context.Context) error {
	var failed string
	warn := func(err error) {
		if err != nil && err.Error() != failed {
			h.c.Warn("%v", err)
		}
		failed = ""
		if err != nil {
			failed = err.Error()
		}
	}
	for ctx.Err() == nil {
		err := h.fetchMessages(ctx)
		if ctx.Err() != nil {
			break
		}
		if h.flushDue() {
			err = errors.Join(err, h.flush())
		}
		warn(err)
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
	return errors.Join(h.flush(), ctx.Err())
}

// fetchMessages fetches some messages and checks their games.
func (h *Hub) fetchMessages(ctx context.Context) error {
	if h.pendingFull() {
		return nil
	}
	c, err := h.js.Consumer(ctx, gamesStream, consumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return errors.Join(err, h.open(ctx)) // it was deleted
	}
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	batch, err := c.Fetch(fetchBatch, jetstream.FetchMaxWait(time.Second))
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	var last jetstream.Msg
	for m := range batch.Messages() {
		last = m
		begun := time.Now()
		err := h.takeMessage(ctx, m)
		h.mu.Lock()
		h.status.IntakeSeconds += time.Since(begun).Seconds()
		h.mu.Unlock()
		if err == nil && h.flushDue() {
			err = h.flush()
		}
		if err != nil { // the rest of the batch would fail too: ask for it later
			for m := range batch.Messages() {
				m.NakWithDelay(5 * time.Second)
			}
			return err
		}
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("games: %w", err)
	}
	backlog := uint64(0)
	if last != nil {
		if m, err := last.Metadata(); err == nil {
			backlog = m.NumPending
		}
	}
	h.mu.Lock()
	h.status.Backlog = backlog
	h.status.Pending = len(h.waiting)
	h.mu.Unlock()
	return nil
}

// takeMessage checks the games of a message. Good games then wait for the next shard. An error
// means that the games cannot be checked now; the server delivers the message again.
func (h *Hub) takeMessage(ctx context.Context, m jetstream.Msg) error {
	name := strings.TrimPrefix(m.Subject(), gamesSubject)
	h.received.Add(1)
	if name == hubUser { // a message of probe
		m.Ack()
		return nil
	}
	if h.access.barredReason(name) != "" || !workerName.MatchString(name) {
		h.refuse(m, name, 1, errors.New("it is barred"))
		return nil
	}
	head, games, err := h.decoder.decode(m.Data(), func(segments []segment) (data.WireLimits, bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.judge.limits(segments)
	})
	if errors.Is(err, ErrVersion) {
		h.notifyWorker(name, err.Error())
		h.refuse(m, name, max(head.Games, 1), err)
		return nil
	}
	if err != nil {
		h.bar(m, name, max(head.Games, 1), err)
		return nil
	}
	w := h.findOrAddWorker(name)
	if w == nil {
		h.refuse(m, name, len(games), fmt.Errorf("there are more than %d workers", maxWorkers))
		return nil
	}
	if !w.allow(float64(len(games)), h.c.PerMinute) {
		m.NakWithDelay(5 * time.Second)
		return nil
	}
	checked, err := h.checkGames(ctx, w, head.Platform, games)
	if errors.Is(err, ErrForged) {
		h.bar(m, name, len(games), err)
		return nil
	}
	if err != nil {
		m.NakWithDelay(5 * time.Second)
		return fmt.Errorf("games of workers wait: %w", err)
	}
	h.mu.Lock()
	h.status.Duplicates += int64(checked.duplicates)
	h.status.Stale += int64(checked.stale)
	h.status.GamesRefused += int64(checked.stale)
	w.GamesRefused += int64(checked.stale)
	h.mu.Unlock()
	// A message without a good game may repeat games that still wait for a shard, so it too is
	// acknowledged only after the next shard is written.
	h.addPending(pendingGames{message: m, worker: name, games: checked.good})
	return nil
}

// checkedGames is the result of checkGames.
type checkedGames struct {
	good              []data.Game
	duplicates, stale int // number of games that are not in good
}

// checkGames compares the games of a message with their orders. The error wraps [ErrForged], or
// says why a network cannot be read now.
func (h *Hub) checkGames(
	ctx context.Context, w *worker, platform string, games []played,
) (checkedGames, error) {
	var c checkedGames
	seen := map[string]bool{} // ids of the good games of this message
	for i := range games {
		g := &games[i]
		id, err := parseID(g.game.ID)
		if err != nil {
			return c, fmt.Errorf("%w: %w", ErrForged, err)
		}
		if h.ledger.has(id.actor, id.number) || h.waiting[g.game.ID] || seen[g.game.ID] {
			c.duplicates++
			continue
		}
		if g.stale {
			c.stale++
			continue
		}
		h.mu.Lock()
		thorough := w.seen < firstChecked || h.judge.rng.Float64() < h.c.Check
		err = h.judge.check(ctx, w.Name, platform, g, thorough && h.c.Check >= 0)
		h.mu.Unlock()
		if errors.Is(err, ErrStale) {
			c.stale++
			continue
		}
		if err != nil {
			return c, err
		}
		if len(h.ledger.Actors[id.actor]) >= maxRanges {
			return c, fmt.Errorf("%w: the numbers of its games have more than %d gaps", ErrForged, maxRanges)
		}
		w.seen++
		seen[g.game.ID] = true
		c.good = append(c.good, g.game)
	}
	return c, nil
}

// flushDue reports whether it is time to write a shard.
func (h *Hub) flushDue() bool {
	return len(h.pending) > 0 && (h.pendingFull() || time.Since(h.flushed) >= h.remote.Period)
}

// flush writes the waiting games as a shard and acknowledges their messages.
func (h *Hub) flush() error {
	h.flushed = time.Now()
	if len(h.pending) == 0 {
		return nil
	}
	var games []data.Game
	by := map[string]int{}
	for i := range h.pending {
		games = append(games, h.pending[i].games...)
		by[h.pending[i].worker] += len(h.pending[i].games)
	}
	if len(games) > 0 {
		if err := h.writeShard(games); err != nil {
			for i := range h.pending {
				h.pending[i].message.NakWithDelay(10 * time.Second) // the server sends it again
			}
			h.clearPending()
			return fmt.Errorf("%d games of workers could not be written; the server keeps them: %w", len(games), err)
		}
	}
	var failed error
	for i := range h.pending {
		failed = errors.Join(failed, h.pending[i].message.Ack())
	}
	h.clearPending()
	h.mu.Lock()
	h.status.GamesAccepted = h.ledger.Games
	for name, n := range by {
		if w := h.workers[name]; w != nil {
			w.GamesAccepted += int64(n)
		}
	}
	h.recent = append(h.recent, gameCount{time.Now(), len(games)})
	for len(h.recent) > 0 && time.Since(h.recent[0].at) > time.Minute {
		h.recent = h.recent[1:]
	}
	h.mu.Unlock()
	return failed
}

// writeShard writes the next shard, and then the ledger with its games.
func (h *Hub) writeShard(games []data.Game) error {
	name := fmt.Sprintf(shardName, h.ledger.Next)
	for {
		if _, err := os.Lstat(filepath.Join(h.remote.Games, name)); err != nil {
			break
		}
		h.ledger.Next++ // a file of this name exists
		name = fmt.Sprintf(shardName, h.ledger.Next)
	}
	if _, err := data.WriteShard(h.remote.Games, name, h.remote.Variant, games); err != nil {
		return err
	}
	h.mu.Lock()
	h.ledger.Next++
	for i := range games {
		if id, err := parseID(games[i].ID); err == nil {
			h.ledger.add(id.actor, id.number)
		}
	}
	h.mu.Unlock()
	if err := h.ledger.save(h.dir); err != nil {
		h.c.Warn("the list of accepted games could not be written; the next start makes it from the shards: %v", err)
	}
	return nil
}

// refuse drops a message for good and counts its games as refused.
func (h *Hub) refuse(m jetstream.Msg, name string, games int, why error) {
	m.TermWithReason(plain.Text(why.Error()))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status.GamesRefused += int64(games)
	if w := h.workers[name]; w != nil {
		w.GamesRefused += int64(games)
	}
}
