package learn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"damier/net"
	"damier/rules"
)

// examplesOf returns so many examples of random games.
func examplesOf(t *testing.T, v *rules.Variant, n int, seed uint64) []example {
	t.Helper()
	c := Default()
	c.Variant = v.Name
	a := &actor{variant: v, config: c, rng: rand.New(rand.NewPCG(seed, 0))}
	var all []example
	for len(all) < n {
		var err error
		if all, _, err = a.game(context.Background(), all); err != nil {
			t.Fatal(err)
		}
	}
	for i := range all {
		all[i].score = float32(i) / float32(len(all))
	}
	return all[:n]
}

// bare returns p without its counters.
func bare(p rules.Position) rules.Position {
	return rules.NewPosition(p.Pieces(rules.White), p.Pieces(rules.Black), p.Kings(rules.White).Or(p.Kings(rules.Black)), p.Turn)
}

// A window that is read again holds what it held: for boards of one word and of two, over the size of several generations, with
// no file more than it needs, and without what came behind the checkpoint.
func TestWindowGoesOn(t *testing.T) {
	for _, v := range []*rules.Variant{rules.Frisian, rules.Canadian} {
		t.Run(v.Name, func(t *testing.T) {
			dir := t.TempDir()
			w := window{dir: dir, variant: v}
			const most = 1000
			for g := 1; g <= 5; g++ {
				if err := w.add(g, examplesOf(t, v, 300, uint64(g)), most); err != nil {
					t.Fatal(err)
				}
				if err := w.prune(); err != nil {
					t.Fatal(err)
				}
			}
			files := func() (all []string) {
				names, err := filepath.Glob(filepath.Join(dir, "*"))
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range names {
					all = append(all, filepath.Base(n))
				}
				return all
			}
			want := []string{"window-000002.parquet", "window-000003.parquet", "window-000004.parquet", "window-000005.parquet"}
			if got := files(); !slices.Equal(got, want) {
				t.Errorf("files %v, want %v", got, want)
			}
			again := window{dir: dir, variant: v}
			if err := again.load(5, most); err != nil {
				t.Fatal(err)
			}
			if len(again.examples) != most || len(w.examples) != most {
				t.Fatalf("%d examples of %d, want %d", len(again.examples), len(w.examples), most)
			}
			for i := range w.examples {
				x, y := &w.examples[i], &again.examples[i]
				if bare(x.position) != y.position || x.score != y.score || x.result != y.result {
					t.Fatalf("example %d: %s %g %g, want %s %g %g", i, v.FEN(y.position), y.score, y.result, v.FEN(x.position), x.score, x.result)
				}
			}
			// A process that was killed wrote generation 5 and no checkpoint of it.
			before := window{dir: dir, variant: v}
			if err := before.load(4, most); err != nil {
				t.Fatal(err)
			}
			if got := files(); !slices.Equal(got, want[:3]) || len(before.examples) != 900 {
				t.Errorf("after generation 4: files %v, %d examples", got, len(before.examples))
			}
		})
	}
}

