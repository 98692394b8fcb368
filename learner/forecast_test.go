package learner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"damier/learner/journal"
	"damier/learner/settings"
	"damier/rules"
	"damier/selfplay"
)

// slowForecast is the obvious twin of the walk of [Learner.forecast]: it plays and learns row by
// row until a limit is reached.
func slowForecast(l *Learner, p pace) (rows int, spent cost) {
	m := &l.run.Manifest
	for {
		stage := p.of(l.cfg.SelfPlay.Stage(l.rows() + rows))
		row := stage.row.add(p.train.times(l.cfg.Generation.Passes))
		if l.cfg.Evaluation.Every > 0 {
			row = row.times(1 + l.evaluationSeconds(p, stage)/(60*l.cfg.Evaluation.Every))
		}
		next := spent.add(row)
		switch {
		case l.cfg.Generations > 0 && rows+1 > (l.cfg.Generations-m.Generation)*l.cfg.Generation.Rows,
			l.cfg.Minutes > 0 && next.clock > 60*l.cfg.Minutes-m.Seconds,
			l.cfg.CPUMinutes > 0 && next.cpu > 60*l.cfg.CPUMinutes-m.CPUSeconds:
			return rows, spent
		}
		rows, spent = rows+1, next
	}
}

// prepared returns the learner of a new run that has not begun.
func prepared(t *testing.T, set map[string]string) *Learner {
	t.Helper()
	l, done := opened(t, t.TempDir(), tiny(set))
	t.Cleanup(done)
	return l
}

func TestForecast(t *testing.T) {
	l := prepared(t, nil)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		from := 1 + random.IntN(1000)
		l.cfg.SelfPlay.Visits = []string{"0:4", fmt.Sprintf("%d:16", from), fmt.Sprintf("%d:32", from+1+random.IntN(1000))}
		p := pace{
			stages: map[selfplay.Stage]stagePace{
				{Visits: 4}:  {cost{0.1 + random.Float64(), random.Float64()}, 50},
				{Visits: 32}: {cost{1 + random.Float64(), random.Float64()}, 60},
			},
			train: cost{random.Float64() / 10, random.Float64() / 10},
			games: 0.02,
		}
		l.cfg.Evaluation = settings.Evaluation{Every: float64(random.IntN(2) * 90), Games: 4, Visits: 8, Rungs: []string{"random"}}
		l.cfg.Refit.Passes = 0
		l.cfg.Generations, l.cfg.Minutes, l.cfg.CPUMinutes = 0, 0, 0
		l.run.Manifest = Manifest{Generation: random.IntN(3), Seconds: 100 * random.Float64(), CPUSeconds: 100 * random.Float64()}
		switch random.IntN(4) {
		case 0:
			l.cfg.Generations = 3 + random.IntN(30)
		case 1:
			l.cfg.Minutes = 2 + 20*random.Float64()
		case 2:
			l.cfg.CPUMinutes = 2 + 20*random.Float64()
		default:
			l.cfg.Generations, l.cfg.Minutes, l.cfg.CPUMinutes = 3+random.IntN(30), 2+20*random.Float64(), 2+20*random.Float64()
		}
		rows, spent := slowForecast(l, p)
		got := l.forecast(p)
		end := l.evaluationSeconds(p, p.of(l.cfg.SelfPlay.Stage(got.Rows)))
		if got.Rows < rows || got.Rows > rows+1 || got.Endless || math.Abs(got.Left.Seconds()-spent.clock-end) > 3 {
			t.Fatalf("case %d: %+v, want %d rows in %g seconds and %g for the last matches; %+v", i, got, rows, spent.clock, end, p)
		}
		if got.Games != int(0.02*float64(got.Rows)) && got.Games != int(0.02*float64(got.Rows+1)) {
			t.Errorf("%d games of %d rows", got.Games, got.Rows)
		}
	}
	// A run without an end: what it does in a day.
	l.cfg.Generations, l.cfg.Minutes, l.cfg.CPUMinutes, l.cfg.Evaluation.Every = 0, 0, 0, 0
	l.cfg.SelfPlay.Visits = []string{"0:4"}
	one := pace{stages: map[selfplay.Stage]stagePace{{Visits: 4}: {cost{1, 1}, 50}}}
	if got := l.forecast(one); !got.Endless || got.Rows != 86400 || got.Left != 24*time.Hour {
		t.Errorf("%+v", got)
	}
	// A refit learns the window again, with twice the units.
	l.cfg.Generations, l.cfg.Refit, l.cfg.Net.Width = 2, settings.Refit{Passes: 3, Width: 64}, 32
	l.run.Manifest = Manifest{}
	one.train = cost{0.5, 0.5}
	l.cfg.Generation.Passes = 2
	for trees, learnt := range map[float64]time.Duration{0: 128, 2: 3 * 128, 1e6: time.Duration(l.cfg.Window.Cap - l.cfg.Window.Cap/64)} {
		one.trees = trees
		if got := l.forecast(one); got.Rows != 128 || got.Left != (128*2+2*3*learnt/2)*time.Second {
			t.Errorf("%g rows of trees a row: %+v", trees, got)
		}
	}
	// Refits in the middle of the run, of 40 and of 80 rows; that of 160 does not come.
	one.trees, l.cfg.Refit.First = 0, 40
	if got := l.forecast(one); got.Rows != 128 || got.Left != (128*2+3*(40+80+128))*time.Second {
		t.Errorf("%+v", got)
	}
	// Half as many stray positions, of which each takes two fifths of a second.
	l.cfg.Refit = settings.Refit{Passes: 3, Width: 64, Strays: 0.5}
	one.trees = 1
	if got := l.forecast(one); got.Left != (128*2+3*(2*128+128))*time.Second+51_200*time.Millisecond {
		t.Errorf("%+v", got)
	}
	one.trees, l.cfg.Refit.Strays, l.cfg.Refit.First = 0, 0, 40
	l.run.Manifest.Refit = &RefitResult{Refit: journal.Refit{Played: 32}} // at the end of a run that goes on
	if got := l.forecast(one); got.Left != (128*2+3*(64+128))*time.Second {
		t.Errorf("%+v", got)
	}
}

