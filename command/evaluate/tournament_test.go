package evaluate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"damier/arena"
	"damier/engine/open"
	"damier/models"
	"damier/rules"
)

// The hash of a player stays the same as long as its network, level and limits do, even if the
// file of the network moves. So its stored results stay valid.
func TestPlayerHash(t *testing.T) {
	v := rules.International
	network, err := models.NNUEContent(v)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	same, other := file("same.nnue", network), file("other.nnue", network[1:])
	hash := func(text string) string {
		t.Helper()
		h, err := playerHash(v, text)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, text := range []string{"random", "alphabeta:depth=2", "alphabeta:depth=4", "what"} {
		if h := hash(text); h != "" {
			t.Errorf("%s needs no file, but has the hash %s", text, h)
		}
	}
	all := map[string]string{}
	for _, text := range []string{
		"nnue:depth=4", "nnue:depth=5", "nnue:nodes=4", "nnue:level=4", "nnue:level=5", "alphabeta:level=4", "alphabeta:level=5",
		"nnue:" + other + ",depth=4", "tree:" + other + ",level=4", "tree:" + other + ",visits=40",
		"nnue:version=alphabeta-1,depth=4", "nnue:depth=4,book=on", "tree:" + other + ",visits=40,book=off",
	} {
		h := hash(text)
		if before, ok := all[h]; ok || h == "" {
			t.Errorf("%s and %s have the hash %q", before, text, h)
		}
		all[h] = text
	}
	if hash("nnue:"+same+",depth=4") != hash("nnue:depth=4") {
		t.Error("a copy of the program's network has another hash")
	}
	russian, err := rules.Lookup("russian", nil)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := playerHash(russian, "nnue:depth=4"); err != nil || h == hash("nnue:depth=4") {
		t.Errorf("of another variant: %q, %v", h, err)
	}
}

// A foreign program runs one process per game, so it plays at most as many games at a time as
// there are cores, even if the other side prefers more.
func TestTogether(t *testing.T) {
	many, program, few := &open.Side{Concurrency: 128}, &open.Side{Concurrency: 2, Most: 2}, &open.Side{Concurrency: 4}
	for _, x := range []struct {
		sides []*open.Side
		want  int
	}{{[]*open.Side{many, few}, 128}, {[]*open.Side{many, program}, 2}, {[]*open.Side{program, few}, 2}, {[]*open.Side{few}, 4}} {
		if got := open.Together(x.sides); got != x.want {
			t.Errorf("%d games at a time, want %d", got, x.want)
		}
	}
	o := &options{}
	if s, err := o.side(rules.International, `hub:"cat",depth=3`); err != nil || s.Most != cores() {
		t.Errorf("the side of a program is %+v, %v", s, err)
	}
}

// A proof is for players that have the same time, and nothing else that ends their searches.
func TestTimeOfAProof(t *testing.T) {
	const perMove, byClock = "the same time per move for both: --time, or --clock", "players without limits of their own"
	clock := &arena.Control{Time: time.Minute}
	for _, c := range []struct {
		a, b    string
		time    time.Duration
		clock   *arena.Control
		missing string
	}{
		{"nnue", "alphabeta", time.Second, nil, ""},
		{"nnue:time=0.1s", "tree:time=0.1s", 0, nil, ""},
		{"nnue:time=0.1s", "alphabeta", 100 * time.Millisecond, nil, ""},
		{"nnue:time=0.1s", "alphabeta:depth=2,time=0.1s", 0, nil, perMove},
		{"nnue:level=3", "nnue", time.Second, nil, perMove},
		{"nnue", "dxp:localhost:27531", time.Second, nil, perMove},
		{"nnue", "random", time.Second, nil, perMove},
		{"nnue", "tree", 0, clock, ""},
		{"nnue", "alphabeta:depth=2", 0, clock, byClock},
		{"nnue:time=1s", "alphabeta", 0, clock, byClock},
		{"nnue", "dxp:localhost:27531", 0, clock, byClock},
		{"random", "alphabeta", 0, clock, byClock},
	} {
		o := &options{a: c.a, b: c.b, time: c.time}
		missing := strings.Join(missingForProof(arena.Result{}, arena.Match{Clock: c.clock}, o), "\n")
		for _, reason := range []string{perMove, byClock} {
			if strings.Contains(missing, reason) != (reason == c.missing) {
				t.Errorf("%s against %s, %s a move, clock %v: %s", c.a, c.b, c.time, c.clock, missing)
			}
		}
	}
}

// Games lost by a fault or on time are no evidence of strength.
func TestFailuresAreNoProof(t *testing.T) {
	o := &options{a: "alphabeta:depth=2", b: "alphabeta:depth=1"}
	sound := len(missingForProof(arena.Result{}, arena.Match{}, o))
	for _, r := range []arena.Result{{Failures: [2]int{0, 1}}, {Forfeits: [2]int{1, 0}}} {
		if n := len(missingForProof(r, arena.Match{}, o)); n != sound+1 {
			t.Errorf("%+v: %d reasons against a proof, %d without the fault", r, n, sound)
		}
	}
	if n := len(missingForProof(arena.Result{Forfeits: [2]int{1, 0}}, arena.Match{Clock: &arena.Control{}}, o)); n != len(missingForProof(arena.Result{}, arena.Match{Clock: &arena.Control{}}, o)) {
		t.Error("with a clock, a loss on time must not spoil a proof")
	}
}

// A program that never answers does not hold up who has pressed Ctrl-C.
func TestInterruptedStart(t *testing.T) {
	for _, args := range [][]string{
		{"tournament", "--player", `hub:"cat",depth=3`, "--player", "alphabeta:depth=1", "--games", "2", "--out", filepath.Join(t.TempDir(), "out")},
		{"tactics", "solve", "--variant", "international", "--player", `hub:"cat",depth=3`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		c := New()
		c.SetArgs(args)
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		done := make(chan error, 1)
		go func() { done <- c.ExecuteContext(ctx) }()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", args[0], err)
			}
		case <-time.After(20 * time.Second): // a program has 30 seconds to answer
			t.Errorf("%s goes on after Ctrl-C", args[0])
		}
	}
}
