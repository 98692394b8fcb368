package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"damier/web/board"
)

// TestHolds tries one moment of each class, except kills, which take minutes.
func TestHolds(t *testing.T) {
	for _, name := range []string{"network", "weights", "shard", "config", "games", "fen", "lines", "engine", "http", "peer", "run", "tables", "results", "fault"} {
		var out strings.Builder
		if err := run(t.Context(), []string{"--only", name, "--minutes", "0.002", "--keep", t.TempDir()}, &out); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
		if !strings.Contains(out.String(), name) || !strings.Contains(out.String(), "all") {
			t.Errorf("the table is\n%s", out.String())
		}
	}
}

// TestSeedsAreGood: the readers accept the unchanged seeds, so a refusal is caused by the
// mutation.
func TestSeedsAreGood(t *testing.T) {
	classes, err := allClasses(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range classes {
		for i, s := range c.seeds {
			if err := c.try(t.Context(), s); err != nil {
				t.Errorf("%s: seed %d: %v", c.name, i, err)
			}
		}
	}
}

// TestRequestsAreGood: the server accepts each unchanged body at some address, and at each address
// some body, except where an action needs what no single request brings about.
func TestRequestsAreGood(t *testing.T) {
	server := board.New(board.Config{})
	defer server.Close()
	needs := map[string]string{"try": "a review", "lapse": "a capture", "force": "a lapse", "huff": "a lapse", "promote": "a variation"}
	accepted := map[string]bool{}
	for _, address := range addresses {
		for _, body := range bodies {
			if err := tryHTTP(t.Context(), server, []byte(address+"\n"+body)); err == nil {
				accepted[address], accepted[body] = true, true
			}
		}
		if need := needs[path.Base(address)]; accepted[address] != (need == "") {
			t.Errorf("%s: accepted %t, it needs %q", address, accepted[address], need)
		}
	}
	for _, body := range bodies {
		if !accepted[body] {
			t.Errorf("no address accepts %s", body)
		}
	}
}

// TestBreaks: a failure is reported, and the input that caused it is kept.
func TestBreaks(t *testing.T) {
	kept := t.TempDir()
	for name, try := range map[string]func(context.Context, []byte) error{
		"panic": func(context.Context, []byte) error { panic("here") },
		"error": func(context.Context, []byte) error { return broken("here") },
		"memory": func(context.Context, []byte) error {
			hold = make([]byte, mostMemory+1<<26)
			return errors.New("refused")
		},
	} {
		d := &drill{class: class{name: name, try: try}, keep: kept}
		d.attempt([]byte("the input"))
		hold = nil
		if len(d.broken) != 1 || d.refused != 1 || d.tried != 1 || !strings.HasPrefix(d.held(), "NOT") {
			t.Errorf("%s: %+v", name, d.broken)
			continue
		}
		file, _, _ := strings.Cut(d.broken[0], ": ")
		if text, err := os.ReadFile(file); err != nil || string(text) != "the input" {
			t.Errorf("%s: kept %q, %v", name, text, err)
		}
	}
	refused := &drill{class: class{name: "refused", seeds: [][]byte{[]byte("a")}, try: func(context.Context, []byte) error { return errors.New("no") }}, rng: rand.New(rand.NewPCG(1, 1)), keep: kept}
	refused.until(t.Context(), time.Now().Add(20*time.Millisecond))
	if len(refused.broken) > 0 || refused.tried == 0 || refused.refused != refused.tried {
		t.Errorf("%d tried, %d refused, broken: %q", refused.tried, refused.refused, refused.broken)
	}
}

var hold []byte // keeps memory in use

// TestUsage tries wrong flags and Ctrl-C.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--only", "nothing"}, {"--minutes", "many"}, {"--only", "fen", "--input", "no such file"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"--only", "fen"}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A run whose disk is full reports it, in whatever write it happens: a folder, a shard, a line of
// the metrics.
func TestFullDiskIsTold(t *testing.T) {
	f := newFailing(t.TempDir())
	for _, input := range []string{"quota 0", "quota 3", "quota 40", "quota 41", "full 202333", "full 324630"} {
		if err := f.try(t.Context(), []byte(input)); isBroken(err) {
			t.Errorf("%s: %v", input, err)
		}
	}
}
