package learner

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"damier/data"
	"damier/learner/settings"
	"damier/rules"
)

// sampledWindow is a window of games of random moves.
func sampledWindow(t *testing.T) *data.Window {
	v := rules.International
	rng := rand.New(rand.NewPCG(5, 6))
	w := data.NewWindow(v, data.WindowConfig{}, func(*data.Game, int) (float32, bool) { return 0.5, true })
	for range 5 {
		var g data.Game
		for p := v.Start(); len(g.Plies) < 40; {
			moves := v.AppendMoves(nil, p)
			if len(moves) == 0 {
				break
			}
			g.Plies = append(g.Plies, data.Ply{Position: p, Moves: moves})
			p = v.Play(p, moves[rng.IntN(len(moves))])
		}
		w.Add(g)
	}
	return w
}

// Without stray positions a refit draws what a window draws; with them, each row as often as the
// others.
func TestMixture(t *testing.T) {
	w := sampledWindow(t)
	m := mixture{w, &data.Rows{}}
	draw := func(seed uint64) []data.Sample {
		drawn := make([]data.Sample, 1000)
		data.Draw(m, rand.New(rand.NewPCG(seed, 2)), drawn)
		return drawn
	}
	want := make([]data.Sample, 1000)
	data.Draw(w, rand.New(rand.NewPCG(1, 2)), want)
	if got := draw(1); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for range w.Len() / 3 {
		m.strays.Add(rules.International.Start(), 0.25)
	}
	strays := 0
	for _, s := range draw(3) {
		if s.Score < 0.3 {
			strays++
		}
	}
	if strays < 200 || strays > 300 { // a quarter, and more than three standard deviations
		t.Errorf("%d of 1000 rows are of stray positions", strays)
	}
}

// The stray positions of a refit are the same whatever the number of actors, others in the next
// generation, and in the number that the settings ask for. A process that is stopped while it
// searches them saves nothing of it.
func TestStrays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	keys := map[string]string{"refit.passes": "2", "refit.games": "2", "refit.strays": "0.5", "refit.width": "64"}
	stopped, stop := context.WithCancel(t.Context())
	report := newSpy()
	report.playing = func() {
		if strings.Contains(report.text(), "stray positions") {
			stop()
		}
	}
	if _, err := session(t, stopped, dir, tiny(keys), report); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m, again := mustRun(t, dir, resume(nil))
	if !strings.Contains(again.text(), "searches") || m.Refit == nil {
		t.Fatalf("refit %+v\n%s", m.Refit, again.text())
	}
	l, done := opened(t, dir, resume(nil))
	defer done()
	window := l.replay.train.Len()
	of := func(actors int) []data.Sample {
		l.cfg.Actors = actors
		found, err := l.strays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var rows []data.Sample
		for i := range found.strays.Len() {
			rows = append(rows, found.strays.At(i))
		}
		return rows
	}
	one := of(1)
	if !slices.Equal(one, of(3)) {
		t.Error("three actors find others than one")
	}
	if len(one) < window/4 || len(one) > window/2 || m.Refit.Rows < 2*(window+len(one))-2*l.cfg.Train.Batch {
		t.Errorf("%d rows of stray positions for %d of the window, %d learnt", len(one), window, m.Refit.Rows)
	}
	l.run.Manifest.Generation++
	if slices.Equal(one, of(1)) {
		t.Error("the next generation finds the same")
	}
	if _, err := settings.Resolve(toyMethod{}, tiny(map[string]string{"refit.strays": "1.5"})); err == nil || !strings.Contains(err.Error(), "refit.strays is 1.5") {
		t.Errorf("%v", err)
	}
}
