package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"damier/data"
	"damier/egdb"
	"damier/internal/plain"
	"damier/internal/shell"
	"damier/learner"
	"damier/rules"
	"damier/selfplay"
)

// ErrBarred is wrapped by the error of a worker that the hub has barred.
var ErrBarred = errors.New("the hub has barred this worker")

// Worker plays games for a run on another machine.
type Worker struct {
	Access  Access
	Method  learner.Method // of training, whose networks it plays with
	Name    string         // unique: [WorkerName] makes one
	Actors  int            // goroutines that play
	Games   int            // stop after this many; 0: play on
	Version string         // of the program

	// Tables says where this machine's endgame tables are, for a run that needs them: "on" for the
	// user's folder, or another folder.
	Tables string

	// Progress, if not nil, is called every few seconds. Note, if not nil, gets messages for
	// people.
	Progress func(Progress)
	Note     func(format string, args ...any)

	clock        wallClock      // only tests set it
	acknowledged func([]played) // tests only: called for games that the server has on its disk

	nc      *nats.Conn
	js      jetstream.JetStream
	kv      jetstream.KeyValue
	variant *rules.Variant
	shelf   egdb.Shelf
	current atomic.Pointer[loadedOrder] // what new moves are played with

	queue    chan played
	begun    time.Time
	stats    selfplay.Stats
	mu       sync.Mutex // guards stats
	finished atomic.Int64
	acked    atomic.Int64
	notice   atomic.Pointer[string] // from the hub
}

// loadedOrder is an order and its network.
type loadedOrder struct {
	*posted
	name    string
	network learner.Network
	tables  *egdb.Tables // nil for none
}

// Progress is what a worker has done so far.
type Progress struct {
	Finished, Acknowledged int64 // games
	Stats                  selfplay.Stats
	Seconds                float64
	Generation             int
}

// Limits of a worker.
const (
	batchGames  = 32 // in a message
	batchBytes  = maxMessage - 8192
	batchPeriod = 2 * time.Second  // a finished game waits no longer before it is sent
	flushPeriod = 15 * time.Second // time to send finished games when the worker stops
)

// WorkerName returns a new random name. With a label it is a name for the key with that label.
func WorkerName(label string) string {
	b := make([]byte, 4)
	rand.Read(b)
	if label != "" {
		return label + "_" + hex.EncodeToString(b)
	}
	return "w" + hex.EncodeToString(b)
}

func (w *Worker) note(format string, args ...any) {
	if w.Note != nil {
		w.Note(format, args...)
	}
}

// Run plays until all Games are played or the context is done. It then sends the finished games
// and drops the unfinished ones. While the hub is away for a while, it plays on.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	defer w.nc.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s, err := w.nc.Subscribe(noticeSubject+w.Name, func(m *nats.Msg) {
		text := plain.Text(string(m.Data))
		if w.notice.CompareAndSwap(nil, &text) {
			cancel(fmt.Errorf("%w: %s", ErrBarred, text))
		}
	})
	if err != nil {
		return err
	}
	defer s.Unsubscribe()
	announced := make(chan []byte, 16)
	s, err = w.nc.Subscribe(announceSubject, func(m *nats.Msg) {
		select {
		case announced <- m.Data:
		default: // the queue is full; followOrders reads the bucket soon
		}
	})
	if err != nil {
		return err
	}
	defer s.Unsubscribe()
	var background sync.WaitGroup
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	background.Go(func() { w.followOrders(inner, announced, cancel) })
	background.Go(func() { w.sendHeartbeats(inner) })
	sent := make(chan error, 1)
	go func() { sent <- w.sendBatches(ctx, cancel) }()

	failed := w.runActors(ctx)
	close(w.queue)
	err = <-sent
	stop()
	background.Wait()
	cause := context.Cause(ctx)
	for _, permanent := range []error{ErrBarred, ErrVersion, ErrTables, ErrAccess} {
		if errors.Is(cause, permanent) {
			return cause
		}
	}
	return errors.Join(failed, err)
}

