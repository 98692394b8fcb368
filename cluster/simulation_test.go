package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"damier/data"
	"damier/internal/chart"
	"damier/internal/usage"
	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
	"damier/net/nnue"
	"damier/rules"
)

// simulated is the report of the hub of a simulation.
type simulated struct {
	Status
	CPU, Seconds   float64 // CPU time and wall time since the first games, in seconds
	Memory, MaxLag float64 // in bytes; in seconds
}

// simulatedRole is a hub that accepts recorded games under other ids and posts a network of the
// run's size every three seconds. Its arguments: DIR ADDRESS OUT.
func simulatedRole(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	warn := func(format string, args ...any) { fmt.Fprintf(os.Stderr, "hub: "+format+"\n", args...) }
	h, err := NewHub(ctx, HubConfig{
		Method: sparse.Method{}, Dir: args[0], Listen: args[1], PerMinute: 1e6, Warn: warn,
	})
	if err != nil {
		return err
	}
	defer h.Close()
	h.judge.renamed = true
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	for h.Status().Order == "" {
		time.Sleep(10 * time.Millisecond)
	}
	h.mu.Lock()
	o := h.order.Order
	h.mu.Unlock()
	config, err := learner.ResolveRun(args[0], nil, settings.Sources{})
	if err != nil {
		return err
	}
	profile, err := os.Create(args[2] + ".pprof")
	if err != nil {
		return err
	}
	defer profile.Close()
	if err := pprof.StartCPUProfile(profile); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	var s simulated
	updateMaxLag := func() {
		for _, w := range h.Status().Workers {
			s.MaxLag = max(s.MaxLag, w.Lag)
		}
	}
	var networks [][]byte // made beforehand: a real learner makes them in another process
	for n := range uint64(24) {
		var file bytes.Buffer
		if err := nnue.New(h.remote.Variant, config.Net.Width, n+2).Save(&file); err != nil {
			return err
		}
		networks = append(networks, file.Bytes())
	}
	start := -1.0
	var begun time.Time
	for n := 0; ctx.Err() == nil; n++ {
		if n%2 == 0 {
			file := networks[n/2%len(networks)]
			sum := sha256.Sum256(file)
			next := o
			next.Network, next.Model = hex.EncodeToString(sum[:]), "/gen-000000"
			if err := h.publishOrder(ctx, next, file); err != nil {
				return err
			}
		}
		if start < 0 && h.Status().GamesAccepted > 0 { // measure from the first games on
			start, begun = usage.CPU(), time.Now()
		}
		select {
		case <-ctx.Done():
		case <-time.After(1500 * time.Millisecond):
			updateMaxLag()
		}
	}
	s.CPU, s.Seconds, s.Memory = usage.CPU()-start, time.Since(begun).Seconds(), float64(usage.Resident())
	<-done
	s.Status = h.Status()
	text, err := json.Marshal(s)
	return errors.Join(err, os.WriteFile(args[2], text, 0o644))
}

