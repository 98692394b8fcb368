package learn

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"damier/data"
	"damier/net"
	"damier/nnue"
)

// A fit to the window of a run learns, is the same when repeated, takes the settings it is given, and leaves the run alone.
func TestFit(t *testing.T) {
	dir := t.TempDir()
	train(t, dir, 3, small("english", nil))
	before, err := os.ReadFile(filepath.Join(dir, checkpointFile))
	if err != nil {
		t.Fatal(err)
	}
	fit := func(width int) (*nnue.Model, []FitPoint) {
		var points []FitPoint
		m, err := Fit(context.Background(), dir, func(c *Config) error {
			c.Width, c.Passes = width, 2
			return nil
		}, func(p FitPoint) { points = append(points, p) })
		if err != nil {
			t.Fatal(err)
		}
		return m, points
	}
	m, points := fit(32)
	if m.Width != 32 || len(points) != fitPoints {
		t.Fatalf("%d units, %d points", m.Width, len(points))
	}
	if first, last := points[0], points[len(points)-1]; last.Loss >= first.Loss || last.Loss >= math.Ln2 || last.Train >= first.Train || last.Examples <= first.Examples {
		t.Errorf("from %+v to %+v nothing was learnt", first, last)
	}
	again, more := fit(32)
	if !reflect.DeepEqual(m.Hidden, again.Hidden) || more[7].Loss != points[7].Loss {
		t.Error("the same fit made another model")
	}
	if wide, _ := fit(64); wide.Width != 64 {
		t.Errorf("%d units", wide.Width)
	}
	if after, err := os.ReadFile(filepath.Join(dir, checkpointFile)); err != nil || string(after) != string(before) {
		t.Error("the run is not as it was", err)
	}
}

func TestFitRefuses(t *testing.T) {
	same := func(*Config) error { return nil }
	tell := func(FitPoint) {}
	none := filepath.Join(t.TempDir(), "none")
	if _, err := Fit(context.Background(), none, same, tell); !errors.Is(err, data.ErrForeign) {
		t.Errorf("no run: %v", err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a fit to nothing made a run")
	}
	dir := t.TempDir()
	train(t, dir, 1, small("english", nil))
	if _, err := Fit(context.Background(), dir, func(c *Config) error { c.Variant = "russian"; return nil }, tell); !errors.Is(err, ErrConflict) {
		t.Errorf("another variant: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, dir, same, tell); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "window-*.parquet"))
	if err != nil || len(names) == 0 {
		t.Fatal("no window", err)
	}
	if err := os.WriteFile(names[0], []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(context.Background(), dir, same, tell); !errors.Is(err, net.ErrDamaged) {
		t.Errorf("a damaged window: %v", err)
	}
}

// When a run is over a new network has learnt its window, and what a player loads is the better one; the run itself goes on, if
// it does, with the network that has learnt all the time.
func TestRefit(t *testing.T) {
	dir := t.TempDir()
	points := 0
	// part goes on until the run is over, and returns the last line of its metrics and how many were of a refit.
	part := func(minutes, passes float64) (*Run, Generation, int) {
		t.Helper()
		r, err := Open(dir, small("english", func(c *Config) { c.Minutes, c.Rows, c.Passes, c.Games, c.Refit = minutes, 2000, 0.01, 2, passes }))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.Train(context.Background(), func(Generation) {}, func(FitPoint) { points++ }); err != nil {
			t.Fatal(err)
		}
		all, refits := metrics(t, dir), 0
		for _, g := range all {
			if g.Refit != nil {
				refits++
			}
		}
		last := all[len(all)-1]
		if last.Refit == nil || last.Match == nil || last.Loss <= 0 || last.Train <= 0 {
			t.Fatalf("the last line is %+v", last)
		}
		return r, last, refits
	}
	// better checks that the model on disk is that of the network which has won.
	better := func(r *Run, passes float64, last Generation) {
		t.Helper()
		m := r.Model
		if last.Refit.Score > 0.5 {
			var err error
			if m, err = Fit(context.Background(), dir, func(c *Config) error { c.Passes = passes; return nil }, func(FitPoint) {}); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("the new network has %.2f", last.Refit.Score)
		want := filepath.Join(t.TempDir(), modelFile)
		if err := m.SaveFile(want); err != nil {
			t.Fatal(err)
		}
		a, err := os.ReadFile(want)
		b, err2 := os.ReadFile(filepath.Join(dir, modelFile))
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("the model on disk is not the better one: %v", err)
		}
	}
	const hardly, well = 0.1, 10 // of a run that learns next to nothing itself
	r, last, refits := part(0.005, hardly)
	if refits != 1 || points != fitPoints {
		t.Fatalf("%d refits, told of at %d points", refits, points)
	}
	better(r, hardly, last)
	if _, _, refits := part(0.005, hardly); refits != 1 || points != fitPoints {
		t.Errorf("a run that was over had %d refits", refits)
	}
	longer, last, refits := part(4*last.Seconds/60, well)
	if refits != 2 || longer.Model.Generation <= r.Model.Generation {
		t.Errorf("made longer: %d refits, %d generations after %d", refits, longer.Model.Generation, r.Model.Generation)
	}
	better(longer, well, last)
}
