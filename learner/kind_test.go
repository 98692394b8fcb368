package learner

import (
	"errors"
	"os"
	"strings"
	"testing"

	"damier/data"
	"damier/learner/settings"
)

// Whatever looks at a run says of a folder that it is none, begins with its name, and does nothing
// to it.
func TestNotARun(t *testing.T) {
	dir := t.TempDir()
	for name, look := range map[string]func() error{
		"settings": func() error { _, err := ResolveRun(dir, toyMethod{}, settings.Sources{}); return err },
		"view":     func() error { _, err := OpenView(dir, toyMethod{}); return err },
		"best":     func() error { _, err := BestNetwork(dir); return err },
		"plot":     func() error { _, err := PlotRun(dir); return err },
		"check":    func() error { _, err := Check(t.Context(), dir, toyMethod{}); return err },
		"worker":   func() error { _, err := RunWorker(dir, toyMethod{}, "w", 1); return err },
		"fit": func() error {
			_, err := Fit(t.Context(), dir, toyMethod{}, settings.Sources{}, 8000, nil, noProgress)
			return err
		},
	} {
		err := look()
		if !errors.Is(err, data.ErrForeign) || errors.Is(err, data.ErrDamaged) || !strings.HasPrefix(err.Error(), dir+" is not a run: there is no run.json in it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("there are now %v, %v", entries, err)
	}
}
