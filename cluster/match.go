package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"damier/arena"
	"damier/rules"
)

// MatchConfig says how workers reach the hub of a match and what the match is.
type MatchConfig struct {
	Dir         string // folder of the token and the certificate
	Listen      string // HOST:PORT to listen on
	Tokens      string // as in HubConfig, like the next two
	Certificate string
	CertKey     string

	Order    MatchOrder        // the hub sets versions, platform and id
	Networks map[string][]byte // content by file name, as the order names the files
	Version  string            // of the program
	// Check is the share of the pairs that the hub plays too, to compare; negative: none.
	Check float64

	Note func(format string, args ...any)
	Warn func(format string, args ...any)
}

// MatchHub distributes pairs of games of a match to workers on other machines and collects the
// games. It replays every game by the rules. It also plays the first pairs of each worker and a
// share of the others itself, and compares the games.
type MatchHub struct {
	c        MatchConfig
	server   *embedded
	access   *access
	nc       *nats.Conn
	join     string
	order    []byte
	networks map[string][]byte // by SHA-256

	mu         sync.Mutex
	match      arena.Match
	open       bool // the match is being played
	games      <-chan int
	unassigned bool           // games has more pairs
	returned   []int          // pairs to assign again, because their worker is gone
	assigned   map[string]int // pair, by "worker/slot"
	judging    map[int]bool   // pairs whose result is being checked
	workers    map[string]*matchWorker
	finish     func(error)    // ends play; nil: without an error
	judges     sync.WaitGroup // goroutines of judgeResult
	done       chan<- arena.GameRecord
	ctx        context.Context
	names      [2]string
	players    chan [2]arena.Player // idle players, for checking pairs
}

// matchWorker is what the hub knows about a worker.
type matchWorker struct {
	turn    sync.Mutex // its results are judged one at a time
	heard   time.Time
	pairs   int // counted
	checked int // pairs that the hub played itself to compare
}

// Limits of a match.
const (
	checkedPairs    = 2         // of a new worker, all compared
	networkChunk    = 512 << 10 // bytes of a reply
	maxMatchNetwork = 256 << 20 // bytes
	maxSlots        = 1024
	requestPeriod   = 5 * time.Second
)

// NewMatchHub starts the server of the hub. [MatchHub.Elsewhere] then plays a match.
func NewMatchHub(c MatchConfig) (*MatchHub, error) {
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	if c.Warn == nil {
		c.Warn = c.Note
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	h := &MatchHub{
		c: c, networks: map[string][]byte{},
		assigned: map[string]int{}, judging: map[int]bool{}, workers: map[string]*matchWorker{},
	}
	o := c.Order
	o.Protocol = Protocol
	o.Rules = rules.Version
	o.Version = c.Version
	o.Platform = runtime.GOARCH
	o.ID = newSecret()
	o.Networks = map[string]string{}
	for name, file := range c.Networks {
		sum := sha256.Sum256(file)
		o.Networks[name] = hex.EncodeToString(sum[:])
		h.networks[o.Networks[name]] = file
	}
	h.c.Order = o
	var err error
	if h.order, err = json.Marshal(o); err != nil {
		return nil, err
	}
	h.server, h.access, h.join, err = startServer(hostConfig{
		dir: c.Dir, listen: c.Listen, tokens: c.Tokens, certificate: c.Certificate, certKey: c.CertKey,
	})
	if err != nil {
		return nil, err
	}
	if h.nc, err = h.server.connect(h.access, nats.Name("damier match")); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Join returns what a worker types after "evaluate --join".
func (h *MatchHub) Join() string { return h.join }

// Close closes the connection and the server.
func (h *MatchHub) Close() {
	if h.nc != nil {
		h.nc.Close()
	}
	h.server.close()
}

// Elsewhere returns a function for the field arena.Match.Elsewhere that has workers play the
// games. The hub uses the players of m to check pairs.
func (h *MatchHub) Elsewhere(m arena.Match) func(context.Context, <-chan int, chan<- arena.GameRecord) error {
	return func(ctx context.Context, games <-chan int, done chan<- arena.GameRecord) error {
		return h.play(ctx, m, games, done)
	}
}

// play distributes the games until all are done or ctx is done, and sends their records to done.
func (h *MatchHub) play(
	ctx context.Context, m arena.Match, games <-chan int, done chan<- arena.GameRecord,
) error {
	players, err := h.makePlayers(&m)
	if err != nil {
		return err
	}
	defer closePlayers(players)
	ctx, cancel := context.WithCancelCause(ctx)
	ended := errors.New("the match is over")
	h.mu.Lock()
	h.ctx = ctx
	h.match = m
	h.open = true
	h.games = games
	h.unassigned = true
	h.done = done
	h.players = players
	h.finish = func(err error) {
		if err == nil {
			err = ended
		}
		cancel(err)
	}
	h.mu.Unlock()
	s, err := h.nc.Subscribe(matchSubject+"*.*", h.answerRequest)
	if err != nil {
		return err
	}
	beats, err := h.nc.Subscribe(heartbeatSubject+"*", func(m *nats.Msg) {
		h.noteWorker(strings.TrimPrefix(m.Subject, heartbeatSubject))
	})
	if err != nil {
		return err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			h.expireLeases()
		}
	}
	beats.Unsubscribe()
	h.mu.Lock()
	h.open = false // requests now get the reply Over
	h.mu.Unlock()
	h.judges.Wait()
	s.Unsubscribe()
	h.nc.Publish(announceSubject, []byte(h.c.Order.ID))
	h.nc.FlushTimeout(time.Second)
	if cause := context.Cause(ctx); !errors.Is(cause, ended) {
		return cause
	}
	return nil
}

// makePlayers makes a pair of players for each game that the hub may play at a time, and notes
// their names.
func (h *MatchHub) makePlayers(m *arena.Match) (chan [2]arena.Player, error) {
	players := make(chan [2]arena.Player, max(m.Concurrency, 1))
	for range cap(players) {
		a, err := m.A()
		if err != nil {
			return nil, fmt.Errorf("player A: %w", err)
		}
		b, err := m.B()
		if err != nil {
			return nil, fmt.Errorf("player B: %w", err)
		}
		h.names = [2]string{a.Name(), b.Name()}
		players <- [2]arena.Player{a, b}
	}
	return players, nil
}

// closePlayers closes all players. None may be in use.
func closePlayers(players chan [2]arena.Player) {
	close(players)
	for pair := range players {
		for _, p := range pair {
			if c, ok := p.(io.Closer); ok {
				c.Close()
			}
		}
	}
}

// noteWorker notes that a worker is present. It returns nil for a bad name or too many workers.
func (h *MatchHub) noteWorker(name string) *matchWorker {
	if !workerName.MatchString(name) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.workers[name]
	if w == nil && len(h.workers) < maxWorkers {
		w = &matchWorker{}
		h.workers[name] = w
		h.c.Note("worker %s plays", name)
	}
	if w != nil {
		w.heard = time.Now()
	}
	return w
}

// expireLeases frees the pairs of workers that sent nothing for longer than a lease.
func (h *MatchHub) expireLeases() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, w := range h.workers {
		if time.Since(w.heard) > lease {
			h.reassignPairs(name, "is gone")
		}
	}
	h.finishIfDone()
}

