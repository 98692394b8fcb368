package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
)

// The processes of the fault tests run the test binary itself, with the role in an environment
// variable. DAMIER_FAULTS is the number of kills; without it these tests are skipped.
//
//	DAMIER_FAULTS=100 go test ./cluster -run TestFaults -v -timeout 60m
func TestMain(m *testing.M) {
	role, args, _ := strings.Cut(os.Getenv("DAMIER_CLUSTER_ROLE"), " ")
	var err error
	switch role {
	case "":
		os.Exit(m.Run())
	case "learner":
		err = learnerRole(strings.Fields(args))
	case "worker":
		err = workerRole(strings.Fields(args))
	case "simulated":
		err = simulatedRole(strings.Fields(args))
	case "node":
		err = nodeRole(strings.Fields(args))
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, role+":", err)
		os.Exit(1)
	}
}

// learnerRole trains the run in a folder and lets workers join. Its arguments: DIR listen ADDRESS,
// or DIR cluster URL.
func learnerRole(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	run, err := learner.Open(args[0], sparse.Method{}, settings.Sources{})
	if err != nil {
		return err
	}
	defer run.Close()
	l, err := learner.New(ctx, run, &learner.Console{Out: io.Discard})
	if err != nil {
		return err
	}
	defer l.Close()
	warn := func(format string, args ...any) { fmt.Fprintf(os.Stderr, "hub: "+format+"\n", args...) }
	c := HubConfig{Method: sparse.Method{}, Dir: args[0], Check: 0.2, PerMinute: 1e6, Warn: warn}
	if args[1] == "cluster" {
		c.URL = args[2]
	} else {
		c.Listen = args[2]
	}
	h, err := NewHub(ctx, c)
	if err != nil {
		return err
	}
	defer h.Close()
	inner, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- h.Run(inner) }()
	defer func() { cancel(); <-done }()
	return l.Run(ctx)
}

// workerRole plays and writes the ids of the games that the server has to a file. Its arguments:
// URL TOKENFILE IDS.
func workerRole(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ids, err := os.OpenFile(args[2], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	a := Access{URL: args[0], TokenFile: args[1]}
	if args[1] == "-" {
		a.TokenFile = ""
	}
	for {
		w := &Worker{Method: sparse.Method{}, Access: a, Name: WorkerName(""), Actors: 1}
		w.acknowledged = func(games []played) {
			var b strings.Builder
			for i := range games {
				b.WriteString(games[i].game.ID + "\n")
			}
			ids.WriteString(b.String())
		}
		err := w.Run(ctx)
		if ctx.Err() != nil || errors.Is(err, ErrBarred) || errors.Is(err, ErrAccess) {
			return err
		}
		time.Sleep(300 * time.Millisecond) // the hub may not run yet
	}
}

// nodeRole is one of the three servers of a cluster. Its arguments: NUMBER CLIENTPORT ROUTEPORT
// FOLDER ROUTES.
func nodeRole(args []string) error {
	o := &server.Options{
		ServerName: "n" + args[0], Host: "127.0.0.1", NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: args[3], SyncAlways: true,
		Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1"},
	}
	o.Port, _ = strconv.Atoi(args[1])
	o.Cluster.Port, _ = strconv.Atoi(args[2])
	for _, r := range strings.Split(args[4], ",") {
		u, err := url.Parse("nats://" + r)
		if err != nil {
			return err
		}
		o.Routes = append(o.Routes, u)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}

// process is a process that a test kills and starts again.
type process struct {
	t    *testing.T
	role string
	cmd  *exec.Cmd
}

func start(t *testing.T, role string, args ...string) *process {
	p := &process{t: t, role: role + " " + strings.Join(args, " ")}
	p.start()
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), "DAMIER_CLUSTER_ROLE="+p.role)
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) end(s syscall.Signal) {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Signal(s)
		p.cmd.Wait()
	}
}

// ports returns free TCP ports.
func ports(t *testing.T, n int) []string {
	t.Helper()
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		all = append(all, port)
	}
	return all
}

// kills returns how many kills DAMIER_FAULTS asks for, and skips the test without it.
func kills(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("DAMIER_FAULTS"))
	if err != nil {
		t.Skip("it kills processes for minutes: set DAMIER_FAULTS=60")
	}
	return n
}

