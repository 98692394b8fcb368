package learn

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"damier/alphabeta"
	"damier/internal/usage"
	"damier/net"
	"damier/nnue"
	"damier/rules"
)

// small makes a small run without an end or a refit, with 64 hidden units: more make less of its few first games.
func small(variant string, more func(*Config)) func(*Config) error {
	return func(c *Config) error {
		c.Variant, c.Minutes, c.Actors, c.Width, c.Depth, c.Rows, c.Games, c.Refit = variant, 0, 1, 64, 1, 32_000, 0, 0
		if more != nil {
			more(c)
		}
		return nil
	}
}

// noFit is for runs that are stopped before their end.
func noFit(FitPoint) {}

// metrics reads a run's.
func metrics(t *testing.T, dir string) []Generation {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, metricsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []Generation
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var g Generation
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// A few generations in any variant: what is expected of random games nobody has learnt from is better than nothing, and who has
// a man less is held to stand worse, or better where losing is the aim.
func TestLearnsInEveryVariant(t *testing.T) {
	names := rules.Names()
	if testing.Short() {
		names = []string{"english", "turkish"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := train(t, dir, 1, small(name, nil)) // from random moves
			v, m := r.variant, r.Model
			a := &actor{variant: v, config: r.Config, rng: rand.New(rand.NewPCG(9, 9))}
			var examples []example
			for len(examples) < 2000 {
				var err error
				if examples, _, err = a.game(context.Background(), examples); err != nil {
					t.Fatal(err)
				}
			}
			loss := 0.0
			for _, x := range examples {
				y := 1 / (1 + math.Exp(-float64(m.Logit(x.position))))
				loss -= float64(x.result)*math.Log(y) + float64(1-x.result)*math.Log(1-y)
			}
			if loss /= float64(len(examples)); loss > 0.98*math.Ln2 {
				t.Errorf("on games not seen the loss is %.4f, of one who knows nothing %.4f", loss, math.Ln2)
			}

			train(t, dir, 5, small(name, nil))
			m, err := nnue.LoadFile(filepath.Join(dir, modelFile), v)
			if err != nil {
				t.Fatal(err)
			}
			worth, n := 0.0, 0.0
			for _, x := range examples {
				p := x.position
				own := p.Men(p.Turn)
				if own.Len() < 4 {
					continue
				}
				sides := [2]rules.Set{p.Pieces(rules.White), p.Pieces(rules.Black)}
				lost := v.Board.Set(v.Board.AppendSquares(nil, own)[own.Len()/2])
				sides[p.Turn] = sides[p.Turn].AndNot(lost)
				q := rules.NewPosition(sides[0], sides[1], p.Kings(rules.White).Or(p.Kings(rules.Black)), p.Turn)
				worth += float64(m.Logit(p) - m.Logit(q))
				n++
			}
			if worth /= n; worth > 0 == v.NoMovesWins {
				t.Errorf("a man is worth a logit of %.3f", worth)
			}
		})
	}
}

// train trains until a generation is done, and closes the run.
func train(t *testing.T, dir string, generation int, change func(*Config) error) *Run {
	t.Helper()
	r, err := Open(dir, change)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = r.Train(ctx, func(g Generation) {
		if g.Generation == generation {
			cancel()
		}
	}, noFit)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return r
}

// With one actor a run is repeatable, and stopped between two generations it learns on as if it had not been.
func TestGoesOn(t *testing.T) {
	change := small("english", func(c *Config) { c.Window, c.Rows = 20_000, 24_000 })
	whole := train(t, t.TempDir(), 4, change)
	parts := t.TempDir()
	train(t, parts, 2, change)
	again := train(t, parts, 4, change)
	if !reflect.DeepEqual(whole.Model.Hidden, again.Model.Hidden) {
		t.Error("a run in two parts has other weights than one in one part")
	}
	if again.Model.Generation != 4 || again.Model.Games != whole.Model.Games || again.rows != whole.rows {
		t.Errorf("in parts %d generations, %d games, %d rows; whole %d, %d, %d",
			again.Model.Generation, again.Model.Games, again.rows, whole.Model.Generation, whole.Model.Games, whole.rows)
	}
	if n := len(metrics(t, parts)); n != 4 {
		t.Errorf("%d lines of metrics", n)
	}
}

