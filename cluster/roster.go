package cluster

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"damier/internal/plain"
)

// worker is what a hub knows about one of its workers.
type worker struct {
	WorkerStatus
	heard     time.Time // last heartbeat
	lagOf     string    // order that Lag was measured for
	allowance float64   // number of games it may send now
	refilled  time.Time // when allowance was last increased
	seen      int64     // good games in this session: the first ones are all recomputed
}

// gameCount is a number of games accepted at a time.
type gameCount struct {
	at    time.Time
	games int
}

// bar refuses a message and everything else from its worker.
func (h *Hub) bar(m jetstream.Msg, name string, games int, why error) {
	h.findOrAddWorker(name)
	what, connection, err := h.access.bar(name, plain.Text(why.Error()))
	if err != nil {
		h.c.Warn("the list of barred workers could not be written: %v", err)
	}
	h.notifyWorker(name, "barred: "+plain.Text(why.Error()))
	if h.server != nil && connection != 0 {
		h.nc.FlushTimeout(time.Second)
		h.server.server.DisconnectClientByID(connection)
	}
	h.c.Warn("%s is barred: %s", what, plain.Text(why.Error()))
	h.refuse(m, name, games, why)
	// Its earlier games may be as bad. Those not yet on the disk were never accepted: drop them.
	for i := range h.pending {
		if p := &h.pending[i]; p.worker == name && len(p.games) > 0 {
			for j := range p.games {
				delete(h.waiting, p.games[j].ID)
			}
			h.mu.Lock()
			h.status.GamesRefused += int64(len(p.games))
			h.workers[name].GamesRefused += int64(len(p.games))
			h.mu.Unlock()
			p.games = nil
		}
	}
}

// notifyWorker sends a worker a text. The worker then stops with it as the reason.
func (h *Hub) notifyWorker(name, text string) {
	if workerName.MatchString(name) {
		h.nc.Publish(noticeSubject+name, []byte(text))
	}
}

// findOrAddWorker returns the record of a worker, nil if there are too many workers.
func (h *Hub) findOrAddWorker(name string) *worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.workers[name]
	if w == nil && len(h.workers) < maxWorkers {
		w = &worker{
			WorkerStatus: WorkerStatus{Name: name}, heard: time.Now(),
			refilled: time.Now(), allowance: maxGames,
		}
		h.workers[name] = w
	}
	return w
}

// allow reports whether the worker may send this many games now, and if so deducts them from its
// allowance. The allowance grows by perMinute (a token bucket) up to one minute's games, or up to
// maxGames if that is more.
func (w *worker) allow(games, perMinute float64) bool {
	now := time.Now()
	gained := now.Sub(w.refilled).Minutes() * perMinute
	w.allowance = min(w.allowance+gained, max(perMinute, maxGames))
	w.refilled = now
	if w.allowance < games {
		return false
	}
	w.allowance -= games
	return true
}

// takeHeartbeat records a heartbeat.
func (h *Hub) takeHeartbeat(m *nats.Msg) {
	var b heartbeat
	name := strings.TrimPrefix(m.Subject, heartbeatSubject)
	if !workerName.MatchString(name) || json.Unmarshal(m.Data, &b) != nil {
		return
	}
	w := h.findOrAddWorker(name)
	if w == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	w.heard = now
	w.Host = cleanText(b.Host)
	w.Version = cleanText(b.Version)
	w.Platform = cleanText(b.Platform)
	w.Actors = b.Actors
	w.PerMinute = b.PerMinute
	w.Waiting = b.Waiting
	w.Skew = b.Time - h.c.clock.seconds()
	if k := h.judge.findOrder(b.Order); k != nil {
		w.Generation = k.Generation
	}
	if h.order != nil && b.Order == h.order.id() && w.lagOf != b.Order && !h.orderPosted.IsZero() {
		w.lagOf = b.Order
		w.Lag = now.Sub(h.orderPosted).Seconds()
	}
}

// cleanText truncates a text of a worker to 80 bytes and removes control characters.
func cleanText(s string) string {
	if len(s) > 80 {
		s = s[:80]
	}
	return plain.Text(s)
}

// answerStatus replies to a request for the status.
func (h *Hub) answerStatus(m *nats.Msg) {
	text, err := json.Marshal(h.Status())
	if err == nil {
		m.Respond(text)
	}
}

// Status returns the present status, its workers sorted by name.
func (h *Hub) Status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.status
	s.Version = h.c.Version
	s.Variant = h.remote.Variant.String()
	s.Checked = h.judge.checked
	s.Workers = []WorkerStatus{}
	s.Barred = h.access.barredReasons()
	if h.order != nil {
		s.Run = h.order.Run
		s.Generation = h.order.Generation
		s.Order = h.order.id()
	}
	games := 0
	for _, t := range h.recent {
		if time.Since(t.at) <= time.Minute {
			games += t.games
		}
	}
	s.PerMinute = float64(games)
	for name, w := range h.workers {
		since := time.Since(w.heard)
		if since > forgetAfter {
			delete(h.workers, name)
			continue
		}
		x := w.WorkerStatus
		x.Heard = since.Seconds()
		x.Gone = since > lease
		s.Workers = append(s.Workers, x)
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int {
		return strings.Compare(a.Name, b.Name)
	})
	return s
}
