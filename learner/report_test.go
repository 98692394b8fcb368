package learner

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"damier/data"
	"damier/learner/settings"
	"damier/rules"
)

// Against one opponent without the weak prior the estimate would be the logistic formula; with it,
// it is that within its weight.
func TestEstimate(t *testing.T) {
	one := func(seen ...observation) (elo, half float64) {
		x, covariance := estimate(1, seen)
		return x[0], 1.96 * math.Sqrt(covariance.At(0, 0))
	}
	rung := func(elo, games, score float64) observation { return observation{0, ladder, elo, games, score} }
	for _, c := range []struct{ score, want, within float64 }{
		{0.5, 100, 0.5},
		{0.75, 100 + 190.8, 4}, // 400 log10(0.75/0.25)
		{0.25, 100 - 190.8, 4},
		{0.9, 100 + 381.7, 10},
	} {
		if elo, half := one(rung(100, 200, 200*c.score)); math.Abs(elo-c.want) > c.within || !(half > 0) {
			t.Errorf("score %g: %g ± %g, want %g", c.score, elo, half, c.want)
		}
	}
	// Two opponents 200 apart, a score of one half against both: in the middle.
	if elo, _ := one(rung(0, 40, 20), rung(200, 40, 20)); math.Abs(elo-100) > 0.5 {
		t.Errorf("%g, want 100", elo)
	}
	// 1.96/sqrt(n p (1-p) k^2) at p = 1/2, n = 200: 1.96/(0.5 sqrt(200) ln(10)/400) = 48.15; the
	// prior makes it a little less.
	if _, half := one(rung(0, 200, 100)); half > 48.2 || half < 47.9 {
		t.Errorf("half an interval is %g, want 48.1", half)
	}
	last := math.Inf(-1)
	for points := 0.0; points <= 24; points++ {
		elo, half := one(rung(0, 24, points))
		if math.IsNaN(half) || math.IsInf(elo, 0) || math.IsInf(half, 0) || elo <= last {
			t.Errorf("%g points of 24: %g ± %g after %g", points, elo, half, last)
		}
		last = elo
	}
}

// Networks that met each other are rated together: the second has played no rung, and stands as far
// above the first as its score says.
func TestEstimateTogether(t *testing.T) {
	x, covariance := estimate(2, []observation{{0, ladder, 300, 400, 200}, {1, 0, 0, 400, 300}})
	if math.Abs(x[0]-300) > 1 || math.Abs(x[1]-300-190.8) > 2 {
		t.Errorf("%v", x)
	}
	// The difference has the variance of its match alone, 1/(400 p (1-p) k^2) at p = 3/4, the second
	// network that of both.
	difference := covariance.At(0, 0) + covariance.At(1, 1) - 2*covariance.At(0, 1)
	want := 1 / (400 * 0.1875 * math.Pow(math.Ln10/400, 2))
	if math.Abs(difference/want-1) > 0.02 || math.Abs(covariance.At(1, 1)/(covariance.At(0, 0)+want)-1) > 0.02 {
		t.Errorf("a variance of %g, want %g; %g and %g", difference, want, covariance.At(0, 0), covariance.At(1, 1))
	}
	// Far apart, and every game won: still finite.
	x, covariance = estimate(3, []observation{{0, ladder, 0, 24, 24}, {0, ladder, 1000, 24, 0}, {1, 0, 0, 200, 200}, {2, 1, 0, 200, 200}})
	for i := range x {
		if v := covariance.At(i, i); math.IsNaN(x[i]+v) || math.IsInf(x[i]+v, 0) || i > 0 && x[i] < x[i-1]+400 {
			t.Errorf("%v: variance %g", x, v)
		}
	}
}