// A run that was measured at its end and then made longer is measured on its way again, and so is one without an end. Half a
// line of metrics does not keep it from that.
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	// part goes on until the run is over or measured.
	part := func(minutes float64, before func(*Run)) *Run {
		t.Helper()
		r, err := Open(dir, small("english", func(c *Config) { c.Minutes, c.Rows, c.Games = minutes, 2000, 2 }))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		before(r)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		err = r.Train(ctx, func(g Generation) {
			if g.Match != nil && r.Progress() < 1 {
				cancel()
			}
		}, noFit)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return r
	}
	matches := func() (n int) {
		for _, g := range metrics(t, dir) {
			if g.Match != nil {
				n++
			}
		}
		return n
	}
	part(0.001, func(*Run) {})
	if n := matches(); n != 1 {
		t.Fatalf("%d measurements at the end", n)
	}
	all := metrics(t, dir)
	clock := all[len(all)-1].Seconds // as the run has kept it: its own goes on
	file, err := os.OpenFile(filepath.Join(dir, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"generation":`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if r := part(10*clock/60, func(r *Run) { r.measured = 1 }); matches() != 2 || r.measured < 0.15 || r.measured == 1 {
		t.Errorf("ten times as long it has %d measurements, the last at %.2f", matches(), r.measured)
	}
	if part(0, func(r *Run) { r.measured = -1 }); matches() != 3 {
		t.Errorf("without an end it has %d measurements", matches())
	}
}

// A run that is stopped in the middle of a generation keeps what it has learnt and can go on.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	r, err := Open(dir, small("russian", func(c *Config) { c.Rows = 1e8 }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	err = r.Train(ctx, func(Generation) {}, noFit)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if _, err := Open(dir, func(*Config) error { return nil }); !errors.Is(err, ErrConflict) {
		t.Errorf("opened a second time: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir, func(*Config) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Model.Generation != 1 || again.Model.Games == 0 {
		t.Errorf("after the stop: generation %d, %d games", again.Model.Generation, again.Model.Games)
	}
}

// What is left is told by the pace of now, not by that of a part on a slower machine.
func TestLeft(t *testing.T) {
	r := Run{Config: Config{CPUMinutes: 10}, seconds: 3000, cpu: 300}
	if _, ok := r.Left(); ok {
		t.Error("a run that is not under way tells how long it takes")
	}
	r.overBegan = r.Progress()
	r.began, r.cpuBegan = time.Now().Add(-time.Minute), usage.CPU()-30 // half a core
	if got, ok := r.Left(); !ok || math.Abs(got-540) > 10 {
		t.Errorf("%.0f seconds left, %v; want 540", got, ok)
	}
	r.Config = Config{} // without an end
	if _, ok := r.Left(); ok {
		t.Error("a run without an end tells when it is over")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	open := func(variant string, more func(*Config)) {
		t.Helper()
		r, err := Open(dir, small(variant, more))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open("english", nil)
	if _, err := Open(dir, small("russian", nil)); !errors.Is(err, ErrConflict) {
		t.Errorf("another variant: %v", err)
	}
	open("english", func(c *Config) { c.Minutes, c.Actors = 99, 2 })
	path := filepath.Join(dir, checkpointFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{whole[:len(whole)/2], append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1)} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, small("english", nil)); !errors.Is(err, net.ErrDamaged) {
			t.Errorf("a damaged checkpoint: %v", err)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other, small("english", nil)); !errors.Is(err, ErrConflict) {
		t.Errorf("a folder of other things: %v", err)
	}
}

func TestConfig(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ key, value string }{{"depth", "0"}, {"passes", "-1"}, {"games", "3"}, {"variant", "chess"}, {"rate", "NaN"}, {"mix", "2"}, {"width", "33"}} {
		c := Default()
		if err := c.Set(x.key, x.value); err != nil {
			t.Errorf("%s=%s is not read: %v", x.key, x.value, err)
		}
		if err := c.Validate(); err == nil {
			t.Errorf("%s=%s is accepted", x.key, x.value)
		}
	}
	for _, x := range []struct{ key, value string }{{"taps", "3"}, {"depth", "two"}, {"seed", "-1"}} {
		if err := c.Set(x.key, x.value); err == nil {
			t.Errorf("%s=%s is read", x.key, x.value)
		}
	}
	for _, preset := range Presets() {
		if err := c.SetPreset(preset.Name); err != nil || c.Minutes != preset.Minutes {
			t.Errorf("preset %s: %v, %g minutes", preset.Name, err, c.Minutes)
		}
	}
	if err := c.SetPreset("century"); err == nil || !strings.Contains(err.Error(), "hour") {
		t.Errorf("a preset that is none: %v", err)
	}
	if err := c.Set("depth", "2"); err != nil || c.Depth != 2 {
		t.Errorf("depth %d, %v", c.Depth, err)
	}
	if want, got := "train nnue --variant international --cpu-minutes 5 --set depth=2", c.Command(5); got != want {
		t.Errorf("command %q, want %q", got, want)
	}
}

// The examples of a game are its positions without a capture, each with the result as its side to move has it.
func TestExamples(t *testing.T) {
	v := rules.Brazilian
	e, err := alphabeta.New(v, alphabeta.Config{TableBits: 12})
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.Depth = 1
	a := &actor{variant: v, config: c, rng: rand.New(rand.NewPCG(1, 1)), search: &byDepth{e, alphabeta.Limits{Depth: 1}}}
	for range 50 {
		examples, outcome, err := a.game(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range examples {
			want := float32(0.5)
			switch outcome {
			case rules.Win(x.position.Turn):
				want = 1
			case rules.Win(x.position.Turn.Opponent()):
				want = 0
			}
			if v.HasCaptures(x.position) || x.result != want || x.score < 0 || x.score > 1 {
				t.Fatalf("%s, %v: result %g, score %g", v.FEN(x.position), outcome, x.result, x.score)
			}
		}
	}
}

// An operation is a position of self-play.
func BenchmarkSelfPlay(b *testing.B) {
	v := rules.International
	e, err := alphabeta.New(v, alphabeta.Config{TableBits: 16, Evaluator: nnue.New(v, nnue.Width, 1).Evaluator()})
	if err != nil {
		b.Fatal(err)
	}
	a := &actor{variant: v, config: Default(), rng: rand.New(rand.NewPCG(1, 1)), search: &byDepth{e, alphabeta.Limits{Depth: 3}}}
	var room []example
	for n := 0; n < b.N; n += len(room) {
		if room, _, err = a.game(b.Context(), room[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

// Where left and right are alike a position is learnt mirrored as often as not, elsewhere never.
func TestDrawMirrors(t *testing.T) {
	for _, name := range []string{"turkish", "english", "international"} {
		v, err := rules.Lookup(name, rules.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := v.Play(v.Start(), v.AppendMoves(nil, v.Start())[0])
		batch := make([]nnue.Example, 400)
		draw(batch, v, []example{{position: p, score: 0.25, result: 1}}, 0.8, rand.New(rand.NewPCG(1, 1)))
		count := map[rules.Position]int{}
		for _, x := range batch {
			count[x.Position]++
			if math.Abs(float64(x.Target)-0.4) > 1e-6 {
				t.Fatalf("%s: target %g, want 0.8 of 0.25 and 0.2 of 1", name, x.Target)
			}
		}
		want := 1
		if v.HasMirror() {
			want = 2
			if n := count[v.Mirror(p)]; n < 150 || n > 250 {
				t.Errorf("%s: %d of 400 are mirrored", name, n)
			}
		}
		if len(count) != want || count[p] == 0 {
			t.Errorf("%s: %d different positions, want %d", name, len(count), want)
		}
	}
}
