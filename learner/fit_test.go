package learner

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"damier/data"
	"damier/learner/settings"
)

// A fit learns from the records of the run, does not change the run, and gives the same result
// every time.
func TestFit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustRun(t, dir, tiny(map[string]string{
		"synchronous": "true", "generation.games": "80", "train.learning_rate": "0.01", "selfplay.max_plies": "80",
	}))
	before, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(set map[string]string) (points []FitPoint, m Network) {
		t.Helper()
		m, err := Fit(context.Background(), dir, toyMethod{}, settings.Sources{Set: set}, 8000, func(p FitPoint) { points = append(points, p) }, noProgress)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) != 8 {
			t.Fatalf("%d points", len(points))
		}
		return points, m
	}
	points, first := fit(nil)
	last := points[7]
	if last.Value >= points[0].Value || last.Samples != 8000 || last.CPUSeconds <= 0 || last.Material <= 0 || last.Material >= math.Log(3) {
		t.Errorf("%+v then %+v", points[0], last)
	}
	if _, again := fit(nil); !bytes.Equal(saved(t, again), saved(t, first)) {
		t.Error("the same fit gave another network")
	}
	if _, wide := fit(map[string]string{"net.width": "64"}); wide.(*toy).Width != 64 {
		t.Errorf("network %s", wide.Shape())
	}
	after, err := readManifest(dir)
	if err != nil || after.Steps != before.Steps || after.Session != before.Session {
		t.Errorf("the run is not what it was: %v", err)
	}
	verify(t, dir)

	file := filepath.Join(t.TempDir(), "fit.toy")
	if err := WriteModel(file, first); err != nil {
		t.Fatal(err)
	}
	// It ends while it reads, and with the error of a shard.
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Fit(ctx, dir, toyMethod{}, settings.Sources{}, 8000, nil, func(work string, done, of int) {
		if work != "reading" || done > of {
			t.Errorf("%s %d of %d", work, done, of)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it reads: %v", err)
	}
	damaged := filepath.Join(dir, gamesDir, after.Games.Shards[0].Name)
	whole, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(t.Context(), dir, toyMethod{}, settings.Sources{}, 8000, nil, noProgress); !errors.Is(err, data.ErrDamaged) {
		t.Errorf("a damaged shard: %v", err)
	}
	if err := os.WriteFile(damaged, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(context.Background(), t.TempDir(), toyMethod{}, settings.Sources{}, 8000, nil, noProgress); !errors.Is(err, data.ErrForeign) {
		t.Errorf("no run: %v", err)
	}
	if _, err := Fit(context.Background(), dir, toyMethod{}, settings.Sources{}, 100, nil, noProgress); !errors.Is(err, settings.ErrSettings) {
		t.Errorf("too few samples: %v", err)
	}
}

// A fit uses the window of the run, even if the window is smaller than all games played.
func TestFitHasTheWindow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, _ := mustRun(t, dir, tiny(map[string]string{
		"synchronous": "true", "generations": "8", "generation.games": "30", "window.min_rows": "200", "selfplay.tree_rows": "-1", "window.exponent": "0.65",
	}))
	resolved, err := ResolveRun(dir, toyMethod{}, settings.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := resolved.Lookup()
	if err != nil {
		t.Fatal(err)
	}
	total := m.Games.Totals().Rows
	want := resolved.Window.Size(total)
	r := newReplay(v, toyMethod{}, resolved.Config, fitHeldout)
	if err := r.readNewest(t.Context(), dir, v, m.Games.Shards, want+want/10+20, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	// The window holds whole games, and none of the held-out ones.
	rows := r.train.Len()
	if want > total/2 || rows < want*9/10 || rows > want+100 {
		t.Errorf("%d rows in a window of %d; %d in all, %d held out", rows, want, total, r.heldout.Len())
	}
}

func noProgress(string, int, int) {}

// saved returns the bytes of the file of a network.
func saved(t *testing.T, n Network) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := n.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
