package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"damier/arena"
	"damier/internal/plain"
	"damier/rules"
)

// MatchOrder is all that one must know to play pairs of a match.
type MatchOrder struct {
	Protocol int    `json:"protocol"`
	Rules    int    `json:"rules"`    // rules.Version
	Version  string `json:"version"`  // of the program: another may search in another way
	Platform string `json:"platform"` // GOARCH: searches are equal to the bit on one
	ID       string `json:"id"`

	Variant    string            `json:"variant"`
	Options    string            `json:"options"`
	A          string            `json:"a"` // the players, as evaluate describes them
	B          string            `json:"b"`
	Visits     int               `json:"visits"`
	Leaves     int               `json:"leaves"`
	Seed       uint64            `json:"seed"`
	MaxPlies   int               `json:"max_plies"`
	Adjudicate string            `json:"adjudicate"`
	Networks   map[string]string `json:"networks"` // SHA-256 of the files that the descriptions name
}

// check reports whether this program can play by the order.
func (o *MatchOrder) check(version string) error {
	switch {
	case o.Protocol != Protocol || o.Rules != rules.Version || o.Version != version:
		return fmt.Errorf("%w: the match is played with Damier %s, and this is %s: install the same release on both machines",
			ErrVersion, plain.Text(o.Version), version)
	case o.Platform != runtime.GOARCH:
		return fmt.Errorf("%w: the match is played on %s processors, and this is one of %s: they round in other ways, and the games would be others",
			ErrVersion, plain.Text(o.Platform), runtime.GOARCH)
	}
	return nil
}

// opening is an opening as it is sent: its moves are moveIndexes among the legal moves.
type opening struct {
	Start string `json:"start"` // FEN
	Moves []int  `json:"moves"`
}

// pairAnswer is what the hub gives a worker that asks for a pair.
type pairAnswer struct {
	Match   string   `json:"match"`
	Pair    int      `json:"pair"`
	Opening *opening `json:"opening,omitempty"`
	Wait    bool     `json:"wait,omitempty"` // all pairs are given out; one may come back
	Over    bool     `json:"over,omitempty"` // another match, or none any more
}

// pairResult is what a worker has played. The hub answers with a pairAnswer.
type pairResult struct {
	Match string        `json:"match"`
	Slot  int           `json:"slot"`
	Pair  int           `json:"pair"`
	Games [2]playedGame `json:"games"`
}

type playedGame struct {
	Moves   []int            `json:"moves"` // after the opening
	Outcome rules.Outcome    `json:"outcome"`
	Reason  rules.Reason     `json:"reason"`
	Elapsed [2]time.Duration `json:"elapsed"` // by colour
}

// moveIndexes returns the moves of a game from a ply on as moveIndexes among the legal moves.
func moveIndexes(g *rules.Game, from int) ([]int, error) {
	again := rules.NewGameFrom(g.Variant(), g.Start())
	all := []int{}
	for i, m := range g.Moves() {
		k := 0
		for k < len(again.Legal()) && again.Legal()[k] != m {
			k++
		}
		if err := again.Play(m); err != nil {
			return nil, err
		}
		if i >= from {
			all = append(all, k)
		}
	}
	return all, nil
}

// MatchConfig says how a hub of a match is reached and what it gives out.
type MatchConfig struct {
	Dir         string // of its token and certificate
	Listen      string // HOST:PORT
	Tokens      string // as of HubConfig
	Certificate string
	CertKey     string

	Order    MatchOrder        // the hub fills in versions and id
	Networks map[string][]byte // files that the descriptions name
	Version  string            // of the program
	Check    float64           // share of the pairs that the hub plays again; negative: none

	Note func(format string, args ...any)
	Warn func(format string, args ...any)
}

// MatchHub gives pairs of games of a match to workers on other machines, and takes their games. Every game is
// replayed by the rules; the first pairs of a worker and a share of the others are played again and compared.
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
	unassigned bool           // there are pairs that nobody has had
	returned   []int          // pairs whose worker is gone
	assigned   map[string]int // by worker and slot
	judging    map[int]bool   // pairs that have come and are looked at
	workers    map[string]*matchWorker
	finish     func(error) // ends Play
	judges     sync.WaitGroup
	done       chan<- arena.GameRecord
	ctx        context.Context
	names      [2]string
	players    chan [2]arena.Player // for playing pairs again
}