// Simulated workers over the loopback: each has its own connection and sends recorded games at a
// fixed rate under ids of its own. The hub is a separate process, and the test prints its CPU
// time.
//
//	DAMIER_SIMULATION=FILE.png go test ./cluster -run TestSimulation -v -timeout 30m
func TestSimulation(t *testing.T) {
	picture := os.Getenv("DAMIER_SIMULATION")
	if picture == "" {
		t.Skip("it takes minutes: set DAMIER_SIMULATION=FILE.png")
	}
	const perWorker = 320 // games a minute: 64 workers make 20,480
	dir := filepath.Join(t.TempDir(), "run")
	run, err := learner.Open(dir, sparse.Method{}, settings.Sources{Preset: "hour"})
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
	h, stop := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0"})
	wait(t, h, "an order", func(s Status) bool { return s.Order != "" })
	begun := time.Now()
	_, games := record(t, h, "recorded", 120)
	stop()
	bytesOf := 0
	for i := range games {
		bytesOf += len(data.AppendGame(nil, rules.International, &games[i].game))
	}
	message, _ := encodeBatch(rules.International, header{Platform: "amd64"}, games[:32])
	t.Logf("recorded %d games in %.0f s; %d bytes each in wire form, %d packed in a message of 32",
		len(games), time.Since(begun).Seconds(), bytesOf/len(games), len(message)/32)
	var points, ideal plotter.XYs
	for _, c := range []struct{ workers, rate int }{
		{1, perWorker}, {8, perWorker}, {16, perWorker}, {32, perWorker}, {64, perWorker},
	} {
		s, sent, seconds := simulate(t, dir, games, c.workers, c.rate)
		perMinute := float64(sent) / seconds * 60
		t.Logf("%d workers of %d a minute: %d games sent in %.1f s = %.0f a minute, %d accepted; "+
			"hub: %.1f %% of a core, its shards included; resident %.0f MB; recomputed %d; "+
			"the slowest worker had a new network after %.2f s",
			c.workers, c.rate, sent, seconds, perMinute, s.GamesAccepted,
			100*s.CPU/s.Seconds, s.Memory/1e6, s.Checked, s.MaxLag)
		if int(s.GamesAccepted) != sent || s.GamesRefused > 0 {
			t.Errorf("%d games of %d are accepted, %d refused: %v", s.GamesAccepted, sent, s.GamesRefused, s.Barred)
		}
		if c.rate == perWorker {
			points = append(points, plotter.XY{X: float64(c.workers), Y: perMinute})
			ideal = append(ideal, plotter.XY{X: float64(c.workers), Y: float64(c.workers * perWorker)})
		}
	}
	p := plot.New()
	p.Title.Text = "Games accepted, simulated workers over loopback"
	p.X.Label.Text, p.Y.Label.Text = "workers", "games a minute"
	p.Legend.Top, p.Legend.Left = true, true
	chart.Line(p, "accepted", points, chart.Blue)
	chart.Line(p, "", ideal, chart.Grey)
	png, err := chart.PNG([][]*plot.Plot{{p}}, 14, 10)
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(picture) {
		picture = filepath.Join("..", picture)
	}
	if err := os.WriteFile(picture, png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// simulate lets workers send for a minute. It returns how many games they sent and how long it
// took.
func simulate(t *testing.T, from string, games []played, workers, rate int) (s simulated, sent int, seconds float64) {
	t.Helper()
	dir := newRunOf(t, from)
	out := filepath.Join(t.TempDir(), "out")
	address := "127.0.0.1:" + ports(t, 1)[0]
	hub := start(t, "simulated", dir, address, out)
	a := Access{URL: "nats://" + address, TokenFile: filepath.Join(dir, "cluster", tokenFile)}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if s, err := AskStatus(t.Context(), a); err == nil && s.Order != "" {
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	begun := time.Now()
	for i := range workers {
		wg.Go(func() {
			w := &Worker{Method: sparse.Method{}, Access: a, Name: "sim" + strconv.Itoa(i), Actors: 1}
			if err := w.open(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer w.nc.Close()
			announced := make(chan []byte, 16)
			s, err := w.nc.Subscribe(announceSubject, func(m *nats.Msg) { announced <- m.Data })
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Unsubscribe()
			inner, end := context.WithCancel(t.Context())
			defer end()
			go w.followOrders(inner, announced, func(error) {})
			go w.sendHeartbeats(inner)
			const batch = 16
			period := time.Duration(float64(batch) / float64(rate) * float64(time.Minute))
			time.Sleep(time.Duration(i) * period / time.Duration(workers))
			tick := time.NewTicker(period)
			defer tick.Stop()
			for n := 0; ctx.Err() == nil; {
				var some []played
				for range batch {
					g := games[(n+i*7)%len(games)]
					g.game.ID = fmt.Sprintf("%s-%s-a0-%d", g.game.ID[:16], w.Name, n)
					some = append(some, g)
					n++
				}
				message, err := encodeBatch(w.variant, header{Platform: "amd64"}, some)
				if err == nil {
					err = publishUntilAcked(t.Context(), w.js, w.Name, some[0].game.ID, message, nil)
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				sent += batch
				mu.Unlock()
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
	wg.Wait()
	seconds = time.Since(begun).Seconds()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		s, err := AskStatus(t.Context(), a)
		if err == nil && int(s.GamesAccepted+s.GamesRefused) >= sent || time.Now().After(end) {
			break
		}
	}
	hub.end(syscall.SIGTERM)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("DAMIER_PROFILE"); keep != "" {
		profile, err := os.ReadFile(out + ".pprof")
		if err == nil {
			err = os.WriteFile(fmt.Sprintf("%s-%d-%d", keep, workers, rate), profile, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
	return s, sent, seconds
}

// newRunOf copies a run.
func newRunOf(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}
