package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"damier/data"
	"damier/internal/plain"
	"damier/learner"
)

// HubConfig says how workers reach a hub and what it accepts. Listen or URL is given, not both.
// With neither, only this process can connect.
type HubConfig struct {
	Dir    string         // of the run
	Method learner.Method // that trains it

	Listen      string // HOST:PORT that the embedded server listens on
	Tokens      string // file of tokens; "" without Keys: a token is generated
	Keys        string // file of public nkeys
	Certificate string // PEM file; "": self-signed, if Listen is not the loopback
	CertKey     string // PEM file of its private key

	URL         string // of an external NATS cluster
	Credentials string // credentials file for it
	Replicas    int    // copies of each stream there; default 3

	Check     float64       // share of games with a recomputed search; default 0.02, negative: 0
	PerMinute float64       // limit of games per minute of a worker; default 20000
	Bytes     int64         // size of the stream of games; default 1 GB
	Age       time.Duration // unread games are dropped after it; default a week

	Version string // of the program
	Note    func(format string, args ...any)
	Warn    func(format string, args ...any)

	clock wallClock // only tests set it
}

func (c HubConfig) withDefaults() HubConfig {
	if c.Replicas == 0 && c.URL != "" {
		c.Replicas = 3
	}
	c.Replicas = max(c.Replicas, 1)
	if c.Check == 0 {
		c.Check = 0.02
	}
	if c.PerMinute == 0 {
		c.PerMinute = 20000
	}
	if c.Bytes == 0 {
		c.Bytes = 1 << 30
	}
	if c.Age == 0 {
		c.Age = 7 * 24 * time.Hour
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	if c.Warn == nil {
		c.Warn = c.Note
	}
	return c
}

// Hub connects the run in a folder with its workers. It is safe for concurrent use.
type Hub struct {
	c      HubConfig
	dir    string // of the hub, inside the run's folder
	remote *learner.Remote
	access *access   // with an external cluster: the barred workers only, no keys
	server *embedded // nil with an external cluster
	nc     *nats.Conn
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	store  jetstream.ObjectStore
	join   string // what workers type after --join

	decoder *batchDecoder
	ledger  *ledger

	mu          sync.Mutex
	judge       *judge
	networks    []network // the latest: most games were played with one of them
	order       *posted
	orderPosted time.Time // when the order was posted
	status      Status
	workers     map[string]*worker
	recent      []gameCount // games accepted in the last minute

	received atomic.Int64 // messages received

	// The goroutine of Run alone uses these fields.
	pending []pendingGames
	waiting map[string]bool // ids of pending games
	flushed time.Time
}

// worker is what a hub knows about one of its workers.
type worker struct {
	WorkerStatus
	heard     time.Time // last heartbeat
	order     string
	lagOf     string    // order that Lag was measured for
	allowance float64   // number of games it may send now
	refilled  time.Time // when allowance was last increased
	seen      int64     // good games in this session: the first ones are all recomputed
}

// network is the file of a network, named by its SHA-256.
type network struct {
	name string
	file []byte
}

// gameCount is a number of games accepted at a time.
type gameCount struct {
	at    time.Time
	games int
}

// pendingGames are the good games of a message. They wait for the next shard.
type pendingGames struct {
	message jetstream.Msg
	worker  string
	games   []data.Game
}

// Limits of a hub.
const (
	maxPending      = 2048 // games that wait for a shard
	firstChecked    = 4    // games of a new worker that are all recomputed
	maxWorkers      = 100_000
	fetchBatch      = 64 // messages
	ackWait         = 30 * time.Second
	duplicateWindow = 2 * time.Minute
)

// NewHub opens the run and connects. [Hub.Run] does the work.
func NewHub(ctx context.Context, c HubConfig) (*Hub, error) {
	h := &Hub{
		c: c.withDefaults(), dir: filepath.Join(c.Dir, "cluster"),
		workers: map[string]*worker{}, waiting: map[string]bool{}, flushed: time.Now(),
	}
	var err error
	if h.remote, err = learner.OpenRemote(ctx, c.Dir, c.Method); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return nil, err
	}
	if h.ledger, err = openLedger(h.dir, h.remote.Games); err != nil {
		return nil, err
	}
	h.status.GamesAccepted = h.ledger.Games
	if h.decoder, err = newBatchDecoder(h.remote.Variant); err != nil {
		return nil, err
	}
	fetch := func(ctx context.Context, name string) ([]byte, error) {
		for _, n := range h.networks { // the caller holds mu
			if n.name == name {
				return n.file, nil
			}
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return readNetwork(ctx, h.js, name)
	}
	h.judge = newJudge(h.remote.Variant, h.c.Method, fetch)
	h.judge.tables = h.remote.Tables
	if err := h.connect(); err != nil {
		h.Close()
		return nil, err
	}
	if h.js, err = jetstream.New(h.nc); err != nil {
		h.Close()
		return nil, err
	}
	if h.server == nil {
		return h, nil // an external cluster may be unreachable for a while: Run waits for it
	}
	if err := h.open(ctx); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// connect connects to the external cluster, or starts the embedded server.
func (h *Hub) connect() error {
	options := []nats.Option{
		nats.Name("damier hub"), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
	}
	var err error
	if h.c.URL != "" {
		if h.c.Credentials != "" {
			options = append(options, nats.UserCredentials(h.c.Credentials))
		}
		options = append(options, nats.CustomInboxPrefix(inbox(hubUser)), nats.RetryOnFailedConnect(true))
		if h.nc, err = nats.Connect(h.c.URL, options...); err != nil {
			return fmt.Errorf("the NATS cluster %s: %w", h.c.URL, err)
		}
		h.join = h.c.URL + " --credentials FILE"
		h.access, err = openBarred(h.dir)
		return err
	}
	h.server, h.access, h.join, err = startServer(hostConfig{
		dir: h.dir, listen: h.c.Listen, tokens: h.c.Tokens, keys: h.c.Keys,
		certificate: h.c.Certificate, certKey: h.c.CertKey,
		store: h.c.Bytes + 2<<30,
	})
	if err != nil {
		return err
	}
	h.nc, err = h.server.connect(h.access, options...)
	return err
}

// Join returns what a worker types after "selfplay --join", "" if the server has no port.
func (h *Hub) Join() string { return h.join }

// open creates the streams and buckets if they are missing, and reads the orders in them.
func (h *Hub) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: gamesStream, Subjects: []string{gamesSubject + "*"},
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
		Storage:  jetstream.FileStorage,
		MaxBytes: h.c.Bytes, MaxAge: h.c.Age, MaxMsgSize: maxMessage,
		Duplicates: duplicateWindow, Replicas: h.c.Replicas, MaxConsumers: 4,
	}); err != nil {
		return fmt.Errorf("stream of games: %w", err)
	}
	kv, err := h.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucket, History: keptOrders, Replicas: h.c.Replicas, MaxBytes: 64 << 20,
	})
	if err != nil {
		return fmt.Errorf("bucket of orders: %w", err)
	}
	store, err := h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: bucket, Replicas: h.c.Replicas, MaxBytes: 1 << 30,
	})
	if err != nil {
		return fmt.Errorf("store of networks: %w", err)
	}
	// Delete the consumer of a hub that was killed: it would hold back the messages it had fetched
	// until their acknowledgement timeout.
	err = h.js.DeleteConsumer(ctx, gamesStream, consumer)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("consumer of games: %w", err)
	}
	if _, err := h.js.CreateOrUpdateConsumer(ctx, gamesStream, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: max(ackWait, 3*h.remote.Period), MaxAckPending: 4096,
	}); err != nil {
		return fmt.Errorf("consumer of games: %w", err)
	}
	old, err := kv.History(ctx, orderKey)
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return fmt.Errorf("orders: %w", err)
	}
	for _, e := range old {
		if p, err := parseOrder(e.Value()); err == nil && p.Variant == h.remote.Variant.Name {
			h.mu.Lock()
			h.judge.addOrder(p)
			h.order = p
			h.mu.Unlock()
		}
	}
	if h.kv == nil { // keep the first handles: other goroutines use them
		h.kv = kv
		h.store = store
	}
	return nil
}