// open connects and waits for the first order.
func (w *Worker) open(ctx context.Context) error {
	disconnected := nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
		if err != nil {
			w.note("the connection to the hub is broken (%v); this worker plays on and connects again", err)
		}
	})
	reconnected := nats.ReconnectHandler(func(*nats.Conn) { w.note("the hub is connected again") })
	var err error
	if w.nc, err = w.Access.connect(w.Name, disconnected, reconnected); err != nil {
		return err
	}
	if w.js, err = jetstream.New(w.nc); err != nil {
		return err
	}
	w.begun = time.Now()
	w.queue = make(chan played, 2*batchGames)
	for noted := false; ; {
		err := w.takeFirstOrder(ctx)
		if err == nil {
			return nil
		}
		permanent := errors.Is(err, ErrVersion) || errors.Is(err, ErrTables) || errors.Is(err, data.ErrDamaged)
		if ctx.Err() != nil || permanent {
			w.nc.Close()
			return err
		}
		if matchIsPlayed(ctx, w.nc, w.Name) {
			w.nc.Close()
			return fmt.Errorf("%s: the hub plays a match, not a run: type evaluate --join instead of selfplay --join",
				w.Access.URL)
		}
		if !noted {
			w.note("%s has no run yet (%v); waiting", w.Access.URL, err)
			noted = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// takeFirstOrder reads the current order and takes it.
func (w *Worker) takeFirstOrder(ctx context.Context) error {
	inner, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var err error
	if w.kv, err = w.js.KeyValue(inner, bucket); err != nil {
		return err
	}
	p, err := readOrder(inner, w.kv)
	if err != nil {
		return err
	}
	return w.takeOrder(ctx, p)
}

// takeOrder checks an order, fetches its network and makes it the current order.
func (w *Worker) takeOrder(ctx context.Context, p *posted) error {
	h := header{Protocol: p.Protocol, Rules: p.Rules, Variant: p.Variant, Options: p.Options}
	v, err := p.Lookup()
	if err != nil {
		return fmt.Errorf("%w: this program does not know the variant of the run (%v): install Damier %s",
			ErrVersion, err, p.Version)
	}
	h.Variant = v.Name
	h.Options = v.Options.String()
	if err := h.check(v); err != nil {
		return fmt.Errorf("%w; the hub has %s", err, p.Version)
	}
	if err := p.SelfPlay.Validate(); err != nil {
		return fmt.Errorf("%w: the run's settings (%w): install Damier %s", ErrVersion, err, p.Version)
	}
	if w.variant != nil && w.variant.String() != v.String() {
		return fmt.Errorf("%w: the run is now of %s, but was of %s: join again", ErrVersion, v, w.variant)
	}
	now := w.current.Load()
	if now != nil && (now.Run != p.Run || now.Seed != p.Seed) {
		return fmt.Errorf("%w: the hub now serves run %s, but this worker plays for %s: join again",
			ErrVersion, p.Run, now.Run)
	}
	next := &loadedOrder{posted: p, name: p.id()}
	switch {
	case now != nil && now.name == next.name:
		return nil
	case now != nil && now.Network == p.Network && now.Model == p.Model:
		next.network = now.network
	default:
		inner, end := context.WithTimeout(ctx, time.Minute)
		file, err := readNetwork(inner, w.js, p.Network)
		end()
		if err != nil {
			return err
		}
		if next.network, err = p.Decode(w.Method, file); err != nil {
			return err
		}
	}
	if next.tables, err = w.openTables(ctx, v, p); err != nil {
		return err
	}
	if w.variant == nil {
		w.variant = v
	}
	w.current.Store(next)
	return nil
}

// ErrTables is wrapped by the error of a worker that lacks the endgame tables of the run.
var ErrTables = errors.New("this machine does not have the endgame tables of the run")

// openTables opens the endgame tables of an order, nil for none. It uses no other tables of this
// machine, because all workers must play with the same tables.
func (w *Worker) openTables(ctx context.Context, v *rules.Variant, p *posted) (*egdb.Tables, error) {
	if len(p.Tables) == 0 {
		return nil, nil
	}
	var materials []egdb.Material
	pieces := 0
	for _, text := range p.Tables {
		m, err := egdb.ParseMaterial(text)
		if err != nil {
			return nil, fmt.Errorf("%w: the order of the run: %w", ErrVersion, err)
		}
		materials = append(materials, m)
		pieces = max(pieces, m.Pieces())
	}
	setting := cmp.Or(w.Tables, egdb.On)
	all, err := w.shelf.Tables(ctx, setting, v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTables, err)
	}
	why := errors.New("they are switched off")
	if all != nil {
		some, err := all.Only(materials)
		if err == nil {
			return some, nil
		}
		why = err
	}
	options := ""
	if text := v.Options.String(); text != "" {
		options = " --options " + text
	}
	where := ""
	if setting != egdb.On && setting != egdb.Off {
		where = " --egdb " + shell.Word(setting)
	}
	return nil, fmt.Errorf("%w (%w): make them with \"damier egdb build --variant %s%s --pieces %d%s\", "+
		"or copy the folder of tables from a machine that has them and name it with --egdb",
		ErrTables, why, v.Name, options, pieces, where)
}

// followOrders takes new orders as they are announced. Every 10 s it also reads the bucket,
// because announcements are lost while the connection is broken.
func (w *Worker) followOrders(ctx context.Context, announced <-chan []byte, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		var p *posted
		var err error
		select {
		case <-ctx.Done():
			return
		case text := <-announced:
			p, err = parseOrder(text)
		case <-tick.C:
			inner, end := context.WithTimeout(ctx, 10*time.Second)
			p, err = readOrder(inner, w.kv)
			end()
		}
		if err == nil {
			err = w.takeOrder(ctx, p)
		}
		if errors.Is(err, ErrVersion) || errors.Is(err, ErrTables) {
			cancel(err)
			return
		}
		if err == nil {
			w.sendHeartbeat()
		}
	}
}

// sendHeartbeats sends a heartbeat and calls Progress every few seconds.
func (w *Worker) sendHeartbeats(ctx context.Context) {
	tick := time.NewTicker(heartbeatPeriod)
	defer tick.Stop()
	w.sendHeartbeat()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.sendHeartbeat()
			if w.Progress != nil {
				w.Progress(w.progress())
			}
		}
	}
}

// Done returns what the worker has done. Call it after Run.
func (w *Worker) Done() Progress {
	if w.current.Load() == nil {
		return Progress{}
	}
	return w.progress()
}

// progress returns what the worker has done so far.
func (w *Worker) progress() Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Progress{
		Finished: w.finished.Load(), Acknowledged: w.acked.Load(), Stats: w.stats,
		Seconds: time.Since(w.begun).Seconds(), Generation: w.current.Load().Generation,
	}
}

// sendHeartbeat sends a heartbeat.
func (w *Worker) sendHeartbeat() {
	finished, acked := w.finished.Load(), w.acked.Load()
	host, _ := os.Hostname()
	sendHeartbeat(w.nc, w.Name, heartbeat{
		Protocol: Protocol, Rules: rules.Version, Host: host, Version: w.Version, Platform: runtime.GOARCH,
		Actors: w.Actors, Order: w.current.Load().name, Time: w.clock.seconds(),
		PerMinute: float64(finished) / max(time.Since(w.begun).Minutes(), 1e-3), Waiting: int(finished - acked),
	})
}