func TestForecastText(t *testing.T) {
	now := time.Date(2026, 11, 25, 14, 2, 0, 0, time.UTC)
	for _, c := range []struct {
		f    Forecast
		more string
		want string
	}{
		{Forecast{Games: 42_123, Rows: 9_123_456, Left: 30 * time.Minute}, "", "about 42,000 games, 9.1 million positions, ready at 14:32"},
		{Forecast{Games: 42_123, Rows: 9_123_456, Left: 12 * time.Hour}, "more ", "about 42,000 more games, 9.1 million positions, ready at 02:02 on Thursday"},
		{Forecast{Rows: 1_960, Left: 9 * 24 * time.Hour}, "", "about 2,000 positions, ready at 14:02 on 4 December"},
		{Forecast{Rows: 1_960}, "more ", "about 2,000 more positions, ready at 14:02"},
		{Forecast{Games: 7, Rows: 99, Left: 24 * time.Hour, Endless: true}, "", "about 7 games, 99 positions a day; the run goes on until it is stopped"},
	} {
		if got := c.f.text(now, c.more); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for n, want := range map[int]string{
		0: "0", 99: "99", 104: "100", 105: "110", 4_949: "4,900", 999_999: "1 million", 123_000_000: "120 million",
		2_349_000_000: "2.3 billion",
	} {
		if got := about(n); got != want {
			t.Errorf("about %d: %q, want %q", n, got, want)
		}
	}
}

// A run says how long it will take before it plays, whatever limits it; when it goes on, how much
// is to come.
func TestRunForecasts(t *testing.T) {
	foresees := func(l *Learner) { l.Forecast = true }
	line := regexp.MustCompile(`(?m)^about ([0-9,]+ (more )?games, )?[0-9,]+ (more )?positions, ready at [0-2][0-9]:[0-5][0-9]( on [A-Z][a-z]+)?$`)
	for _, set := range []map[string]string{
		{"generations": "1"},
		{"generations": "0", "minutes": "0.01"},
		{"generations": "0", "cpu_minutes": "0.01"},
		{"generations": "1", "selfplay.visits": "0:2,9:4,20:6,30:8,40:10", "selfplay.alphabeta_rows": "4"},
		{"generations": "1", "synchronous": "true"},
	} {
		report := newSpy()
		dir := t.TempDir()
		if _, err := session(t, t.Context(), dir, tiny(set), report, foresees); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(report.text(), "\n")
		if len(lines) < 3 || !strings.Contains(lines[0], "a new run") || !line.MatchString(lines[2]) || strings.Contains(lines[2], "more") {
			t.Errorf("%v:\n%s", set, report.text())
		}
		if set["generations"] != "1" || len(set) > 1 {
			continue
		}
		report = newSpy()
		if _, err := session(t, t.Context(), dir, resume(map[string]string{"generations": "3"}), report, foresees); err != nil {
			t.Fatal(err)
		}
		if found := line.FindString(report.text()); !strings.Contains(found, "more") {
			t.Errorf("a run that goes on says %q in\n%s", found, report.text())
		}
		report = newSpy()
		if _, err := session(t, t.Context(), dir, resume(nil), report, foresees); err != nil {
			t.Fatal(err)
		}
		if line.MatchString(report.text()) {
			t.Errorf("a run that has ended makes a forecast:\n%s", report.text())
		}
	}
	// Ctrl-C during the measurement stops the run.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report := newSpy()
	if _, err := session(t, ctx, t.TempDir(), tiny(nil), report, foresees); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if line.MatchString(report.text()) || strings.Contains(report.text(), "warning") {
		t.Errorf("a stopped run says\n%s", report.text())
	}
}

// watched is a network that counts the searchers made of it.
type watched struct {
	Network
	searchers int
}

func (w *watched) Searcher(v *rules.Variant, c selfplay.Config) (selfplay.Searcher, error) {
	w.searchers++
	return w.Network.Searcher(v, c)
}

// A run without a network of its own is measured with a typical one; it plays with its own alone. A
// run that goes on is measured with its own.
func TestTypicalNetwork(t *testing.T) {
	dir := t.TempDir()
	typical := &watched{}
	foresees := func(l *Learner) {
		typical.Network = newToy(l.variant, l.cfg)
		l.Forecast, l.Typical = true, typical
	}
	set := map[string]string{"generations": "1", "actors": "1", "selfplay.visits": "0:2"}
	if _, err := session(t, t.Context(), dir, tiny(set), newSpy(), foresees); err != nil {
		t.Fatal(err)
	}
	if typical.searchers != 1 {
		t.Errorf("a new run makes %d searchers of the typical network, want 1 for its one stage", typical.searchers)
	}
	typical.searchers = 0
	if _, err := session(t, t.Context(), dir, resume(map[string]string{"generations": "2"}), newSpy(), foresees); err != nil {
		t.Fatal(err)
	}
	if typical.searchers != 0 {
		t.Errorf("a run that goes on makes %d searchers of the typical network", typical.searchers)
	}
}