// slowRun is a run whose orders last longer than any game takes.
func slowRun(t *testing.T) string {
	return newRun(t, map[string]string{
		"generations": "100000", "generation.rows": "3000", "generation.start": "3000", "actors": "1", "evaluation.rungs": "",
		"limits.shard_period": "0.5",
	})
}

// settle stops the workers, waits until the hub has received all games, and compares the run with
// the games that the server acknowledged: no game is lost, no game is there twice, and the run
// verifies.
func settle(t *testing.T, dir, ids string, l *process, workers ...*process) {
	t.Helper()
	for _, w := range workers {
		w.end(syscall.SIGTERM)
	}
	var acked map[string]bool
	var there int
	fewest, end := -1, time.Now().Add(2*time.Minute)
	for missing := 1; missing > 0; {
		acked = readIDs(t, ids)
		games := accepted(t, dir)
		there, missing = len(games), 0
		for id := range acked {
			if _, ok := games[id]; !ok {
				missing++
			}
		}
		if missing < fewest || fewest < 0 { // progress: a busy machine may need more time
			fewest, end = missing, time.Now().Add(2*time.Minute)
		}
		if missing > 0 && time.Now().After(end) {
			t.Fatalf("%d of %d acknowledged games are not in the run", missing, len(acked))
		}
		if missing > 0 {
			time.Sleep(500 * time.Millisecond)
		}
	}
	l.end(syscall.SIGTERM)
	if err := learner.Verify(context.Background(), dir, sparse.Method{}, io.Discard); err != nil {
		t.Error(err)
	}
	t.Logf("%d acknowledged games of workers, all in the run once; %d games in the run", len(acked), there)
	if len(acked) == 0 {
		t.Error("no game was played")
	}
}

// readIDs reads a file of workerRole.
func readIDs(t *testing.T, path string) map[string]bool {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if _, err := parseID(s.Text()); err == nil {
			all[s.Text()] = true
		}
	}
	return all
}

