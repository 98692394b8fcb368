package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"damier/arena"
	"damier/data"
	"damier/egdb"
	"damier/learner"
	"damier/learner/sparse"
	"damier/net/nnue"
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
	run, err := learner.Open(dir, learner.Sources{Method: sparse.Method{}, Preset: "tiny", Set: all})
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

// A worker with an address and a token plays for a run. Every recomputed search agrees with the
// worker's.
func TestWorkerPlaysForHub(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", Check: 1})
	w := Worker{Method: sparse.Method{}, Access: accessTo(h), Name: WorkerName(""), Actors: 2, Games: 24}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := wait(t, h, "24 games", func(s Status) bool { return s.GamesAccepted == 24 })
	if s.GamesRefused != 0 || s.Checked != 24 || len(s.Workers) != 1 || s.Workers[0].GamesAccepted != 24 {
		t.Errorf("%+v", s)
	}
	stop()
	if n := len(accepted(t, dir)); n != 24 {
		t.Errorf("%d games, want 24", n)
	}
	if err := learner.Verify(t.Context(), dir, sparse.Method{}, io.Discard); err != nil {
		t.Error(err)
	}
}

// Games that are in progress when a new network comes have two orders, and the recomputed searches
// agree.
func TestOrdersChange(t *testing.T) {
	t.Parallel()
	// Every position of a tree is a row, so the trees are as large as the limits of a game allow.
	dir := newRun(t, map[string]string{"selfplay.tree_rows": "1"})
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", Check: 1, PerMinute: 1e6})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := Worker{Method: sparse.Method{}, Access: accessTo(h), Name: WorkerName(""), Actors: 1}
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	wait(t, h, "a game", func(s Status) bool { return s.GamesAccepted > 0 })

	for generation := 1; generation <= 2; generation++ {
		m := nnue.New(rules.International, 32, uint64(generation))
		m.Run, m.Generation = "run", generation
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		o := h.order.Order
		h.mu.Unlock()
		sum := sha256.Sum256(file.Bytes())
		o.Network, o.Generation = hex.EncodeToString(sum[:]), generation
		o.Model = fmt.Sprintf("run/gen-%06d", generation)
		o.Stage.Visits = 4 + generation
		if err := h.publishOrder(t.Context(), o, file.Bytes()); err != nil {
			t.Fatal(err)
		}
		s := wait(t, h, "the order", func(s Status) bool {
			return s.Generation == generation && len(s.Workers) == 1 && s.Workers[0].Generation == generation
		})
		if lag := s.Workers[0].Lag; lag <= 0 || lag > 10 {
			t.Errorf("the worker had the network after %v s", lag)
		}
	}
	generations := map[int]int{}
	for end := time.Now().Add(20 * time.Second); generations[2] < 10 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		clear(generations)
		for _, g := range accepted(t, dir) {
			generations[g.Generation]++
		}
	}
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := h.Status(); s.GamesRefused != 0 || len(s.Barred) > 0 {
		t.Errorf("%+v", s)
	}
	if generations[0] == 0 || generations[2] == 0 {
		t.Errorf("games by generation: %v", generations)
	}
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