// A network that beats the one before gains, though both beat the rungs alike; with the weight that
// draws give a match, the gain is known better than the Elo of either.
func TestRateTogether(t *testing.T) {
	rungs := []RungResult{result("alphabeta:depth=6", 22, 1, 1)}
	ratings := []*Rating{
		{Generation: 10, Rungs: rungs},
		{Generation: 20, Rungs: rungs, Gate: &GateResult{Against: 10, Wins: 70, Draws: 100, Losses: 30, Low: 0.56, High: 0.64}},
		{Generation: 30, Rungs: rungs, Gate: &GateResult{Against: 20, Wins: 60, Draws: 100, Losses: 40, Low: 0.51, High: 0.59}},
		{Generation: 30, Refit: true, Gate: &GateResult{Against: 20, Wins: 60, Draws: 100, Losses: 40, Low: 0.51, High: 0.59},
			Own: &GateResult{Against: 30, Wins: 70, Draws: 100, Losses: 30, Low: 0.56, High: 0.64}},
	}
	ratings = append(ratings, &Rating{Generation: 40, Rungs: rungs, Gate: &GateResult{Against: 30, Wins: 60, Draws: 100, Losses: 40, Low: 0.51, High: 0.59}})
	rate("international", ratings)
	for i, r := range ratings {
		if !r.rated() || (r.Gain == nil) != (i == 0) || (r.Total == nil) != (i == 0) {
			t.Fatalf("%d: %+v", i, r)
		}
	}
	for i, want := range []struct {
		gain  float64
		since int
	}{{}, {70, 10}, {35, 20}, {70, 30}, {35, 30}} {
		r := ratings[i]
		if i == 0 {
			continue
		}
		if r.Gain.Since != want.since || math.Abs(r.Gain.Elo-want.gain) > 4 || r.Gain.Half > 36 || r.Gain.Half < 18 {
			t.Errorf("%d: %v, want %+.0f", i, r.Gain, want.gain)
		}
		if r.Total.Since != 10 || math.Abs(r.Total.Elo-(r.Elo-ratings[0].Elo)) > 1e-9 || (r.High-r.Low)/2 < r.Gain.Half {
			t.Errorf("%d: %v, Elo %.0f to %.0f", i, r.Total, r.Low, r.High)
		}
	}
	// No rung of known Elo anywhere: no Elo.
	alone := []*Rating{{Generation: 1}, {Generation: 2, Gate: ratings[1].Gate}}
	alone[1].Gate.Against = 1
	rate("international", alone)
	if alone[0].rated() || alone[1].rated() || alone[1].Gain != nil {
		t.Errorf("%+v, %+v", alone[0], alone[1])
	}
}

func TestEvaluationPause(t *testing.T) {
	at, got := 0.0, []float64{}
	for range 7 {
		at += evaluationPause(600, at)
		got = append(got, at)
	}
	if want := []float64{120, 240, 480, 960, 1560, 2160, 2760}; !slices.Equal(got, want) {
		t.Errorf("measured at %v, want %v", got, want)
	}
}

func result(rung string, wins, draws, losses int) RungResult {
	n := float64(wins + draws + losses)
	return RungResult{Rung: rung, Wins: wins, Draws: draws, Losses: losses, Score: (float64(wins) + float64(draws)/2) / n}
}

func TestRate(t *testing.T) {
	one := []RungResult{result("random", 24, 0, 0), result("alphabeta:depth=1", 6, 12, 6)}
	rated := func(variant string, rungs []RungResult) Rating {
		r := Rating{Rungs: rungs}
		rate(variant, []*Rating{&r})
		return r
	}
	if r := rated("international", one); math.Abs(r.Elo) > 1 || r.Low > 0 || r.High < 0 || !r.rated() {
		t.Errorf("even with depth 1: %+v", r)
	}
	if r := rated("international", one[:1]); r.rated() || r.Elo != 0 || r.Low != 0 || r.High != 0 {
		t.Errorf("without a rated rung: %+v", r)
	}
	if r := rated("no such game", one); r.rated() {
		t.Errorf("a variant without a ladder: %+v", r)
	}
	for _, name := range rules.Names() {
		checkLadder(t, name)
	}
}

