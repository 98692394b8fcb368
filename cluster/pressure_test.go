package cluster

import (
	"context"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nats-io/nats.go/jetstream"

	"damier/data"
	"damier/learner"
	"damier/learner/sparse"
	"damier/rules"
)

// sized is a message of some bytes.
type sized struct {
	jetstream.Msg
	bytes []byte
}

func (s sized) Data() []byte { return s.bytes }

// Few games with large trees are as much reason to write a shard as many games are, and so are
// messages without a good game.
func TestPendingBytes(t *testing.T) {
	if a, b := unsafe.Sizeof(data.Ply{}), unsafe.Sizeof(data.Node{}); a > plyBytes || b+1 > positionBytes {
		t.Errorf("a ply has %d bytes, a position %d", a, b)
	}
	if n := unsafe.Sizeof(rules.Move{}) + 2 + 4 + 4; n > moveBytes {
		t.Errorf("a move has %d bytes", n)
	}
	large := data.Game{ID: "large"}
	tree := make([]data.Node, 1000)
	for range 1000 {
		large.Plies = append(large.Plies, data.Ply{Moves: make([]rules.Move, 2), Tree: tree})
	}
	for what, c := range map[string]struct {
		p    pendingGames
		most int // messages until it is full
	}{
		"large trees":   {pendingGames{message: sized{}, games: []data.Game{large}}, 4},
		"no good games": {pendingGames{message: sized{bytes: make([]byte, 1<<20)}}, 256},
	} {
		h := &Hub{remote: &learner.Remote{Period: time.Hour}, flushed: time.Now(), waiting: map[string]bool{}}
		n := 0
		for ; !h.flushDue() && n < maxPending; n++ {
			h.addPending(c.p)
		}
		if n != c.most || !h.pendingFull() {
			t.Errorf("%s: full after %d messages, want %d", what, n, c.most)
		}
		if h.clearPending(); h.pendingFull() || h.flushDue() {
			t.Errorf("%s: full without games", what)
		}
	}
}

// Games that do not fit in the stream wait at the worker.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	w, games := record(t, h, "w1", 20)
	x := newIntruder(t, accessTo(h), "w1")
	m, err := encodeBatch(w.variant, header{Platform: "amd64"}, games)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := h.js.Stream(t.Context(), gamesStream)
	if err != nil {
		t.Fatal(err)
	}
	c := stream.CachedInfo().Config
	c.MaxBytes = int64(len(m)) / 2
	if _, err := h.js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	full, sent := make(chan error, 1), make(chan error, 1)
	go func() { sent <- publishUntilAcked(ctx, x.js, "w1", "m", m, func(err error) { full <- err }) }()
	if err := <-full; !strings.Contains(err.Error(), "maximum bytes exceeded") {
		t.Error(err)
	}
	c.MaxBytes = 1 << 20
	if _, err := h.js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	wait(t, h, "20 games", func(s Status) bool { return s.GamesAccepted == 20 })
	stop()
}

// The allowance slows a worker down that sends too much.
func TestRate(t *testing.T) {
	w := worker{allowance: 0, refilled: time.Now().Add(-time.Second)}
	if w.allow(200, 6000) || !w.allow(90, 6000) || w.allow(50, 6000) {
		t.Errorf("allowance %v", w.allowance)
	}
	w.refilled = time.Now().Add(-time.Hour)
	if !w.allow(6000, 6000) || w.allow(1, 6000) {
		t.Errorf("an hour of silence allows more than a minute's games: %v", w.allowance)
	}
}