// Bad messages are refused, and their sender is named and barred. An honest worker is not
// affected.
func TestHostileWorkers(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", Check: 1})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	v := rules.International
	for _, c := range []struct {
		name   string
		change func(p *played)
		want   string
	}{
		{"otherseed", func(p *played) { p.game.Seed++ }, "random numbers"},
		{"othermove", func(p *played) { p.game.Plies[3].Played++ }, ""},
		{"outcome", func(p *played) { p.game.Outcome = rules.Ongoing }, "not over"},
		{"model", func(p *played) { p.game.Model = "other/gen-000007" }, "names network"},
		{"resigns", func(p *played) {
			p.game.Plies = p.game.Plies[:4]
			p.game.Outcome, p.game.Reason = rules.WhiteWins, rules.Resignation
		}, "self-play does not"},
		{"visits", func(p *played) {
			for i := range p.game.Plies {
				p.game.Plies[i].Simulations += 1000
			}
		}, "simulations"},
		{"values", func(p *played) { // a won position everywhere
			for i := range p.game.Plies {
				if ply := &p.game.Plies[i]; len(ply.Visits) > 0 {
					ply.Root = rules.WDL{Win: 1}
				}
			}
		}, "computed again"},
		{"priors", func(p *played) {
			for i := range p.game.Plies {
				if ply := &p.game.Plies[i]; len(ply.Visits) > 0 {
					ply.Priors[0], ply.Priors[1] = ply.Priors[1], ply.Priors[0]
				}
			}
		}, "computed again"},
		{"trees", func(p *played) {
			for i := range p.game.Plies {
				if ply := &p.game.Plies[i]; len(ply.Visits) > 0 {
					ply.Tree = slices.Repeat([]data.Node{{Line: []uint8{0}, Value: 0.5}}, 100_000)
					return
				}
			}
		}, "positions of the tree"},
		{"renamed", func(p *played) { p.game.ID = strings.Replace(p.game.ID, "-a0-", "-a1-", 1) }, "random numbers"},
		{"another", func(p *played) { p.game.ID = strings.Replace(p.game.ID, "another", "somebody", 1) }, "not one of worker"},
	} {
		w, games := record(t, h, c.name, 3)
		x := newIntruder(t, accessTo(h), c.name)
		for i := range games {
			c.change(&games[i])
		}
		message, err := encodeBatch(w.variant, header{Platform: "amd64"}, games)
		if err != nil {
			t.Fatal(err)
		}
		x.put(t, games[0].game.ID, message)
		s := wait(t, h, c.name, func(s Status) bool { return s.Barred[c.name] != "" })
		if !strings.Contains(s.Barred[c.name], c.want) {
			t.Errorf("%s: %s", c.name, s.Barred[c.name])
		}
		if _, err := accessTo(h).connect(c.name, nats.NoReconnect()); !errors.Is(err, ErrAccess) {
			t.Errorf("%s can connect again: %v", c.name, err)
		}
	}
	// Messages that do not contain games.
	_, games := record(t, h, "whole", 3)
	whole, err := encodeBatch(v, header{}, games)
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)-9] ^= 4
	for name, message := range map[string][]byte{
		"rubbish": []byte("rubbish"), "empty": {}, "short": whole[:len(whole)/2], "flipped": flipped,
	} {
		x := newIntruder(t, accessTo(h), name)
		x.put(t, "m", message)
		wait(t, h, name, func(s Status) bool { return s.Barred[name] != "" })
	}
	// Another version is nobody's fault: the games are refused, and the worker learns what to
	// install.
	old := strings.Replace(string(whole), `"protocol":2`, `"protocol":1`, 1)
	x := newIntruder(t, accessTo(h), "whole")
	x.put(t, "old", []byte(old))
	if notice := <-x.notices; !strings.Contains(notice, "install the same release") {
		t.Error(notice)
	}
	// Games of an unknown order are stale; their worker is not barred.
	for i := range games {
		games[i].segments = []segment{{0, "0123456789abcdef"}}
	}
	stale, err := encodeBatch(v, header{}, games)
	if err != nil {
		t.Fatal(err)
	}
	x.put(t, "stale", stale)
	s := wait(t, h, "stale games", func(s Status) bool { return s.Stale == 3 })
	if s.Barred["whole"] != "" {
		t.Error("a worker is barred for old games")
	}
	// After all that, the unchanged games are accepted.
	x.put(t, "whole", whole)
	wait(t, h, "whole games", func(s Status) bool { return s.GamesAccepted == 3 })
	stop()
	if n := len(accepted(t, dir)); n != 3 {
		t.Errorf("%d games, want 3", n)
	}
}