func TestWindowRefuses(t *testing.T) {
	v := rules.English
	dir := t.TempDir()
	w := window{dir: dir, variant: v}
	if err := w.add(1, examplesOf(t, v, 500, 1), 500); err != nil {
		t.Fatal(err)
	}
	other := window{dir: dir, variant: rules.Russian}
	if err := other.load(1, 500); !errors.Is(err, net.ErrForeign) {
		t.Errorf("of another variant: %v", err)
	}
	name := filepath.Join(dir, fmt.Sprintf(windowFile, 1))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{
		"half a file": whole[:len(whole)/2],
		"a bit":       slices.Concat(whole[:len(whole)/4], []byte{whole[len(whole)/4] ^ 4}, whole[len(whole)/4+1:]),
		"empty":       nil,
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		again := window{dir: dir, variant: v}
		if err := again.load(1, 500); !errors.Is(err, net.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An operation is a position written, or read.
func BenchmarkWindow(b *testing.B) {
	v := rules.International
	c := Default()
	a := &actor{variant: v, config: c, rng: rand.New(rand.NewPCG(1, 0))}
	var all []example
	for len(all) < 200_000 {
		var err error
		if all, _, err = a.game(b.Context(), all); err != nil {
			b.Fatal(err)
		}
	}
	all = all[:200_000]
	w := window{dir: b.TempDir(), variant: v}
	b.Run("write", func(b *testing.B) {
		for n := 0; n < b.N; n += len(all) {
			if err := w.add(1, all, len(all)); err != nil {
				b.Fatal(err)
			}
		}
	})
	info, err := os.Stat(w.path(1))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		for n := 0; n < b.N; n += len(all) {
			again := window{dir: w.dir, variant: v}
			if err := again.load(1, len(all)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(info.Size())/float64(len(all)), "bytes/position")
	})
}

// The path of a run is no pattern: its window neither reads nor removes the files of a neighbour. What others have put
// beside its files stays.
func TestWindowTakesNoPathForAPattern(t *testing.T) {
	v := rules.English
	root := t.TempDir()
	neighbour := window{dir: filepath.Join(root, "runA"), variant: v}
	own := window{dir: filepath.Join(root, "run?"), variant: v}
	for _, w := range []*window{&neighbour, &own} {
		if err := os.Mkdir(w.dir, 0o755); err != nil {
			t.Skip(err)
		}
	}
	for g := 1; g <= 3; g++ {
		if err := neighbour.add(g, examplesOf(t, v, 100, uint64(g)), 1000); err != nil {
			t.Fatal(err)
		}
	}
	if err := own.add(1, examplesOf(t, v, 50, 9), 1000); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(own.dir, "window-best.parquet")
	copied := filepath.Join(own.dir, "window-9.parquet")
	for _, name := range []string{mine, copied} {
		if err := os.WriteFile(name, []byte("of somebody"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again := window{dir: own.dir, variant: v}
	if err := again.load(1, 1000); err != nil {
		t.Fatal(err)
	}
	if len(again.examples) != 50 {
		t.Errorf("%d examples, want its own 50", len(again.examples))
	}
	for _, name := range []string{mine, copied, neighbour.path(1), neighbour.path(2), neighbour.path(3)} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// Files that somebody deletes while the run goes on are counted, and no error.
func TestWindowGoesOnWithoutAFile(t *testing.T) {
	v := rules.English
	w := window{dir: t.TempDir(), variant: v}
	for g := 1; g <= 4; g++ {
		if err := w.add(g, examplesOf(t, v, 100, uint64(g)), 200); err != nil {
			t.Fatal(err)
		}
		if g == 2 {
			if err := os.Remove(w.path(1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.prune(); err != nil {
			t.Fatal(err)
		}
	}
	if w.gone != 1 || len(w.parts) != 2 || len(w.examples) != 200 {
		t.Errorf("%d gone, %d files, %d examples; want 1, 2, 200", w.gone, len(w.parts), len(w.examples))
	}
}

// A run says that files of its window are gone, when it is opened and when it was to delete them itself.
func TestRunSaysThatFilesAreGone(t *testing.T) {
	dir := t.TempDir()
	change := small("english", func(c *Config) { c.Window, c.Rows = 3000, 8000 })
	train(t, dir, 2, change)
	r, err := Open(dir, change)
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing != 0 {
		t.Errorf("%d positions are missing of a whole window", r.Missing)
	}
	deleted := 0
	for g := 1; g <= 2; g++ {
		if os.Remove(r.window.path(g)) == nil {
			deleted++
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	told := 0
	err = r.Train(ctx, func(g Generation) {
		told += g.Gone
		if g.Generation == 8 {
			cancel()
		}
	}, noFit)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if deleted == 0 || told != deleted {
		t.Errorf("%d files are told to be gone of %d", told, deleted)
	}
	logged := 0
	for _, g := range metrics(t, dir) {
		logged += g.Gone
	}
	if logged != deleted {
		t.Errorf("%d in the metrics", logged)
	}
	if err := errors.Join(r.Close(), os.Remove(r.window.path(8))); err != nil {
		t.Fatal(err)
	}
	if r, err = Open(dir, change); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Missing == 0 {
		t.Error("nothing is said of a file that is gone")
	}
}

// A run begins where a process was killed within its first checkpoint, and nowhere else than in an empty folder.
func TestOpenWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		want error
	}{
		{"half a checkpoint", ".checkpoint.safetensors.4711.tmp", nil},
		{"a lock", "lock", nil},
		{"somebody's file", "notes.txt", ErrConflict},
		{"somebody's temporary file", ".notes.4711.tmp", ErrConflict},
		{"a run without its checkpoint", "window-000001.parquet", net.ErrDamaged},
		{"another one", "model.nnue", net.ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Open(dir, small("english", nil))
			if !errors.Is(err, c.want) {
				t.Fatalf("%v", err)
			}
			if err != nil {
				if files, _ := os.ReadDir(dir); len(files) != 1 {
					t.Errorf("%d files, want the one that was there", len(files))
				}
				return
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if r, err = Open(dir, small("english", nil)); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
