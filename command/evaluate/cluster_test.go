package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"damier/arena"
	"damier/cluster"
	"damier/internal/cli"
	"damier/net/nnue"
	"damier/rules"
)

// clusterMatch plays a match with `workers` workers of a cluster, and returns its result and its
// games.
func clusterMatch(
	t *testing.T, workers int, disturb func(i int, w *cluster.MatchWorker), o options,
) (arena.Result, []string, error) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	o.listen, o.check = "127.0.0.1:0", 0.1
	m, err := o.newMatch()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c := &cobra.Command{Use: "evaluate"}
	c.SetErr(&stderr)
	h, err := o.openHub(c, &m)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	words := strings.Fields(h.Join())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, workers)
	for i := range workers {
		w := &cluster.MatchWorker{
			Access: cluster.Access{URL: words[0], TokenFile: words[2]}, Name: fmt.Sprintf("w%d", i), Games: 2, Version: cli.Version(),
			Make: matchOfOrder, Note: t.Logf,
		}
		if disturb != nil {
			disturb(i, w)
		}
		go func() { ended <- w.Run(ctx) }()
	}
	var games []string
	m.OnGame = func(g arena.GameRecord) error {
		games = append(games, textOf(g))
		return nil
	}
	r, err := m.Play(t.Context())
	cancel()
	for range workers {
		if e := <-ended; !errors.Is(e, context.Canceled) && !errors.Is(e, cluster.ErrBarred) && !errors.Is(e, cluster.ErrAccess) &&
			!errors.Is(e, errGivesUp) {
			t.Errorf("a worker: %v", e)
		}
	}
	return r, games, err
}

// errGivesUp is the error of a leaver.
var errGivesUp = errors.New("gives up")

// textOf describes a game, to compare it with another.
func textOf(g arena.GameRecord) string {
	o, why := g.Game.Outcome()
	return fmt.Sprintf("%d %d %s %s %v %s %x", g.Number, g.Opening, g.White, g.Black, o, why, arena.GameKey(g.Game))
}

// localMatch plays the same match on this machine alone.
func localMatch(t *testing.T, o options) (arena.Result, []string) {
	t.Helper()
	m, err := o.newMatch()
	if err != nil {
		t.Fatal(err)
	}
	var games []string
	m.OnGame = func(g arena.GameRecord) error {
		games = append(games, textOf(g))
		return nil
	}
	r, err := m.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r, games
}

// Workers of a cluster play the same games as one machine does, move for move, and the sequential
// test stops the match after the same pair.
func TestElsewhereIsTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.nnue")
	if err := nnue.New(rules.International, 32, 1).SaveFile(file); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]options{
		"network":  {a: "tree:" + file, b: "random", games: 12, visits: 4},
		"sprt":     {a: "alphabeta:depth=2", b: "random", games: 200, sprt: "0,50", visits: 4},
		"judged":   {a: "nnue:depth=1", b: "tree:visits=4", games: 8, adjudicate: "moves=2,win=0.9"},
		"frisian":  {variant: "frisian", a: "alphabeta:nodes=300", b: "random", games: 8},
		"no plies": {a: "random", b: "random", games: 8, maxPlies: 40},
	} {
		if o.variant == "" {
			o.variant = "international"
		}
		o.seed, o.anyLength, o.egdb = 7, o.maxPlies == 0, "off"
		want, games := localMatch(t, o)
		got, remote, err := clusterMatch(t, 3, nil, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(got)
		if string(a) != string(b) {
			t.Errorf("%s: by the cluster\n%s\nby one machine\n%s", name, b, a)
		}
		for i := range games {
			if i >= len(remote) || games[i] != remote[i] {
				t.Errorf("%s: game %d differs", name, i)
				break
			}
		}
		if len(games) != len(remote) || name == "sprt" && want.Verdict != arena.Accepted {
			t.Errorf("%s: %d games by the cluster, %d by one machine, %v", name, len(remote), len(games), want.Verdict)
		}
	}
}

// leaver is a player that stops its worker after a number of moves.
type leaver struct {
	arena.Player
	left *atomic.Int64
}

func (l leaver) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if l.left.Add(-1) < 0 {
		return rules.Move{}, errGivesUp
	}
	return l.Player.Play(ctx, g)
}

// swapped plays another move than its player would.
type swapped struct{ arena.Player }

func (s swapped) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	return g.Legal()[len(g.Legal())-1], nil
}