// A hub that is stopped during a recomputation bars nobody for it.
func TestStoppedJudge(t *testing.T) {
	t.Parallel()
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: newRun(t, nil), Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	_, games := record(t, h, "w1", 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.judge.check(t.Context(), "w1", runtime.GOARCH, &games[0], true); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.judge.check(ctx, "w1", runtime.GOARCH, &games[0], true); !errors.Is(err, context.Canceled) || errors.Is(err, ErrForged) {
		t.Errorf("%v", err)
	}
}

// A message that is sent again, with the same id, with another id, or late, counts once.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	w, games := record(t, h, "w1", 40)
	x := newIntruder(t, accessTo(h), "w1")
	var messages [][]byte
	for i := 0; i < len(games); i += 4 {
		m, err := encodeBatch(w.variant, header{Platform: "amd64"}, games[i:i+4])
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m)
	}
	for round := range 3 {
		for i := range messages { // each round in another order and with other ids
			n := (i*7 + round) % len(messages)
			x.put(t, fmt.Sprint(round, n), messages[n])
			x.put(t, fmt.Sprint(round, n), messages[n]) // the server drops the repetition
		}
	}
	wait(t, h, "duplicates", func(s Status) bool { return s.GamesAccepted == 40 && s.Duplicates == 80 })
	stop()
	// A hub without its ledger makes it again from the shards.
	if err := os.Remove(filepath.Join(dir, "cluster", ledgerFile)); err != nil {
		t.Fatal(err)
	}
	h, stop = startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	x = newIntruder(t, accessTo(h), "w1")
	x.put(t, "again", messages[0])
	// The server sends again the messages whose acknowledgement it had not processed when it
	// ended.
	wait(t, h, "duplicates", func(s Status) bool {
		stream, err := h.js.Stream(t.Context(), gamesStream)
		return err == nil && stream.CachedInfo().State.Msgs == 0 && s.Duplicates >= 4
	})
	stop()
	if n := len(accepted(t, dir)); n != 40 {
		t.Errorf("%d games, want 40", n)
	}
}

// A game that is there twice in one message counts once, and does not keep the games of others from
// the disk.
func TestTwiceInAMessage(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	for _, name := range []string{"w1", "w2"} {
		w, games := record(t, h, name, 2)
		if name == "w1" {
			games = append(games, games[0])
		}
		m, err := encodeBatch(w.variant, header{Platform: runtime.GOARCH}, games)
		if err != nil {
			t.Fatal(err)
		}
		newIntruder(t, accessTo(h), name).put(t, "m", m)
	}
	s := wait(t, h, "4 games", func(s Status) bool { return s.GamesAccepted == 4 })
	if s.Duplicates != 1 || len(s.Barred) > 0 {
		t.Errorf("%+v", s)
	}
	stop()
	if n := len(accepted(t, dir)); n != 4 {
		t.Errorf("%d games, want 4", n)
	}
}

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

