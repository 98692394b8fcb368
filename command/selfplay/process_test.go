package selfplay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"damier/data"
	"damier/internal/cli"
	"damier/internal/clitest"
	"damier/learner"
	"damier/learner/settings"
	"damier/net/nnue"
	"damier/rules"
)

// process returns the program as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return clitest.Command(t, "selfplay", args...)
}

// tinyModel writes a model file.
func tinyModel(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "m.nnue")
	if err := nnue.New(rules.International, 32, 1).SaveFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// games returns the games of all shards of a folder.
func games(t *testing.T, dir string) []data.Game {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+data.Extension))
	if err != nil {
		t.Fatal(err)
	}
	var all []data.Game
	for _, f := range files {
		some, err := data.ReadShard(f, rules.International)
		if err != nil {
			t.Error(err)
		}
		all = append(all, some...)
	}
	return all
}

func TestModelAlone(t *testing.T) {
	dir := t.TempDir()
	model, out := tinyModel(t, dir), filepath.Join(dir, "out")
	for range 2 { // the second process adds to the folder
		text, err := process(t, "--model", model, "--out", out, "--games", "3", "--visits", "4").CombinedOutput()
		if err != nil || !strings.Contains(string(text), "3 games, ") {
			t.Fatalf("%v: %s", err, text)
		}
	}
	all := games(t, out)
	ids := map[string]bool{}
	for _, g := range all {
		ids[g.ID] = true
		for _, p := range g.Plies {
			// A proved result ends the search.
			proved := p.Root.Win == 1 || p.Root.Draw == 1 || p.Root.Loss == 1
			if p.Visits != nil && p.Simulations != 4 && !proved {
				t.Errorf("%d simulations", p.Simulations)
			}
		}
	}
	if len(all) != 6 || len(ids) != 6 {
		t.Errorf("%d games, %d ids, want 6", len(all), len(ids))
	}
	byDepth := filepath.Join(dir, "alphabeta")
	text, err := process(t, "--model", model, "--out", byDepth, "--games", "2", "--search", "alphabeta").CombinedOutput()
	if err != nil || len(games(t, byDepth)) != 2 {
		t.Errorf("%v: %s", err, text)
	}
	text, err = process(t, "--model", model, "--out", out, "--visits", "1").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(text), "0:1: a search has 2 to 65535 visits") {
		t.Errorf("%v: %s", err, text)
	}
}

// A worker writes a shard, which the run adopts when it continues.
func TestWorkerOfRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	train := func(generations string) learner.Manifest {
		set := map[string]string{"generations": generations}
		s := settings.Sources{Set: set}
		if !learner.IsRun(dir) {
			s.Preset = "tiny"
			set["evaluation.rungs"], set["selfplay.max_plies"] = "", "40"
		}
		run, err := learner.Open(dir, method, s)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		l, err := learner.New(t.Context(), run, &learner.Console{Out: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return run.Manifest
	}
	train("1")
	text, err := process(t, "--run", dir, "--games", "4").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "4 games, ") {
		t.Fatalf("%v: %s", err, text)
	}
	adopted := 0
	for _, s := range train("2").Games.Shards {
		if strings.HasPrefix(s.Name, "w") {
			adopted += s.Games
		}
	}
	if adopted != 4 {
		t.Errorf("%d games adopted, want 4", adopted)
	}
}

// After Ctrl-C all finished games are on disk.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	c := process(t, "--model", tinyModel(t, dir), "--out", out, "--visits", "2", "--actors", "1")
	var talk bytes.Buffer
	c.Stderr = &talk
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for !exists(out) {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Second)
	c.Process.Signal(os.Interrupt)
	c.Wait()
	if c.ProcessState.ExitCode() != 130 || !strings.Contains(talk.String(), "finished games are in") {
		t.Errorf("%v: %s", c.ProcessState, &talk)
	}
	if len(games(t, out)) == 0 {
		t.Log("no game was finished in a second")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestBenchmark(t *testing.T) {
	text, err := process(t, "benchmark", "--json", "--seconds", "0.1", "--model", tinyModel(t, t.TempDir())).Output()
	if err != nil {
		t.Fatal(err)
	}
	var m measured
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if m.Variant != "international" || m.Cores < 1 || m.Weights == 0 || m.Leaves <= 0 || len(m.Played) != 4 {
		t.Errorf("%s", text)
	}
	for i, s := range m.Played {
		if s.Sims <= 0 || s.Rows <= 0 || (s.Search == "alphabeta") != (i == 3) || (s.TreeRows > 0) != (s.Visits > 8) {
			t.Errorf("%+v", s)
		}
	}
	for _, key := range []string{"leaves_per_second", "search", "simulations_per_second", "games_per_second", "rows_per_second", "tree_rows_per_second"} {
		if !bytes.Contains(text, []byte(`"`+key+`"`)) {
			t.Errorf("no key %s", key)
		}
	}
}

// The benchmark takes a network size, and writes a profile in the format of go tool pprof.
func TestBenchmarkProfile(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "cpu.prof")
	text, err := process(t, "benchmark", "--json", "--seconds", "0.1", "--width", "64", "--profile", profile).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("NNUE, 64 units")) {
		t.Errorf("%s", text)
	}
	// Compressed by gzip.
	if p, err := os.ReadFile(profile); err != nil || !bytes.HasPrefix(p, []byte{0x1f, 0x8b}) {
		t.Errorf("no profile: %v, %d bytes", err, len(p))
	}
	if _, err := startProfile(profile); cli.Code(err) != cli.Usage {
		t.Errorf("a file that is there as the profile: %v", err)
	}
}
