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
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"damier/arena"
	"damier/data"
	"damier/internal/plain"
	"damier/rules"
)

// MatchWorker plays pairs of the matches of a hub, one match after the other.
type MatchWorker struct {
	Access  Access
	Name    string // unique: [WorkerName] makes one
	Games   int    // number of games at the same time
	Version string // of the program

	// Make makes the match of an order. networks has the content of the network files, by the
	// names in the descriptions of the players.
	Make func(ctx context.Context, o MatchOrder, networks map[string][]byte) (arena.Match, error)

	Note func(format string, args ...any)

	nc     *nats.Conn
	pairs  atomic.Int64 // that the hub has accepted
	notice chan string  // from the hub: the reason why this worker is barred
	over   chan string  // ids of matches that have ended
}

// Run plays until the context is done or the hub bars this worker.
func (w *MatchWorker) Run(ctx context.Context) error {
	w.notice = make(chan string, 1)
	w.over = make(chan string, 16)
	var err error
	if w.nc, err = w.Access.connect(w.Name); err != nil {
		return err
	}
	defer w.nc.Close()
	for subject, texts := range map[string]chan string{
		noticeSubject + w.Name: w.notice, announceSubject: w.over,
	} {
		if _, err := w.nc.Subscribe(subject, func(m *nats.Msg) {
			select {
			case texts <- plain.Text(string(m.Data)):
			default:
			}
		}); err != nil {
			return err
		}
	}
	waitingNoted, last := false, ""
	failed := "" // id of the match whose networks could not be fetched, as noted
	for {
		o, err := w.fetchOrder(ctx)
		if err == nil && o.ID != last {
			if err := o.check(w.Version); err != nil {
				return err
			}
			waitingNoted = false
			networks, err := w.fetchNetworks(ctx, o)
			if err == nil {
				last = o.ID
				if err := w.playMatch(ctx, o, networks); err != nil {
					return err
				}
			} else if failed != o.ID && ctx.Err() == nil {
				w.Note("the networks of the match could not be fetched (%v); this worker tries again", err)
				failed = o.ID
			}
		} else if !waitingNoted {
			w.Note("no match is played at %s now; waiting", w.Access.URL)
			waitingNoted = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case notice := <-w.notice:
			return fmt.Errorf("%w: %s", ErrBarred, notice)
		case <-w.over:
		case <-time.After(time.Second):
		}
		if w.nc.IsClosed() {
			return fmt.Errorf("%w: %s", ErrAccess, w.Access.URL)
		}
	}
}

// matchIsPlayed reports whether the hub is one of a match.
func matchIsPlayed(ctx context.Context, nc *nats.Conn, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, matchSubject+"order."+name, nil)
	var o MatchOrder
	return err == nil && json.Unmarshal(m.Data, &o) == nil && o.ID != ""
}

// request sends a request to the hub and returns the reply. It fails if the hub does not reply in
// time.
func (w *MatchWorker) request(ctx context.Context, name string, q any) ([]byte, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestPeriod)
	defer cancel()
	m, err := w.nc.RequestWithContext(ctx, matchSubject+name+"."+w.Name, text)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// fetchOrder fetches the order of the match that is being played.
func (w *MatchWorker) fetchOrder(ctx context.Context) (o MatchOrder, err error) {
	text, err := w.request(ctx, "order", nil)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	return o, err
}

// fetchNetworks fetches the network files of a match, by the names in its order.
func (w *MatchWorker) fetchNetworks(ctx context.Context, o MatchOrder) (map[string][]byte, error) {
	networks := map[string][]byte{}
	for name, sum := range o.Networks {
		file, err := w.fetchNetwork(ctx, sum)
		if err != nil {
			return nil, err
		}
		networks[name] = file
	}
	return networks, nil
}

// fetchNetwork fetches a network file chunk by chunk and checks its SHA-256.
func (w *MatchWorker) fetchNetwork(ctx context.Context, sum string) ([]byte, error) {
	var file []byte
	for len(file) < maxMatchNetwork {
		part, err := w.request(ctx, "network", map[string]any{"sum": sum, "from": len(file)})
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			return file, verifySum(file, sum)
		}
		file = append(file, part...)
	}
	return nil, fmt.Errorf("network %s: it is longer than %d bytes", plain.Text(sum), maxMatchNetwork)
}

// verifySum returns an error if the SHA-256 of file is not sum.
func verifySum(file []byte, sum string) error {
	if got := sha256.Sum256(file); hex.EncodeToString(got[:]) != sum {
		return fmt.Errorf("%w: a network has the SHA-256 %x, but %s was announced",
			data.ErrDamaged, got, plain.Text(sum))
	}
	return nil
}