// A worker of a match that does not get a network at once asks for it again.
func TestNetworkOfMatchIsLost(t *testing.T) {
	t.Parallel()
	h, err := NewMatchHub(MatchConfig{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", Order: MatchOrder{Variant: "international", A: "a", B: "b"},
		Networks: map[string][]byte{"a": []byte("network a")}, Check: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	lost := false
	if _, err := h.nc.Subscribe(matchSubject+"*.*", func(m *nats.Msg) {
		if strings.HasPrefix(m.Subject, matchSubject+"network.") && !lost {
			lost = true
			m.Respond([]byte("something else"))
			return
		}
		h.answerRequest(m)
	}); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(h.Join())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	made := errors.New("the match was made")
	w := MatchWorker{
		Access: Access{URL: words[0], TokenFile: words[2]}, Name: "w1", Games: 1, Note: t.Logf,
		Make: func(_ context.Context, _ MatchOrder, networks map[string][]byte) (arena.Match, error) {
			if string(networks["a"]) != "network a" {
				t.Errorf("the network is %q", networks["a"])
			}
			return arena.Match{}, made
		},
	}
	if err := w.Run(ctx); !errors.Is(err, made) {
		t.Error(err)
	}
}

// A worker may publish its games and read the run's networks, and nothing else.
func TestRights(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	a := accessTo(h)
	bad := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(bad, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Access{
		"wrong token": {URL: a.URL, TokenFile: bad}, "no token": {URL: a.URL},
	} {
		if _, err := c.connect("w1", nats.NoReconnect()); !errors.Is(err, ErrAccess) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"hub", "W1", "a.b", "*", "w>"} {
		if _, err := a.connect(name, nats.NoReconnect()); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
	x := newIntruder(t, a, "w1")
	denied := make(chan error, 64)
	x.nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err })
	for _, subject := range []string{
		gamesSubject + "w2", heartbeatSubject + "w2", noticeSubject + "w2", announceSubject, "$KV.damier.order", "$O.damier.C.x",
		"$JS.API.STREAM.DELETE.damier-games", "$JS.API.STREAM.PURGE.KV_damier", "$JS.API.CONSUMER.CREATE.damier-games",
		"$JS.API.CONSUMER.MSG.NEXT.damier-games.hub", "$JS.ACK.damier-games.hub.1.1.1.1.1", statusSubject,
	} {
		if err := x.nc.Publish(subject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		x.nc.Flush()
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", subject, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("a worker may publish to %s", subject)
		}
	}
	for _, subject := range []string{">", gamesSubject + "*", "_INBOX_w2.>", heartbeatSubject + "*"} {
		if _, err := x.nc.Subscribe(subject, func(*nats.Msg) {}); err != nil {
			t.Fatal(err)
		}
		x.nc.Flush()
		select {
		case <-denied:
		case <-time.After(5 * time.Second):
			t.Errorf("a worker may subscribe to %s", subject)
		}
	}
	// A wrong clock is shown and has no other effect. Like a worker, the test sends more than one
	// heartbeat: the server drops those that come before the hub listens.
	wait(t, h, "the clock", func(s Status) bool {
		if err := x.nc.Publish(heartbeatSubject+"w1", []byte(`{"time":1e9}`)); err != nil {
			t.Fatal(err)
		}
		return len(s.Workers) == 1 && s.Workers[0].Skew < -1e6
	})
	// On 100 MB the server closes the connection and keeps running.
	if err := x.nc.Publish(gamesSubject+"w1", make([]byte, 100<<20)); err == nil {
		x.nc.Flush()
		if x.nc.IsConnected() {
			t.Error("a message of 100 MB is accepted")
		}
	}
	wait(t, h, "the first order", func(s Status) bool { return s.Run != "" })
	if s, err := AskStatus(t.Context(), a); err != nil || s.Run == "" {
		t.Errorf("%+v, %v", s, err)
	}
}

// A key has a label; the names of its workers begin with it, and a barred key is refused under any
// name.
func TestKeys(t *testing.T) {
	t.Parallel()
	dir, files := newRun(t, nil), t.TempDir()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := pair.PublicKey()
	seed, _ := pair.Seed()
	seedFile, keys := filepath.Join(files, "seed"), filepath.Join(files, "keys")
	os.WriteFile(seedFile, seed, 0o600)
	os.WriteFile(keys, []byte("# the club\n"+public+" anna\n"), 0o600)
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", Keys: keys})
	a := Access{URL: accessTo(h).URL, NKey: seedFile}
	w := Worker{Method: sparse.Method{}, Access: a, Name: WorkerName("anna"), Actors: 1, Games: 2}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.connect("bert_1", nats.NoReconnect()); !errors.Is(err, ErrAccess) {
		t.Errorf("another label: %v", err)
	}
	x := newIntruder(t, a, "anna_1")
	x.put(t, "m", []byte("rubbish"))
	wait(t, h, "the bar", func(s Status) bool { return s.Barred["anna"] != "" })
	if _, err := a.connect("anna_2", nats.NoReconnect()); !errors.Is(err, ErrAccess) {
		t.Errorf("a barred key: %v", err)
	}
}

// Other addresses than the loopback use TLS, and the worker identifies the hub by its fingerprint.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	dir := newRun(t, nil)
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "0.0.0.0:0"})
	a := accessTo(h)
	if len(a.Fingerprint) != 64 || !strings.HasPrefix(a.URL, "tls://") {
		t.Fatal(h.Join())
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(a.URL, "tls://"), ":")
	a.URL = "nats://127.0.0.1:" + port
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	if s, err := AskStatus(t.Context(), a); err != nil || !strings.HasPrefix(s.Variant, "international") {
		t.Errorf("%+v, %v", s, err)
	}
	a.Fingerprint = strings.Repeat("ab", 32)
	if _, err := a.connect("w1", nats.NoReconnect()); err == nil || !strings.Contains(err.Error(), "fingerprint") {
		t.Errorf("another fingerprint: %v", err)
	}
	a.Fingerprint = ""
	if _, err := a.connect("w1", nats.NoReconnect()); err == nil {
		t.Error("a self-signed certificate is trusted without a fingerprint")
	}
}

