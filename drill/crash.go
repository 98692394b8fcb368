package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"damier/data"
	"damier/internal/publish"
	"damier/learner"
	"damier/learner/settings"
	"damier/learner/sparse"
)

// quiet are the settings of a run of a few seconds that writes every kind of file.
var quiet = map[string]string{
	"generations": "3", "actors": "2", "selfplay.max_plies": "40", "generation.rows": "32", "generation.start": "32", "generation.games": "2",
	"net.width": "32", "selfplay.tree_rows": "1", "selfplay.visits": "0:2", "refit.passes": "1", "refit.width": "64", "refit.games": "2", "refit.first": "50", "refit.strays": "0.2", "evaluation.rungs": "random", "evaluation.every": "0.0005",
	"evaluation.games": "2", "evaluation.visits": "2", "limits.keep_models": "1", "limits.shard_period": "0.01",
	"limits.games_gb": "0.00001", "window.min_rows": "100",
}

func quietSources(set map[string]string) settings.Sources {
	all := maps.Clone(quiet)
	maps.Copy(all, set)
	return settings.Sources{Preset: "tiny", Set: all}
}

// method is the method of the drill's runs.
var method learner.Method = sparse.Method{}

// session runs one session of a run to its end. It returns what the session reported.
func session(ctx context.Context, dir string, s settings.Sources) (said string, err error) {
	var out bytes.Buffer
	run, err := learner.Open(dir, method, s)
	if err != nil {
		return "", err
	}
	defer run.Close()
	l, err := learner.New(ctx, run, &learner.Console{Out: &out})
	if err != nil {
		return out.String(), err
	}
	err = l.Run(ctx)
	return out.String(), err
}

// crashes simulates a stop of the process, or of the machine, at every moment of a run.
type crashes struct {
	dir     string
	trace   *trace
	sources settings.Sources
	n       int // number of moments tried
}

func newCrashes(dir string) *crashes { return &crashes{dir: filepath.Join(dir, "crashes")} }

// record traces a run: a session that is stopped, one that resumes it and continues to the end,
// and one that continues beyond the end.
func (c *crashes) record(ctx context.Context) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	root := filepath.Join(c.dir, "traced")
	c.trace, c.sources = newTrace(root), quietSources(nil)
	if err := os.Mkdir(root, 0o700); err != nil {
		return err
	}
	defer publish.Mount(root, c.trace)()
	stopped, stop := context.WithCancel(ctx)
	stop()
	dir := filepath.Join(root, "run")
	if _, err := session(stopped, dir, c.sources); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a session that is stopped: %w", err)
	}
	for _, generations := range []string{"3", "5"} {
		if said, err := session(ctx, dir, quietSources(map[string]string{"generations": generations})); err != nil {
			return fmt.Errorf("a session: %w\n%s", err, said)
		}
	}
	return nil
}

// make returns the next moment: first each operation with each loss, then losses with other random
// numbers.
func (c *crashes) make(rng *rand.Rand) []byte {
	n := c.n
	c.n++
	if c.trace == nil {
		return []byte("0 0 0") // the trace is being recorded
	}
	at := n % (len(c.trace.ops) + 1)
	which := n / (len(c.trace.ops) + 1)
	if which >= len(losses) {
		which = len(losses) - 1
	}
	return fmt.Appendf(nil, "%d %d %d", at, which, rng.Uint32())
}

// try restores the files as they are when the process stops after a number of operations, and
// resumes the run.
func (c *crashes) try(ctx context.Context, input []byte) error {
	if c.trace == nil {
		if err := c.record(context.WithoutCancel(ctx)); err != nil {
			return broken("%v", err)
		}
	}
	var at, which int
	var seed uint64
	if _, err := fmt.Sscan(string(input), &at, &which, &seed); err != nil || at < 0 || at > len(c.trace.ops) || which < 0 || which >= len(losses) {
		return fmt.Errorf("an input is a number of operations up to %d, a loss up to %d and a seed", len(c.trace.ops), len(losses)-1)
	}
	dir := filepath.Join(c.dir, "stopped")
	if err := os.RemoveAll(dir); err != nil {
		return broken("%v", err)
	}
	if err := c.stopped(ctx, dir, at, losses[which], rand.New(rand.NewPCG(seed, 3))); err != nil {
		before := "nothing"
		if at > 0 {
			o := c.trace.ops[at-1]
			before = fmt.Sprintf("%s %s %s", o.kind, o.path, o.to)
		}
		return broken("%s after %s: %v", losses[which], before, err)
	}
	return nil
}

func (c *crashes) stopped(ctx context.Context, dir string, at int, l loss, rng *rand.Rand) error {
	disk := newImage()
	for _, o := range c.trace.ops[:at] {
		disk.apply(o)
	}
	removed := "" // by the last operation, or the one in progress
	if at < len(c.trace.ops) {
		next := c.trace.ops[at]
		if next.kind == opRemove {
			removed = next.path
		}
		if l == torn && next.kind == opWrite {
			next.data = next.data[:len(next.data)/2]
			disk.apply(next)
		}
	}
	// Shards that must exist: those whose names were synced to the disk, or if only the process is
	// killed, all.
	var shards []string
	games, begun := filepath.Join("run", "games"), false
	if f := disk.folders[games]; f != nil {
		for name := range f.live {
			_, durable := f.durable[name]
			if filepath.Ext(name) == data.Extension && (durable || l == killed || l == torn) && filepath.Join(games, name) != removed {
				shards = append(shards, name)
			}
		}
	}
	if f := disk.folders["run"]; f != nil {
		_, begun = f.durable["run.json"]
		if l == killed || l == torn {
			_, begun = f.live["run.json"]
		}
	}
	names, err := disk.write(dir, l, rng)
	if err != nil {
		return err
	}
	for _, name := range shards {
		if _, ok := names[filepath.Join(games, name)]; !ok {
			return fmt.Errorf("%s is lost", name)
		}
	}
	run := filepath.Join(dir, "run")
	if begun {
		var out bytes.Buffer
		if err := learner.Verify(ctx, run, method, &out); err != nil {
			// A run without settings has not begun yet, see learner.Open.
			if _, settings := names[filepath.Join("run", "config.toml")]; settings || !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("verify: %w\n%s", err, &out)
			}
		}
	}
	if err := takeUp(ctx, run, c.sources); err != nil {
		return err
	}
	if rng.IntN(16) > 0 { // continuing takes longer than the other checks
		return nil
	}
	if said, err := session(ctx, run, quietSources(map[string]string{"generations": "6"})); err != nil {
		return fmt.Errorf("going on: %w\n%s", err, said)
	}
	var out bytes.Buffer
	if err := learner.Verify(ctx, run, method, &out); err != nil {
		return fmt.Errorf("verify after going on: %w\n%s", err, &out)
	}
	return nil
}

// takeUp opens a run as a session does, and changes nothing else. No part of it may be damaged.
func takeUp(ctx context.Context, dir string, s settings.Sources) error {
	run, err := learner.Open(dir, method, s)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer run.Close()
	var said bytes.Buffer
	l, err := learner.New(ctx, run, &learner.Console{Out: &said})
	if err != nil {
		return fmt.Errorf("take up: %w\n%s", err, &said)
	}
	l.Close()
	if strings.Contains(said.String(), "damaged") || strings.Contains(said.String(), "could not") {
		return fmt.Errorf("taken up with a loss:\n%s", &said)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "games"))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".damaged") }) {
		return errors.New("a shard was set aside")
	}
	return nil
}
