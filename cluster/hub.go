package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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
	pending      []pendingGames
	waiting      map[string]bool // ids of pending games
	pendingBytes int             // memory of pending, about
	flushed      time.Time
}

// Limits of a hub.
const (
	maxPending      = 2048      // games that wait for a shard
	maxPendingBytes = 256 << 20 // memory of these games and their messages, about
	firstChecked    = 4         // games of a new worker that are all recomputed
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
