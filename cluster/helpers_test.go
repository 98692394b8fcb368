package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"damier/data"
	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
	"damier/rules"
)

// newRun makes a run in a new folder. It has no learner: its workers play with the initial
// weights.
func newRun(t testing.TB, set map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	all := map[string]string{"limits.shard_period": "0.2", "selfplay.max_plies": "60"}
	for k, v := range set {
		all[k] = v
	}
	run, err := learner.Open(dir, sparse.Method{}, settings.Sources{Preset: "tiny", Set: all})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startHub runs a hub until the test ends or stop is called.
func startHub(t testing.TB, c HubConfig) (h *Hub, stop func()) {
	t.Helper()
	c.Note, c.Warn = t.Logf, t.Logf
	h, err := NewHub(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("hub: %v", err)
		}
		h.Close()
	}
	t.Cleanup(stop)
	return h, stop
}

// accessTo parses what a worker of the hub types.
func accessTo(h *Hub) Access {
	words := strings.Fields(h.Join())
	a := Access{URL: words[0]}
	for i := 1; i+1 < len(words); i += 2 {
		switch words[i] {
		case "--token-file":
			a.TokenFile = words[i+1]
		case "--fingerprint":
			a.Fingerprint = words[i+1]
		}
	}
	return a
}

// wait waits until the hub's status is as wanted.
func wait(t testing.TB, h *Hub, what string, wanted func(Status) bool) Status {
	t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		s := h.Status()
		if wanted(s) {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s: %+v", what, s)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// accepted reads the games of the hub's shards and checks that each is there once.
func accepted(t testing.TB, dir string) map[string]data.Game {
	t.Helper()
	names, err := data.Shards(filepath.Join(dir, "games"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]data.Game{}
	for _, name := range names {
		games, err := data.ReadShard(filepath.Join(dir, "games", name), rules.International)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range games {
			if _, twice := all[g.ID]; twice {
				t.Errorf("game %s is there twice", g.ID)
			}
			all[g.ID] = g
		}
	}
	return all
}

// intruder is a connection with the permissions of a worker.
type intruder struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	name    string
	notices chan string
}

func newIntruder(t testing.TB, a Access, name string) *intruder {
	t.Helper()
	nc, err := a.connect(name, nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	x := &intruder{nc: nc, name: name, notices: make(chan string, 4)}
	if x.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Subscribe(noticeSubject+name, func(m *nats.Msg) { x.notices <- string(m.Data) }); err != nil {
		t.Fatal(err)
	}
	return x
}

// put publishes a message of games.
func (x *intruder) put(t testing.TB, id string, message []byte) {
	t.Helper()
	err := publishUntilAcked(t.Context(), x.js, x.name, id, message, nil)
	// The hub may bar the worker before the acknowledgement arrives.
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		t.Fatal(err)
	}
}

// record plays games by the hub's order as a worker does, and returns them without sending them.
func record(t testing.TB, h *Hub, name string, games int) (*Worker, []played) {
	t.Helper()
	w := &Worker{Method: sparse.Method{}, Access: accessTo(h), Name: name, Actors: 1, Games: games}
	if err := w.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.nc.Close()
	w.queue = make(chan played, games)
	if err := w.runActors(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(w.queue)
	var all []played
	for p := range w.queue {
		all = append(all, p)
	}
	return w, all
}
