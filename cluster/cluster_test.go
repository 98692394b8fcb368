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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"damier/arena"
	"damier/data"
	"damier/egdb"
	"damier/learner"
	"damier/learner/sparse"
	"damier/net/nnue"
	"damier/rules"
)

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