// waitForGames waits until more games are acknowledged than now.
func waitForGames(t *testing.T, ids string) {
	t.Helper()
	before, end := len(readIDs(t, ids)), time.Now().Add(90*time.Second)
	for len(readIDs(t, ids)) <= before {
		if time.Now().After(end) {
			t.Fatalf("no further games: %d", before)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// embeddedRun is a run whose learner has the server in its process, with two workers.
type embeddedRun struct {
	dir, ids string // the run, and the file of the acknowledged games
	access   Access
	learner  *process
	workers  []*process
}

// startEmbedded starts the processes and waits until games arrive.
func startEmbedded(t *testing.T) embeddedRun {
	r := embeddedRun{dir: slowRun(t), ids: filepath.Join(t.TempDir(), "ids")}
	address := "127.0.0.1:" + ports(t, 1)[0]
	r.learner = start(t, "learner", r.dir, "listen", address)
	r.access = Access{URL: "nats://" + address, TokenFile: tokenOf(t, r.dir)}
	for range 2 {
		r.workers = append(r.workers, start(t, "worker", r.access.URL, r.access.TokenFile, r.ids))
	}
	waitForGames(t, r.ids)
	return r
}

// The learner, its embedded server and its workers are killed at random moments.
func TestFaultsEmbedded(t *testing.T) {
	n := kills(t)
	r := startEmbedded(t)
	dir, ids, l, workers := r.dir, r.ids, r.learner, r.workers
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	killed := map[string]int{}
	for i := range n {
		p := []*process{l, workers[0], workers[1]}[i%3]
		if i > 1 { // the learner and a worker once each, then at random
			p = []*process{l, workers[0], workers[1]}[rng.IntN(3)]
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		}
		name, _, _ := strings.Cut(p.role, " ")
		killed[name]++
		p.end(syscall.SIGKILL)
		p.start()
		if rng.IntN(4) == 0 {
			waitForGames(t, ids)
		}
	}
	waitForGames(t, ids)
	t.Logf("killed: %v", killed)
	settle(t, dir, ids, l, workers...)
}

// clockJumps is true in the build whose clock can be moved.
var clockJumps bool

// While they run, the clocks of the learner, its embedded server and the workers jump by days,
// forward and back. The test builds itself again with a time package whose Now has a settable
// offset; everything else in the process, the NATS server too, reads the clock through it. The
// monotonic clock is unchanged, as on a real machine.
func TestFaultsClock(t *testing.T) {
	n := kills(t)
	if !clockJumps {
		runWithJumpingClock(t)
		return
	}
	r := startEmbedded(t)
	dir, ids, l, workers := r.dir, r.ids, r.learner, r.workers
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	for i := range n {
		p := append(workers, l)[rng.IntN(3)]
		if i == 0 {
			p = l
		}
		p.cmd.Process.Signal(syscall.SIGUSR1)
		time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		if rng.IntN(4) == 0 {
			waitForGames(t, ids)
		}
	}
	waitForGames(t, ids)
	s, err := AskStatus(context.Background(), r.access)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Barred) > 0 || s.GamesRefused > 0 || s.Stale > 0 || len(s.Workers) != len(workers) {
		t.Errorf("a clock that jumps had an effect: %+v", s)
	}
	for _, w := range s.Workers {
		if w.Gone {
			t.Errorf("worker %s counts as gone", w.Name)
		}
	}
	settle(t, dir, ids, l, workers...)
}

// runWithJumpingClock runs the calling test in the build whose clock can be moved.
func runWithJumpingClock(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(out)), "src", "time", "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	if n := strings.Count(string(text), reads); n != 1 {
		t.Fatalf("%s reads the clock in %d places of the known form, want 1", original, n)
	}
	changed := strings.Replace(string(text), reads, reads+"\tsec += clockOffset.Load()\n", 1)
	changed += "\nvar clockOffset clockSeconds\n\n// SetClock sets the offset of the clock.\nfunc SetClock(seconds int64) { clockOffset.Store(seconds) }\n"
	folder := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	offset := "package time\n\nimport \"sync/atomic\"\n\ntype clockSeconds = atomic.Int64\n"
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		original: put("time.go", changed),
		filepath.Join(filepath.Dir(original), "clockoffset.go"): put("clockoffset.go", offset),
	}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-overlay", put("overlay.json", string(overlay)), "-tags", "clockjump",
		"-count=1", "-timeout", "60m", "-run", "^"+t.Name()+"$", "-v", ".")
	text, err = cmd.CombinedOutput()
	t.Logf("%s", text)
	if err != nil || !strings.Contains(string(text), "--- PASS: "+t.Name()) {
		t.Errorf("in the build whose clock can be moved: %v", err)
	}
}

// tokenOf waits until the hub has made its token, and returns its file.
func tokenOf(t *testing.T, dir string) string {
	t.Helper()
	token := filepath.Join(dir, "cluster", tokenFile)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(token); err == nil {
			return token
		}
		if time.Now().After(end) {
			t.Fatal("the hub does not start")
		}
	}
}

// An external cluster of three servers: a server, the learner or the worker is killed.
func TestFaultsExternal(t *testing.T) {
	n := kills(t)
	if n < 10 {
		t.Skip("three servers: set DAMIER_FAULTS=100")
	}
	dir, ids, store := slowRun(t), filepath.Join(t.TempDir(), "ids"), t.TempDir()
	p := ports(t, 6)
	routes := "127.0.0.1:" + p[3] + ",127.0.0.1:" + p[4] + ",127.0.0.1:" + p[5]
	u := "nats://127.0.0.1:" + p[0] + ",nats://127.0.0.1:" + p[1] + ",nats://127.0.0.1:" + p[2]
	var all []*process
	for i := range 3 {
		all = append(all, start(t, "node", strconv.Itoa(i), p[i], p[3+i], filepath.Join(store, strconv.Itoa(i)), routes))
	}
	ready(t, u)
	l := start(t, "learner", dir, "cluster", u)
	w := start(t, "worker", u, "-", ids)
	waitForGames(t, ids)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	killed := map[string]int{}
	for range n {
		time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		x := append(all, l, w)[rng.IntN(5)]
		name, _, _ := strings.Cut(x.role, " ")
		killed[name]++
		x.end(syscall.SIGKILL)
		x.start()
		if name == "node" {
			ready(t, u) // at most one server is down at a time
		}
		waitForGames(t, ids)
		if l.cmd.Process.Signal(syscall.Signal(0)) != nil {
			t.Fatal("the learner is gone")
		}
	}
	t.Logf("killed: %v", killed)
	settle(t, dir, ids, l, w)
}