// A worker that stops in the middle of its pairs, and one that plays wrong moves, do not change
// the result.
func TestElsewhereLosesNothing(t *testing.T) {
	o := options{variant: "international", a: "alphabeta:depth=2", b: "alphabeta:depth=1", games: 24, seed: 3, anyLength: true, egdb: "off"}
	want, games := localMatch(t, o)
	made := atomic.Int64{}
	asked := make(chan bool, 1)
	got, remote, err := clusterMatch(t, 3, func(i int, w *cluster.MatchWorker) {
		if i == 0 { // a worker of a run gets the right command to type
			run := &cluster.Worker{Access: w.Access, Name: "run", Actors: 1}
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				err := run.Run(ctx)
				asked <- err != nil && strings.Contains(err.Error(), "evaluate --join")
			}()
		}
		if i == 2 { // the honest worker joins after the others have begun
			honest := w.Make
			w.Make = func(ctx context.Context, order cluster.MatchOrder, networks map[string][]byte) (arena.Match, error) {
				time.Sleep(1500 * time.Millisecond)
				return honest(ctx, order, networks)
			}
			return
		}
		w.Make = func(ctx context.Context, order cluster.MatchOrder, networks map[string][]byte) (arena.Match, error) {
			m, err := matchOfOrder(ctx, order, networks)
			before := m.A
			left := &atomic.Int64{}
			left.Store(90)
			m.A = func() (arena.Player, error) {
				p, err := before()
				made.Add(1)
				if i == 0 {
					return leaver{p, left}, err
				}
				return swapped{p}, err
			}
			return m, err
		}
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if string(a) != string(b) || fmt.Sprint(games) != fmt.Sprint(remote) {
		t.Errorf("by the cluster\n%s\nby one machine\n%s", b, a)
	}
	if made.Load() == 0 {
		t.Error("no worker disturbed the match: the test shows nothing")
	}
	if !<-asked {
		t.Error("a worker of a run did not get the command to type")
	}
	dir := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "damier", "match", "barred.json")
	if text, err := os.ReadFile(dir); err != nil || !strings.Contains(string(text), `"w1"`) || strings.Contains(string(text), `"w2"`) {
		t.Errorf("barred: %s, %v", text, err)
	}
}

// A match that workers cannot repeat exactly is refused before the hub opens.
func TestElsewhereRefuses(t *testing.T) {
	for _, c := range []struct{ a, want string }{
		{"alphabeta:time=0.1s", "not equally fast"}, {`hub:"./scan hub",depth=3`, "other programs"}, {"dxp:localhost:1", "other programs"},
		{"nnue:depth=2,egdb=on", "endgame tables"}, {"nnue:depth=2,book=on", "opening book"}, {"tree:visits=2,book=/a/book", "opening book"},
	} {
		_, err := parsePortable(c.a)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.a, err)
		}
		if _, err := matchOfOrder(t.Context(), cluster.MatchOrder{Variant: "international", A: c.a, B: "random"}, nil); err == nil {
			t.Errorf("a worker plays %s", c.a)
		}
	}
}

// Without a book a player can be repeated by workers.
func TestElsewhereWithoutBook(t *testing.T) {
	if _, err := parsePortable("nnue:depth=2,book=off,egdb=off"); err != nil {
		t.Error(err)
	}
}

// With --join a flag of the match is refused by its name, and flags of the worker are not.
func TestJoinFlags(t *testing.T) {
	for text, want := range map[string]string{
		"--token-file=t --fingerprint=f --label=l --concurrency=2": "",

		"--a=random":              "--a",
		"--games=2":               "--games",
		"--visits=100":            "--visits",
		"--seed=2":                "--seed",
		"--json":                  "--json",
		"--pdn=games.pdn":         "--pdn",
		"--variant=international": "--variant",
		"--egdb=off":              "--egdb",
		"--listen":                "--listen",
		"--check=0.5":             "--check",
		"--tls-cert=c":            "--tls-cert",
	} {
		var o options
		s := pflag.NewFlagSet("", pflag.ContinueOnError)
		o.addFlags(s)
		if err := s.Parse(append(strings.Fields(text), "--join=nats://host:1")); err != nil {
			t.Fatal(err)
		}
		err := o.clusterFlags.validate(s.Changed)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (cli.Code(err) != cli.Usage || !strings.Contains(err.Error(), "leave out "+want+",")):
			t.Errorf("%s: %v", text, err)
		}
	}
}