// matchWorker is what is known of a worker.
type matchWorker struct {
	turn    sync.Mutex // its results are looked at one after the other
	heard   time.Time
	pairs   int // taken
	checked int
}

// Bounds of a match.
const (
	checkedPairs    = 2 // of a new worker
	networkChunk    = 512 << 10
	maxMatchNetwork = 256 << 20
	maxSlots        = 1024
	requestPeriod   = 5 * time.Second
)

// NewMatchHub opens the hub. [MatchHub.Elsewhere] has a match played.
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
	h := &MatchHub{c: c, networks: map[string][]byte{}, assigned: map[string]int{}, judging: map[int]bool{}, workers: map[string]*matchWorker{}}
	o := c.Order
	o.Protocol, o.Rules, o.Version, o.Platform, o.ID = Protocol, rules.Version, c.Version, runtime.GOARCH, newSecret()
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

// Join is what a worker types behind "evaluate --join".
func (h *MatchHub) Join() string { return h.join }

// Close ends the hub.
func (h *MatchHub) Close() {
	if h.nc != nil {
		h.nc.Close()
	}
	h.server.close()
}

// Elsewhere returns what has the games of a match played by workers, for its field of that name. The
// players of the match play pairs again that are compared.
func (h *MatchHub) Elsewhere(m arena.Match) func(context.Context, <-chan int, chan<- arena.GameRecord) error {
	return func(ctx context.Context, games <-chan int, done chan<- arena.GameRecord) error {
		return h.play(ctx, m, games, done)
	}
}