// checkLadder checks that the rungs of a variant stand in their order.
func checkLadder(t *testing.T, variant string) {
	if len(ladderMarks(variant)) < 3 {
		t.Errorf("%s: only %d rungs have an Elo", variant, len(ladderMarks(variant)))
	}
	previous := math.Inf(-1)
	for _, m := range ladderMarks(variant) {
		if m.elo <= previous {
			t.Errorf("%s: %s stands at %g, the one below at %g", variant, m.name, m.elo, previous)
		}
		previous = m.elo
		if r, err := parseRung(variant, m.name); err != nil || !r.rated || r.elo != m.elo {
			t.Errorf("%s: %+v, %v", m.name, r, err)
		}
	}
}

func TestRungs(t *testing.T) {
	l := &Learner{run: &Run{}}
	l.cfg.Evaluation.Rungs = []string{"random", "alphabeta:depth=1", "alphabeta:depth=2", "alphabeta:depth=4"}
	names := func() string {
		var s []string
		for _, r := range l.rungs() {
			s = append(s, strings.TrimPrefix(r.spec, "alphabeta:depth="))
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		scores string // what the last evaluation found, as RungResults
		seen   []RungResult
		want   string
	}{
		{"nothing yet", nil, "random 1 2 4"},
		{"weak", []RungResult{result("random", 12, 0, 12), result("alphabeta:depth=1", 0, 0, 24), result("alphabeta:depth=2", 0, 0, 24), result("alphabeta:depth=4", 0, 0, 24)}, "random 1"},
		{"grown", []RungResult{result("random", 24, 0, 0), result("alphabeta:depth=1", 6, 6, 12)}, "1 2"},
		{"beats all", []RungResult{result("alphabeta:depth=1", 24, 0, 0), result("alphabeta:depth=2", 24, 0, 0), result("alphabeta:depth=4", 24, 0, 0)}, "4"},
	} {
		if c.seen != nil {
			l.run.Manifest.Evaluations = append(l.run.Manifest.Evaluations, Rating{Variant: "international", Rungs: c.seen})
		}
		if got := names(); got != c.want {
			t.Errorf("%s: rungs %q, want %q", c.scores, got, c.want)
		}
	}
	l.cfg.Evaluation.Rungs = nil
	if got := names(); got != "" {
		t.Errorf("no rungs: %q", got)
	}
}

func rating(generation int, elo float64) Rating {
	return Rating{Variant: "international", Generation: generation, Elo: elo, Low: elo - 30, High: elo + 30, Rungs: []RungResult{result("alphabeta:depth=1", 1, 1, 1)}}
}

func TestTrend(t *testing.T) {
	gained := func(r Rating, gain, total Gain) Rating {
		r.Gain, r.Total = &gain, &total
		return r
	}
	for _, c := range []struct {
		all  []Rating
		want string
	}{
		{nil, "not measured yet"},
		{[]Rating{{Generation: 1, Rungs: []RungResult{result("random", 1, 0, 0)}}}, "not measured yet"},
		{[]Rating{rating(1, 50)}, "Elo 50, first measure"},
		{[]Rating{rating(1, 0), gained(rating(2, 100), Gain{1, 100, 42}, Gain{1, 100, 42})}, "better, +100 ± 42 Elo since generation 1"},
		{[]Rating{rating(1, 0), gained(rating(3, 110), Gain{2, 10, 42}, Gain{1, 110, 50})}, "no clear change, +10 ± 42 Elo since generation 2, +110 ± 50 Elo since generation 1"},
		{[]Rating{rating(1, 0), gained(rating(2, -50), Gain{1, -50, 42}, Gain{1, -50, 42})}, "worse, -50 ± 42 Elo since generation 1"},
	} {
		if got := trend(c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestStalled(t *testing.T) {
	var all []Rating
	for i, c := range []struct {
		elo  float64
		want bool
	}{{0, false}, {100, false}, {50, false}, {90, false}, {80, false}, {99, true}, {101, false}, {0, false}, {0, false}, {0, false}, {0, true}} {
		if all = append(all, rating(i, c.elo)); stalled(all) != c.want {
			t.Errorf("after %d evaluations: %t", len(all), !c.want)
		}
	}
	if stalled(make([]Rating, 10)) {
		t.Error("evaluations without a rating stall")
	}
}

// The advice to search more is one that a run which goes on accepts.
func TestMoreVisits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m, _ := mustRun(t, dir, tiny(map[string]string{"selfplay.visits": "0:4,9000000:7"}))
	run, err := Open(dir, toyMethod{}, resume(nil))
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(t.Context(), run, newSpy())
	if err != nil {
		t.Fatal(err)
	}
	advice := l.moreVisits()
	l.Close()
	run.Close()
	if want := fmt.Sprintf("0:4,%d:16", m.Games.Totals().Rows+1); advice != want {
		t.Errorf("%s, want %s", advice, want)
	}
	run, err = Open(dir, toyMethod{}, resume(map[string]string{"selfplay.visits": advice}))
	if err != nil {
		t.Fatal(err)
	}
	run.Close()
}

// The command of a card asks for the time of the generations, not for that of all the run.
func TestBudget(t *testing.T) {
	m := Manifest{CPUSeconds: 1500}
	generation := func(hours float64) Event { return Event{Kind: "generation", CPUHours: hours} }
	for _, c := range []struct {
		limit  float64
		events []Event
		want   float64
	}{
		{0, nil, 25},
		{20, nil, 20},
		{0, []Event{generation(0.1), generation(0.3), {Kind: "refit", CPUHours: 0.4}}, 18},
		{20, []Event{generation(0.334), {Kind: "evaluation", CPUHours: 0.4}}, 20},
		{20, []Event{generation(0.101)}, 7}, // stopped early
	} {
		if got := budget(m, settings.Config{CPUMinutes: c.limit}, c.events); got != c.want {
			t.Errorf("%+v: %g minutes", c, got)
		}
	}
}

func TestMaterial(t *testing.T) {
	sample := func(fen string, score float32) data.Sample {
		p, err := rules.ParseFEN(rules.International, fen)
		if err != nil {
			t.Fatal(err)
		}
		return data.Sample{Position: p, Score: score}
	}
	const win, loss = 1, 0
	ahead := sample("W:W31,32:B1", win)
	behind := sample("B:W31,32:B1", loss)
	king := sample("W:WK31:B1,2", win) // a king counts three: one ahead as well
	if materialOf(ahead.Position) != materialOf(king.Position) || materialOf(ahead.Position) == materialOf(behind.Position) {
		t.Error("material is miscounted")
	}
	var m material
	if got := m.loss([]data.Sample{ahead}); math.Abs(got-math.Log(2)) > 1e-12 {
		t.Errorf("knowing nothing the loss is %g, want ln 2", got)
	}
	m.add([]data.Sample{ahead, king, behind})
	// Two rows seen one ahead, both won, and one of one half: (2+1/2)/3.
	if got, want := m.loss([]data.Sample{ahead}), -math.Log((2+0.5)/3); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %g, want %g", got, want)
	}
	if got, want := m.loss([]data.Sample{behind}), -math.Log((1+0.5)/2); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %g, want %g", got, want)
	}
	if m.loss(nil) != 0 {
		t.Error("the loss on nothing")
	}
}

// A line that a killed process has left broken is passed over, and does not take the next one with
// it.
func TestEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), metricsFile)
	for i := range 3 {
		if err := appendEvent(path, Event{Kind: "generation", Generation: i, Progress: &Progress{Rows: i}}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, s.Size()-10); err != nil {
		t.Fatal(err)
	}
	events, err := ReadEvents(filepath.Dir(path))
	if err != nil || len(events) != 2 || events[1].Progress.Rows != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	if err := appendEvent(path, Event{Kind: "stop", Time: time.Now(), Generation: 7}); err != nil {
		t.Fatal(err)
	}
	events, err = ReadEvents(filepath.Dir(path))
	if err != nil || len(events) != 3 || events[2].Kind != "stop" || events[2].Generation != 7 {
		t.Errorf("%+v, %v", events, err)
	}
	if events, err := readEvents(strings.NewReader("\n{}\nnonsense\n{\"event\":\"start\"}\n")); err != nil || len(events) != 1 {
		t.Errorf("%+v, %v", events, err)
	}
}

