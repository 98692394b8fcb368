package learn

import (
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
	names, err := filepath.Glob(filepath.Join(dir, windowFiles))
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