// Run works until the context is done or an error is permanent. Games are then either on the disk
// or still with the server.
func (h *Hub) Run(ctx context.Context) error {
	for warned := false; h.kv == nil || h.store == nil; {
		err := h.open(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !warned {
			h.c.Warn("the NATS cluster %s is not ready (%v); the hub tries again", h.c.URL, err)
			warned = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	for subject, handler := range map[string]nats.MsgHandler{
		heartbeatSubject + "*": h.takeHeartbeat, statusSubject: h.answerStatus,
	} {
		s, err := h.nc.Subscribe(subject, handler)
		if err != nil {
			return err
		}
		defer s.Unsubscribe()
	}
	var orders sync.WaitGroup
	inner, cancel := context.WithCancel(ctx)
	defer orders.Wait()
	defer cancel()
	orders.Go(func() { h.postOrders(inner) })
	if h.server != nil {
		orders.Go(func() { h.watchServer(inner) })
	}
	return h.takeGames(ctx)
}

// Close closes the connection and the embedded server. The server keeps the games that are not yet
// in a shard.
func (h *Hub) Close() {
	if h.nc != nil {
		h.nc.Close()
	}
	if h.server != nil {
		h.server.close()
	}
}

// watchServer restarts the embedded server when it has dropped its streams or a stream accepts no
// messages: a full disk causes both, and neither recovers when there is space again.
func (h *Hub) watchServer(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	failures, seen := 0, int64(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := h.received.Load(); now != seen { // messages arrive
			seen = now
			failures = 0
		} else if h.probe(ctx) == nil {
			failures = 0
		} else {
			failures++
		}
		if ctx.Err() != nil || h.server.healthy() && failures < 3 {
			continue
		}
		failures = 0
		h.c.Warn("the embedded NATS server accepts no games, perhaps because of a full disk; it is restarted")
		h.server.close()
		if err := h.server.start(); err != nil {
			h.c.Warn("%v", err)
		}
	}
}

// probe sends a message without games through the stream of games. A stream at its size limit is
// healthy.
func (h *Hub) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := h.js.Publish(ctx, gamesSubject+hubUser, nil, jetstream.WithRetryAttempts(0))
	if err != nil && strings.Contains(err.Error(), "maximum bytes exceeded") {
		return nil
	}
	return err
}

// postOrders publishes an order whenever the run has a new network or stage.
func (h *Hub) postOrders(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	var failed error
	for {
		if h.canPostOrder(ctx) && h.remote.Changed() {
			err := h.postNewOrder(ctx)
			if err != nil && ctx.Err() == nil && (failed == nil || failed.Error() != err.Error()) {
				h.c.Warn("the network could not be sent to the workers; the hub tries again: %v", err)
			}
			failed = err
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// canPostOrder reports whether a new order can be kept without dropping one whose games are still
// on their way.
func (h *Hub) canPostOrder(ctx context.Context) bool {
	h.mu.Lock()
	full := len(h.judge.orders) >= keptOrders
	early := full && time.Since(h.judge.orders[0].replaced) < orderGrace
	stamped := full && h.judge.orders[0].last != 0
	h.mu.Unlock()
	if !full || early || stamped && !h.remote.Changed() { // no need to ask the server
		return !full
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := h.js.Stream(ctx, gamesStream)
	if err != nil {
		return false
	}
	state := s.CachedInfo().State
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.judge.canDropOldest(state.FirstSeq, state.LastSeq)
}

// postNewOrder publishes the run's current network and stage.
func (h *Hub) postNewOrder(ctx context.Context) error {
	o, file, err := h.remote.Order()
	if err == nil {
		err = h.publishOrder(ctx, o, file)
	}
	if err != nil {
		h.remote.Forget()
	}
	return err
}

// publishOrder publishes an order with its network, unless it is the current order already.
func (h *Hub) publishOrder(ctx context.Context, o learner.Order, file []byte) error {
	h.mu.Lock()
	if !slices.ContainsFunc(h.networks, func(n network) bool { return n.name == o.Network }) {
		h.networks = append(h.networks, network{o.Network, file})
		h.networks = h.networks[max(0, len(h.networks)-keptNetworks):]
	}
	p := &posted{Protocol: Protocol, Version: h.c.Version, Serial: 1, Order: o}
	if h.order != nil {
		if h.order.id() == p.id() {
			h.mu.Unlock()
			return nil
		}
		p.Serial = h.order.Serial + 1
	}
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := h.store.GetInfo(ctx, o.Network); err != nil {
		if _, err := h.store.PutBytes(ctx, o.Network, file); err != nil {
			return fmt.Errorf("network: %w", err)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := h.kv.Put(ctx, orderKey, text); err != nil {
		return fmt.Errorf("order: %w", err)
	}
	h.mu.Lock()
	h.order = p
	h.orderPosted = time.Now()
	gone := h.judge.addOrder(p)
	h.mu.Unlock()
	if err := h.nc.Publish(announceSubject, text); err != nil {
		return err
	}
	for _, name := range gone {
		if err := h.store.Delete(ctx, name); err != nil {
			h.c.Warn("network %s could not be deleted from the store: %v", name, err)
		}
	}
	return nil
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
	if len(h.waiting) >= maxPending {
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
	head, games, err := h.decoder.decode(m.Data())
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
	for i := range checked.good {
		h.waiting[checked.good[i].ID] = true
	}
	// A message without a good game may repeat games that still wait for a shard, so it too is
	// acknowledged only after the next shard is written.
	h.pending = append(h.pending, pendingGames{message: m, worker: name, games: checked.good})
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
	for i := range games {
		g := &games[i]
		id, err := parseID(g.game.ID)
		if err != nil {
			return c, fmt.Errorf("%w: %w", ErrForged, err)
		}
		if h.ledger.has(id.actor, id.number) || h.waiting[g.game.ID] {
			c.duplicates++
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
		c.good = append(c.good, g.game)
	}
	return c, nil
}

// flushDue reports whether it is time to write a shard.
func (h *Hub) flushDue() bool {
	full := len(h.waiting) >= maxPending
	return len(h.pending) > 0 && (full || time.Since(h.flushed) >= h.remote.Period)
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
			h.pending = nil
			h.waiting = map[string]bool{}
			return fmt.Errorf("%d games of workers could not be written; the server keeps them: %w", len(games), err)
		}
	}
	var failed error
	for i := range h.pending {
		failed = errors.Join(failed, h.pending[i].message.Ack())
	}
	h.pending = nil
	h.waiting = map[string]bool{}
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
	w.order = b.Order
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

// has reports whether a game is on the disk.
func (h *Hub) has(n gameName) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ledger.has(n.actor, n.number)
}