func (h *MatchHub) play(ctx context.Context, m arena.Match, games <-chan int, done chan<- arena.GameRecord) error {
	players := make(chan [2]arena.Player, max(m.Concurrency, 1))
	for range cap(players) {
		a, err := m.A()
		if err != nil {
			return fmt.Errorf("player A: %w", err)
		}
		b, err := m.B()
		if err != nil {
			return fmt.Errorf("player B: %w", err)
		}
		h.names = [2]string{a.Name(), b.Name()}
		players <- [2]arena.Player{a, b}
	}
	defer func() {
		close(players)
		for both := range players {
			for _, p := range both {
				if c, ok := p.(io.Closer); ok {
					c.Close()
				}
			}
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	ended := errors.New("the match is over")
	h.mu.Lock()
	h.ctx, h.match, h.open, h.games, h.unassigned, h.done, h.players = ctx, m, true, games, true, done, players
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
	beats, err := h.nc.Subscribe(heartbeatSubject+"*", func(m *nats.Msg) { h.noteWorker(strings.TrimPrefix(m.Subject, heartbeatSubject)) })
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
	h.open = false // what comes now is answered: over
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

// hear notes that a worker is there.
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

// expire takes the pairs back of workers whose lease has ended.
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

// reassignPairs has the pairs of a worker given to others. The caller holds mu.
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
	h.c.Note("worker %s %s; %d pairs are given to others", name, why, n)
}

// over ends the match when nothing is left. The caller holds mu.
func (h *MatchHub) finishIfDone() {
	if h.open && !h.unassigned && len(h.returned) == 0 && len(h.assigned) == 0 && len(h.judging) == 0 {
		h.finish(nil)
	}
}

// answer answers a worker.
func (h *MatchHub) answerRequest(m *nats.Msg) {
	what, name, _ := strings.Cut(strings.TrimPrefix(m.Subject, matchSubject), ".")
	if !workerName.MatchString(name) || h.access.barredReason(name) != "" {
		return
	}
	respond := func(a any) {
		if text, err := json.Marshal(a); err == nil {
			m.Respond(text)
		}
	}
	switch what {
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
		if json.Unmarshal(m.Data, &q) == nil && q.Slot >= 0 && q.Slot < maxSlots && h.noteWorker(name) != nil {
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

// lend gives a worker a pair. A slot that asks again, because an answer was lost, gets the same.
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
		pair, h.returned = h.returned[0], h.returned[1:]
	default:
		first, ok := <-h.games
		if ok {
			_, ok = <-h.games // games come in order and in pairs
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

// take takes a result. It is looked at beside the answer.
func (h *MatchHub) acceptResult(w *matchWorker, name string, r *pairResult) pairAnswer {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := pairAnswer{Match: h.c.Order.ID, Pair: r.Pair}
	if !h.open || r.Match != a.Match {
		a.Over = true
		return a
	}
	key := fmt.Sprintf("%s/%d", name, r.Slot)
	if pair, ok := h.assigned[key]; !ok || pair != r.Pair {
		return a // it came before, or is given to another by now: once is enough
	}
	delete(h.assigned, key)
	h.judging[r.Pair] = true
	h.judges.Go(func() { h.judgeResult(w, name, r) })
	return a
}

// judge looks at a result and lets it count.
func (h *MatchHub) judgeResult(w *matchWorker, name string, r *pairResult) {
	w.turn.Lock()
	defer w.turn.Unlock()
	records, err := h.checkResult(w, r)
	if h.ctx.Err() != nil { // it ends; what is whole counts
		if err == nil {
			h.countPair(w, records)
		}
		return
	}
	h.mu.Lock()
	if err == nil && h.access.barredReason(name) != "" {
		err = errors.New("it is barred")
	}
	if err != nil {
		h.returned = append(h.returned, r.Pair)
		delete(h.judging, r.Pair)
		h.mu.Unlock()
		var own *localError
		if errors.As(err, &own) {
			h.finish(err)
			return
		}
		h.bar(name, err)
		if w.pairs > 0 {
			h.finish(fmt.Errorf("worker %s is barred (%w), and %d pairs of it were counted: play the match again without it", name, err, w.pairs))
		}
		return
	}
	h.mu.Unlock()
	h.countPair(w, records)
	h.mu.Lock()
	delete(h.judging, r.Pair)
	h.finishIfDone()
	h.mu.Unlock()
}

// count lets a pair count.
func (h *MatchHub) countPair(w *matchWorker, records [2]arena.GameRecord) {
	w.pairs++
	for _, g := range records {
		h.done <- g
	}
}

// localError is an error of this machine.
type localError struct{ error }

// look replays a result, and plays some of them again.
func (h *MatchHub) checkResult(w *matchWorker, r *pairResult) (records [2]arena.GameRecord, err error) {
	for i, g := range r.Games {
		if records[i], err = h.match.Replay(2*r.Pair+i, g.Moves, g.Outcome, g.Reason, h.names[0], h.names[1]); err != nil {
			return records, fmt.Errorf("%w: %w", ErrForged, err)
		}
		records[i].Elapsed = g.Elapsed
	}
	if h.c.Check < 0 || w.checked >= checkedPairs && rand.Float64() >= h.c.Check {
		return records, nil
	}
	w.checked++
	var p [2]arena.Player
	select {
	case p = <-h.players:
		defer func() { h.players <- p }()
	case <-h.ctx.Done():
		return records, &localError{h.ctx.Err()}
	}
	own, err := h.match.PlayPair(h.ctx, r.Pair, p[0], p[1])
	if err != nil {
		return records, &localError{err}
	}
	for i := range own {
		o, why := own[i].Game.Outcome()
		if arena.GameKey(own[i].Game) != arena.GameKey(records[i].Game) || o != r.Games[i].Outcome || why != r.Games[i].Reason {
			return records, fmt.Errorf("%w: game %d of the match is another when it is played again", ErrForged, 2*r.Pair+i+1)
		}
	}
	return records, nil
}

// bar keeps a worker out from now on.
func (h *MatchHub) bar(name string, why error) {
	what, connection, err := h.access.bar(name, plain.Text(why.Error()))
	if err != nil {
		h.c.Warn("the list of barred workers could not be written: %v", err)
	}
	h.c.Warn("%s is barred: %s", what, plain.Text(why.Error()))
	h.nc.Publish(noticeSubject+name, []byte("barred: "+plain.Text(why.Error())))
	h.nc.FlushTimeout(time.Second)
	if connection != 0 {
		h.server.server.DisconnectClientByID(connection)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reassignPairs(name, "is barred")
}