// After a loss of power the last line may end anywhere, and zeros may follow. Neither is damage, and
// an event that is whole counts.
func TestEventsAfterLossOfPower(t *testing.T) {
	path := filepath.Join(t.TempDir(), metricsFile)
	if err := appendEvent(path, Event{Kind: "generation", Progress: &Progress{Rows: 5}}); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(line) {
		for _, zeros := range []int{0, len(line) - end} {
			if err := os.WriteFile(path, append(bytes.Clone(line[:end]), make([]byte, zeros)...), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := appendEvent(path, Event{Kind: "stop"}); err != nil {
				t.Fatal(err)
			}
			if err := verifyEvents(filepath.Dir(path)); err != nil {
				t.Errorf("%d bytes and %d zeros: %v", end, zeros, err)
			}
			want := 1
			if end == len(line)-1 { // only the line feed is missing
				want = 2
			}
			if events, err := ReadEvents(filepath.Dir(path)); err != nil || len(events) != want || events[want-1].Kind != "stop" {
				t.Errorf("%d bytes and %d zeros: %d events, %v", end, zeros, len(events), err)
			}
		}
	}
}

func TestPlot(t *testing.T) {
	progress := &Progress{NewGames: 10, White: 0.3, Draws: 0.4, Black: 0.3, Sims: 1000, RowsRate: 100, TrainRate: 500, Length: 60,
		HeldRows: 100, HeldValue: 0.9, HeldMaterial: 1}
	a, b := rating(1, 0), rating(2, 80)
	for name, events := range map[string][]Event{
		"nothing":       nil,
		"no evaluation": {{Kind: "generation", CPUHours: 0.1, Progress: progress}, {Kind: "generation", CPUHours: 0.2, Progress: progress}},
		"not finite":    {{Kind: "generation", CPUHours: 0.1, Progress: &Progress{NewGames: 1, Sims: math.Inf(1)}}},
		"all": {{Kind: "generation", CPUHours: 0.1, Progress: progress}, {Kind: "evaluation", CPUHours: 0.1, Evaluation: &a},
			{Kind: "generation", CPUHours: 0.2, Progress: progress}, {Kind: "evaluation", CPUHours: 0.3, Evaluation: &b}},
	} {
		path := filepath.Join(t.TempDir(), "p.png")
		if err := Plot(path, "test", events); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if picture, err := png.Decode(bytes.NewReader(text)); err != nil || picture.Bounds().Dx() < 800 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := PlotRun(t.TempDir()); err == nil {
		t.Error("a plot of no run")
	}
}

func TestWords(t *testing.T) {
	if got := thousands(1234567) + " " + thousands(12) + " " + thousands(123) + " " + thousands(1000); got != "1,234,567 12 123 1,000" {
		t.Error(got)
	}
	if got := clock(3*time.Hour + 4*time.Minute + 5600*time.Millisecond); got != "3:04:06" {
		t.Error(got)
	}
}

// A window that takes minutes to read is announced: by a bar on a terminal, by one line elsewhere.
func TestReadingIsTold(t *testing.T) {
	l := &Learner{run: &Run{Dir: "runs/long"}}
	for _, c := range []struct {
		terminal bool
		want     int
		says     string
	}{
		{false, 100, ""},
		{false, 2_000_000, "reading 2,000,000 rows of runs/long\n"},
		{true, 100, "reading"},
	} {
		var out strings.Builder
		console := Console{Out: &out, Terminal: c.terminal}
		for _, read := range []int{0, c.want / 2, c.want} {
			console.Reading(l, read, c.want)
		}
		if c.terminal && !strings.Contains(out.String(), c.says) || !c.terminal && out.String() != c.says {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
}