// playMatch plays pairs of a match until it is over or the context is done.
func (w *MatchWorker) playMatch(ctx context.Context, o MatchOrder, networks map[string][]byte) error {
	m, err := w.Make(ctx, o, networks)
	if err != nil {
		return err
	}
	w.Note("%s: %s against %s, %d games at a time", m.Variant, plain.Text(o.A), plain.Text(o.B), w.Games)
	before := w.pairs.Load()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := errors.New("the match is over")
	go func() { // sends heartbeats and listens for the end
		tick := time.NewTicker(heartbeatPeriod)
		defer tick.Stop()
		host, _ := os.Hostname()
		for {
			sendHeartbeat(w.nc, w.Name, heartbeat{
				Protocol: Protocol, Rules: rules.Version, Host: host, Version: w.Version,
				Platform: runtime.GOARCH, Actors: w.Games, Order: o.ID, Time: wallClock(nil).seconds(),
			})
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case id := <-w.over:
				if id == o.ID {
					cancel(ended)
				}
			case notice := <-w.notice:
				cancel(fmt.Errorf("%w: %s", ErrBarred, notice))
			}
		}
	}()
	var slots sync.WaitGroup
	for i := range w.Games {
		slots.Go(func() {
			if err := w.playSlot(ctx, i, o.ID, m); err != nil {
				cancel(err)
			} else {
				cancel(ended)
			}
		})
	}
	slots.Wait()
	w.nc.Publish(matchSubject+"leave."+w.Name, nil)
	w.nc.FlushTimeout(time.Second)
	w.Note("the hub accepted %d pairs of this machine", w.pairs.Load()-before)
	if err := context.Cause(ctx); !errors.Is(err, ended) && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// playSlot plays one pair after the other. It returns nil when the match is over.
func (w *MatchWorker) playSlot(ctx context.Context, slot int, id string, m arena.Match) error {
	a, err := m.A()
	if err != nil {
		return fmt.Errorf("player A: %w", err)
	}
	b, err := m.B()
	if err != nil {
		return fmt.Errorf("player B: %w", err)
	}
	for _, p := range []arena.Player{a, b} {
		if c, ok := p.(io.Closer); ok {
			defer c.Close()
		}
	}
	pause := func(d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	for ctx.Err() == nil {
		text, err := w.request(ctx, "pair", map[string]any{"match": id, "slot": slot})
		var q pairAnswer
		if err == nil {
			err = json.Unmarshal(text, &q)
		}
		switch {
		case err != nil:
			pause(time.Second)
			continue
		case q.Over:
			return nil
		case q.Wait:
			pause(500 * time.Millisecond)
			continue
		}
		r, err := playPair(ctx, m, &q, a, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("pair %d: %w", q.Pair, err)
		}
		r.Match = id
		r.Slot = slot
		for ctx.Err() == nil {
			text, err := w.request(ctx, "done", r)
			var got pairAnswer
			if err == nil && json.Unmarshal(text, &got) == nil {
				if got.Over {
					return nil
				}
				w.pairs.Add(1)
				break
			}
			pause(time.Second)
		}
	}
	return ctx.Err()
}

// playPair plays the two games of a pair.
func playPair(ctx context.Context, m arena.Match, q *pairAnswer, a, b arena.Player) (*pairResult, error) {
	m.Openings = nil
	prefix := 0
	if q.Opening != nil {
		start, err := rules.ParseFEN(m.Variant, q.Opening.Start)
		if err != nil {
			return nil, fmt.Errorf("its opening: %w", err)
		}
		g := rules.NewGameFrom(m.Variant, start)
		for _, k := range q.Opening.Moves {
			if k < 0 || k >= len(g.Legal()) {
				return nil, errors.New("its opening has a move that is not legal")
			}
			if err := g.Play(g.Legal()[k]); err != nil {
				return nil, fmt.Errorf("its opening: %w", err)
			}
		}
		m.Openings = []arena.Opening{{Start: start, Moves: g.Moves()}}
		prefix = g.Ply()
	}
	games, err := m.PlayPair(ctx, q.Pair, a, b)
	if err != nil {
		return nil, err
	}
	r := &pairResult{Pair: q.Pair}
	for i, g := range games {
		p := &r.Games[i]
		p.Outcome, p.Reason = g.Game.Outcome()
		p.Elapsed = g.Elapsed
		if p.Moves, err = moveIndexes(g.Game, prefix); err != nil {
			return nil, err
		}
	}
	return r, nil
}