// ready waits until the cluster accepts streams with three copies.
func ready(t *testing.T, u string) {
	t.Helper()
	nc, err := nats.Connect(u, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: "ready", Subjects: []string{"ready"}, Replicas: 3, Storage: jetstream.MemoryStorage,
		})
		if err == nil {
			info, err2 := s.Info(ctx)
			whole := err2 == nil && info.Cluster != nil && len(info.Cluster.Replicas) == 2
			for i := 0; whole && i < 2; i++ {
				whole = info.Cluster.Replicas[i].Current
			}
			if whole {
				cancel()
				return
			}
		}
		cancel()
		if time.Now().After(end) {
			t.Fatalf("the cluster does not come up: %v", err)
		}
	}
}

// A worker that is stopped for longer than its lease counts as gone. When it continues, it is
// present again, and its finished games count.
func TestFaultsLease(t *testing.T) {
	if kills(t) < 10 {
		t.Skip("it takes half a minute: set DAMIER_FAULTS=100")
	}
	dir, ids := slowRun(t), filepath.Join(t.TempDir(), "ids")
	h, _ := startHub(t, HubConfig{Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:0", PerMinute: 1e6})
	a := accessTo(h)
	w := start(t, "worker", a.URL, a.TokenFile, ids)
	waitForGames(t, ids)
	w.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(lease + 3*time.Second)
	if s := h.Status(); !s.Workers[0].Gone {
		t.Errorf("%+v", s.Workers)
	}
	w.cmd.Process.Signal(syscall.SIGCONT)
	waitForGames(t, ids)
	wait(t, h, "the worker", func(s Status) bool {
		return len(s.Workers) == 1 && !s.Workers[0].Gone
	})
	w.end(syscall.SIGTERM)
	for id := range readIDs(t, ids) {
		wait(t, h, id, func(Status) bool { n, _ := parseID(id); return h.has(n) })
	}
}

// The learner's disk is full for a while. The test needs permission to mount a small disk.
func TestFaultsFullDisk(t *testing.T) {
	if kills(t) < 10 {
		t.Skip("it mounts a disk: set DAMIER_FAULTS=100")
	}
	disk := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", disk).Run(); err != nil {
		t.Skipf("no small disk can be mounted: %v", err)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", disk).Run() })
	from := slowRun(t)
	dir, ids := filepath.Join(disk, "run"), filepath.Join(t.TempDir(), "ids")
	if out, err := exec.Command("cp", "-r", from, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h, stop := startHub(t, HubConfig{
		Method: sparse.Method{}, Dir: dir, Listen: "127.0.0.1:" + ports(t, 1)[0],
		PerMinute: 1e6, Bytes: 8 << 20,
	})
	a := accessTo(h)
	w := start(t, "worker", a.URL, a.TokenFile, ids)
	waitForGames(t, ids)
	for range 3 {
		filler, err := os.Create(filepath.Join(disk, "filler"))
		if err != nil {
			t.Fatal(err)
		}
		for chunk := make([]byte, 1<<16); err == nil; {
			_, err = filler.Write(chunk)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		filler.Close()
		time.Sleep(6 * time.Second)
		os.Remove(filler.Name())
		waitForGames(t, ids)
	}
	w.end(syscall.SIGTERM)
	acked := readIDs(t, ids)
	for id := range acked {
		wait(t, h, id, func(Status) bool { n, _ := parseID(id); return h.has(n) })
	}
	stop()
	games := accepted(t, dir)
	for id := range acked {
		if _, ok := games[id]; !ok {
			t.Errorf("game %s is lost", id)
		}
	}
	if err := learner.Verify(t.Context(), dir, sparse.Method{}, io.Discard); err != nil {
		t.Error(err)
	}
	t.Logf("%d acknowledged games of workers, all in the run once", len(acked))
}

// has reports whether a game is on the disk.
func (h *Hub) has(n gameName) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ledger.has(n.actor, n.number)
}