// Without an address the hub opens no port.
func TestNoPort(t *testing.T) {
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: newRun(t, nil)})
	if h.Join() != "" || h.server.server.Addr() != nil {
		t.Errorf("%q, %v", h.Join(), h.server.server.Addr())
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

func TestStatusText(t *testing.T) {
	s := Status{Run: "r", Variant: "international", GamesAccepted: 7, Barred: map[string]string{"w2": "forged"},
		Workers: []WorkerStatus{{Name: "w1", Host: `a"b`, PerMinute: 3}, {Name: "w2", Gone: true}}}
	var text, metrics strings.Builder
	if err := errors.Join(s.WriteText(&text), s.WritePrometheus(&metrics)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "barred: w2: forged") || !strings.Contains(text.String(), "7 games accepted") {
		t.Error(text.String())
	}
	for _, line := range []string{
		"damier_cluster_games_accepted_total 7\n", "damier_cluster_workers 1\n",
		`damier_cluster_worker_games_per_minute{worker="w1",host="a\"b"} 3` + "\n",
	} {
		if !strings.Contains(metrics.String(), line) {
			t.Errorf("no %q in\n%s", line, metrics.String())
		}
	}
	var keys map[string]any
	b, _ := json.Marshal(s)
	json.Unmarshal(b, &keys)
	for _, k := range []string{"workers", "games_accepted", "games_refused", "backlog"} {
		if _, ok := keys[k]; !ok {
			t.Errorf("no %s", k)
		}
	}
}

// The oldest order is dropped only when all games played by it have been received.
func TestOrdersAreKeptForTheirGames(t *testing.T) {
	j := newJudge(rules.International, sparse.Method{}, nil)
	for i := range keptOrders {
		if !j.canDropOldest(1, 100) {
			t.Fatalf("no order can be added after %d orders", i)
		}
		j.addOrder(&posted{Order: learner.Order{Generation: i}})
	}
	if j.canDropOldest(101, 100) {
		t.Error("an order may be dropped that was replaced just now")
	}
	j.orders[0].replaced = time.Now().Add(-2 * orderGrace)
	if j.canDropOldest(60, 100) || j.canDropOldest(100, 140) {
		t.Error("an order may be dropped although messages with its games may wait")
	}
	if !j.canDropOldest(101, 140) {
		t.Error("an order is kept although all its games were received")
	}
}

// Only workers that have the endgame tables of a run can play for it, and the ends of their games
// are checked.
func TestEndgameTables(t *testing.T) {
	t.Setenv(egdb.Environment, t.TempDir()) // only the tables made in memory
	dir := newRun(t, map[string]string{
		"variant": "english", "selfplay.egdb": "on", "selfplay.max_plies": "150", "selfplay.visits": "0:4",
	})
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", Check: 1})
	w := Worker{Method: sparse.Method{}, Access: accessTo(h), Name: WorkerName(""), Actors: 1, Games: 20}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := wait(t, h, "20 games", func(s Status) bool { return s.GamesAccepted == 20 })
	if s.GamesRefused != 0 || s.Checked != 20 {
		t.Errorf("%+v", s)
	}
	without := Worker{Method: sparse.Method{}, Access: accessTo(h), Name: WorkerName(""), Actors: 1, Games: 1, Tables: egdb.Off}
	if err := without.Run(t.Context()); !errors.Is(err, ErrTables) || !strings.Contains(err.Error(), "damier egdb build --variant english") {
		t.Errorf("a worker without tables: %v", err)
	}
	judged, other := 0, 0
	_, games := record(t, h, "w1", 20)
	for i := range games {
		g := games[i].game
		if g.Reason != rules.Adjudication {
			if other++; other == 1 {
				g.Reason, g.Outcome = rules.Adjudication, rules.WhiteWins
				if err := h.judge.checkEnding(&g, false); err == nil {
					t.Error("a game is accepted whose end the tables do not know")
				}
			}
			continue
		}
		if judged++; h.judge.checkEnding(&g, false) != nil {
			t.Error("a game that ends by the tables is refused")
		}
		if h.judge.checkEnding(&g, true) == nil {
			t.Error("a game that ends by the tables is accepted although games are played on")
		}
		g.Outcome = rules.Win(rules.White) + rules.Win(rules.Black) - g.Outcome
		if g.Outcome != games[i].game.Outcome && h.judge.checkEnding(&g, false) == nil {
			t.Error("a game is accepted whose result is not that of the tables")
		}
	}
	if judged == 0 || other == 0 {
		t.Errorf("%d games ended by tables, %d otherwise: want both kinds", judged, other)
	}
	stop()
}
