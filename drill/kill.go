package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kills kills trainings of one run and resumes them.
type kills struct {
	dir    string
	train  string          // the program
	shards map[string]bool // shards that were ever complete on the disk
}

// newKills returns kills in a folder. It builds the program before the first kill.
func newKills(dir string) (*kills, error) {
	k := &kills{dir: filepath.Join(dir, "kills"), shards: map[string]bool{}}
	return k, os.Mkdir(k.dir, 0o700)
}

func (k *kills) run() string { return filepath.Join(k.dir, "run") }

// make returns a time after which to kill, as text. Most are short, because a start and a first
// checkpoint are the most critical.
func (k *kills) make(rng *rand.Rand) []byte {
	return fmt.Appendf(nil, "%dms", 20+int(rng.ExpFloat64()*700)%4000)
}

// try starts or resumes a training, kills it after the time and verifies the run. Nothing that was
// on the disk may be lost or damaged.
func (k *kills) try(ctx context.Context, input []byte) error {
	after, err := time.ParseDuration(string(input))
	if err != nil {
		return err
	}
	if k.train == "" {
		program := filepath.Join(k.dir, "train")
		build := exec.Command("go", "build", "-o", program, "damier/cmd/train")
		if out, err := build.CombinedOutput(); err != nil {
			return broken("building: %v\n%s", err, out)
		}
		k.train = program
	}
	args := []string{"--run", k.run(), "--preset", "smoke", "--quiet", "--minutes", "1000"}
	for _, set := range []string{
		"net.width=32", "selfplay.max_plies=120", "selfplay.visits=0:8", "generation.rows=512", "generation.start=512",
		"limits.shard_period=0.5", "evaluation.every=0.05", "evaluation.games=4", "evaluation.visits=8", "evaluation.rungs=random",
	} {
		args = append(args, "--set", set)
	}
	var said bytes.Buffer
	c := exec.Command(k.train, args...)
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		return broken("%v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		return broken("the training ended by itself: %v\n%s", err, said.String())
	case <-time.After(after):
	}
	if err := c.Process.Kill(); err != nil {
		return broken("%v", err)
	}
	<-ended
	if _, err := os.Stat(filepath.Join(k.run(), "run.json")); err != nil {
		return nil // killed before the run existed
	}
	if out, err := exec.CommandContext(ctx, k.train, "verify", "--run", k.run()).CombinedOutput(); err != nil {
		return broken("verify: %v\n%s", err, out)
	}
	entries, err := os.ReadDir(filepath.Join(k.run(), "games"))
	if err != nil {
		return broken("%v", err)
	}
	now := map[string]bool{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".damaged") {
			return broken("%s is damaged", e.Name())
		}
		now[e.Name()] = true
	}
	for name := range k.shards {
		if !now[name] {
			return broken("%s is lost", name)
		}
	}
	for name := range now {
		if strings.HasSuffix(name, ".parquet") {
			k.shards[name] = true
		}
	}
	return nil
}