// reassignPairs removes a worker and makes its pairs available to others. The caller holds mu.
func (h *MatchHub) reassignPairs(name, why string) {
	n := 0
	for key, pair := range h.assigned {
		if strings.HasPrefix(key, name+"/") {
			delete(h.assigned, key)
			h.returned = append(h.returned, pair)
			n++
		}
	}
	delete(h.workers, name)
	h.c.Note("worker %s %s; %d pairs go to others", name, why, n)
}

// finishIfDone ends the match if no pair is left. The caller holds mu.
func (h *MatchHub) finishIfDone() {
	if h.open && !h.unassigned && len(h.returned) == 0 && len(h.assigned) == 0 && len(h.judging) == 0 {
		h.finish(nil)
	}
}

// answerRequest replies to a request of a worker.
func (h *MatchHub) answerRequest(m *nats.Msg) {
	request, name, _ := strings.Cut(strings.TrimPrefix(m.Subject, matchSubject), ".")
	if !workerName.MatchString(name) || h.access.barredReason(name) != "" {
		return
	}
	respond := func(a any) {
		if text, err := json.Marshal(a); err == nil {
			m.Respond(text)
		}
	}
	switch request {
	case "order":
		m.Respond(h.order)
	case "network":
		var q struct {
			Sum  string `json:"sum"`
			From int    `json:"from"`
		}
		if json.Unmarshal(m.Data, &q) == nil {
			if file := h.networks[q.Sum]; q.From >= 0 && q.From < len(file) {
				m.Respond(file[q.From:min(q.From+networkChunk, len(file))])
				return
			}
		}
		m.Respond(nil)
	case "pair":
		var q struct {
			Match string `json:"match"`
			Slot  int    `json:"slot"`
		}
		valid := json.Unmarshal(m.Data, &q) == nil && q.Slot >= 0 && q.Slot < maxSlots
		if valid && h.noteWorker(name) != nil {
			respond(h.assignPair(name, q.Match, q.Slot))
		}
	case "done":
		w := h.noteWorker(name)
		var r pairResult
		if err := json.Unmarshal(m.Data, &r); err != nil || w == nil {
			if w != nil {
				h.bar(name, fmt.Errorf("its result: %w", err))
			}
			return
		}
		respond(h.acceptResult(w, name, &r))
	case "leave":
		h.mu.Lock()
		if h.workers[name] != nil {
			h.reassignPairs(name, "leaves")
		}
		h.mu.Unlock()
	}
}

// assignPair assigns a pair to a slot of a worker. A slot that asks again because a reply was lost
// gets the same pair.
func (h *MatchHub) assignPair(name, match string, slot int) pairAnswer {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := pairAnswer{Match: h.c.Order.ID}
	if !h.open || match != a.Match {
		a.Over = true
		return a
	}
	key := fmt.Sprintf("%s/%d", name, slot)
	pair, has := h.assigned[key]
	switch {
	case has:
	case len(h.returned) > 0:
		pair = h.returned[0]
		h.returned = h.returned[1:]
	default:
		first, ok := <-h.games
		if ok {
			_, ok = <-h.games // games are numbered in order, two to a pair
		}
		if !ok {
			h.unassigned = false
			h.finishIfDone()
			a.Wait = true
			return a
		}
		pair = first / 2
	}
	h.assigned[key] = pair
	a.Pair = pair
	if all := h.match.Openings; len(all) > 0 {
		o := all[pair%len(all)]
		a.Opening = &opening{Start: h.match.Variant.FEN(o.Start)}
		g := rules.NewGameFrom(h.match.Variant, o.Start)
		for _, move := range o.Moves {
			g.Play(move)
		}
		a.Opening.Moves, _ = moveIndexes(g, 0)
	}
	return a
}
