package settings

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferences(t *testing.T) {
	run, asked := Default(), Default()
	asked.Minutes, asked.Generations, asked.Actors, asked.Refit.Passes = 5, 7, 3, 2
	asked.Evaluation.Every, asked.Evaluation.Rungs, asked.Limits.GamesGB = 1, nil, 3
	if d := Differences(run, asked, "the run"); len(d) != 0 {
		t.Errorf("may change: %q", d)
	}
	v, err := run.Lookup()
	if err != nil {
		t.Fatal(err)
	}
	asked.Options = v.Options.String() // the defaults, spelt out
	if d := Differences(run, asked, "the run"); len(d) != 0 {
		t.Errorf("say the same: %q", d)
	}
	asked.Seed, asked.Net.Width, asked.SelfPlay.Visits = 9, 64, []string{"0:8"}
	want := []string{
		"net.width: the run has 0, asked for is 64",
		"seed: the run has 1, asked for is 9",
		`selfplay.visits: the run has ["0:16", "65536:64"], asked for is ["0:8"]`,
	}
	if d := cmp.Diff(want, Differences(run, asked, "the run")); d != "" {
		t.Error(d)
	}
}

// A zero in the settings of the window stands for a default of package data, so the defaults here
// have none: every value that is shown is the value that applies.
func TestWindowDefaultsApply(t *testing.T) {
	w := reflect.ValueOf(Default().Window)
	for i := range w.NumField() {
		if w.Field(i).IsZero() {
			t.Errorf("window.%s is shown as 0", w.Type().Field(i).Name)
		}
	}
}
