package cluster

import (
	"context"
	"errors"
	"io"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"damier/learner"
	"damier/learner/sparse"
	"damier/rules"
)

// settableClock is a clock that a test can move.
type settableClock struct{ ahead atomic.Int64 } // nanoseconds

func (c *settableClock) now() time.Time {
	return time.Now().Add(time.Duration(c.ahead.Load()))
}

// While games are played, the clock of the hub and then that of a worker jumps 10 hours forward
// and back. The games continue, each counts once, nobody is barred, and nobody counts as gone.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	var hubClock, workerClock settableClock
	h, stop := startHub(t, HubConfig{
		Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", PerMinute: 1e6, clock: hubClock.now,
	})
	ids := make(chan string, 1<<16) // ids of games that the server has on its disk
	w := Worker{
		Method: sparse.Method{}, Access: accessTo(h), Name: WorkerName(""), Actors: 1,
		clock: workerClock.now,
	}
	w.acknowledged = func(games []played) {
		for _, g := range games {
			ids <- g.game.ID
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	nc, err := accessTo(h).connect(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, jump := range []struct {
		clock *settableClock
		to    time.Duration
		skew  float64 // in seconds: worker's clock minus hub's, after the jump
	}{
		{&hubClock, 10 * time.Hour, -36000}, {&hubClock, -10 * time.Hour, 36000}, {&hubClock, 0, 0},
		{&workerClock, 10 * time.Hour, 36000}, {&workerClock, -10 * time.Hour, -36000},
	} {
		before := h.Status().GamesAccepted
		jump.clock.ahead.Store(int64(jump.to))
		sendHeartbeat(nc, w.Name, heartbeat{
			Protocol: Protocol, Rules: rules.Version, Time: wallClock(workerClock.now).seconds(),
		})
		s := wait(t, h, "games after the jump", func(s Status) bool {
			return s.GamesAccepted >= before+4 && len(s.Workers) == 1 &&
				math.Abs(s.Workers[0].Skew-jump.skew) < 60
		})
		if s.GamesRefused != 0 || len(s.Barred) != 0 || s.Workers[0].Gone || s.Workers[0].Heard > 60 {
			t.Fatalf("after a jump to %v: %+v", jump.to, s)
		}
	}
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	stop()
	h, stop = startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "the rest of the games", func(Status) bool {
		stream, err := h.js.Stream(t.Context(), gamesStream)
		return err == nil && stream.CachedInfo().State.Msgs == 0
	})
	stop()
	games := accepted(t, dir)
	if len(ids) < 20 {
		t.Errorf("only %d games were acknowledged", len(ids))
	}
	for len(ids) > 0 {
		if id := <-ids; games[id].ID == "" {
			t.Errorf("game %s was acknowledged and is not in the run", id)
		}
	}
	if err := learner.Verify(t.Context(), dir, sparse.Method{}, io.Discard); err != nil {
		t.Error(err)
	}
}
