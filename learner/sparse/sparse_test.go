package sparse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"damier/data"
	"damier/learner"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/net"
	"damier/net/nnue"
	"damier/rules"
)

// short are the settings of a short run.
func short(set map[string]string) settings.Sources {
	s := settings.Sources{Set: map[string]string{
		"net.width": "32", "minutes": "0", "generations": "3", "generation.rows": "600", "generation.games": "12",
		"selfplay.visits": "0:8,700:16", "selfplay.max_plies": "80", "selfplay.tree_rows": "3", "train.batch": "128",
		"evaluation.games": "2", "evaluation.visits": "8", "evaluation.rungs": "random", "evaluation.every": "0",
		"refit.passes": "1", "refit.games": "2",
	}}
	maps.Copy(s.Set, set)
	return s
}

func resume(generations string) settings.Sources {
	return settings.Sources{Set: map[string]string{"generations": generations}}
}

// watcher is a reporter that sees every generation.
type watcher struct {
	learner.Console
	generation func(p *journal.Progress)
}

func (w *watcher) Generation(l *learner.Learner, p *journal.Progress) {
	w.Console.Generation(l, p)
	if w.generation != nil {
		w.generation(p)
	}
}

// session is one session of a run. It tells of every generation, after which ctx may be done.
func session(t *testing.T, ctx context.Context, dir string, s settings.Sources, generation func(*journal.Progress)) (learner.Manifest, error) {
	t.Helper()
	run, err := learner.Open(dir, Method{}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	w := &watcher{generation: generation}
	w.Out = io.Discard
	l, err := learner.New(ctx, run, w)
	if err != nil {
		t.Fatal(err)
	}
	err = l.Run(ctx)
	return run.Manifest, err
}

func mustRun(t *testing.T, dir string, s settings.Sources) learner.Manifest {
	t.Helper()
	m, err := session(t, t.Context(), dir, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := learner.Verify(t.Context(), dir, Method{}, io.Discard); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRun: a run plays, by either search, learns, by tree search positions of trees besides those
// of games, and publishes networks; so does one that was stopped and goes on.
func TestRun(t *testing.T) {
	for _, c := range []struct{ variant, search string }{
		{"international", "tree"}, {"turkish", "tree"}, {"breakthrough", "tree"}, {"russian", "alphabeta"},
	} {
		dir := filepath.Join(t.TempDir(), c.variant)
		mustRun(t, dir, short(map[string]string{
			"variant": c.variant, "selfplay.search": c.search, "selfplay.depth": "2", "generations": "2",
		}))
		m := mustRun(t, dir, resume("3"))
		rows, plies := 0, 0
		for _, shard := range m.Games.Shards {
			v, err := rules.Lookup(c.variant, nil)
			if err != nil {
				t.Fatal(err)
			}
			games, err := data.ReadShard(filepath.Join(dir, "games", shard.Name), v)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range games {
				for i := range g.Plies {
					plies++
					rows += len(g.Plies[i].Tree)
				}
			}
		}
		if m.Generation != 3 || m.Model.Name != "gen-000003.nnue" || m.Steps == 0 || m.Refit == nil || m.Refit.Generation != 3 {
			t.Errorf("%+v: generation %d, network %s, %d steps, refit %+v", c, m.Generation, m.Model.Name, m.Steps, m.Refit)
		}
		if trees := c.search == "tree"; trees && rows < plies/4 || !trees && rows > 0 {
			t.Errorf("%+v: %d positions of trees in %d plies", c, rows, plies)
		}
		view, err := learner.OpenView(dir, Method{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := view.Model(3); err != nil || n.Generation() != 3 {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestForecastChangesNothing: a synchronous run that measures how fast the machine is has the games
// and the network of one that does not, to the bit, also when it goes on.
func TestForecastChangesNothing(t *testing.T) {
	begin := short(map[string]string{
		"synchronous": "true", "generations": "1", "generation.games": "4", "refit.passes": "0",
	})
	var want learner.Manifest
	for i, foresee := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "run")
		var m learner.Manifest
		for _, s := range []settings.Sources{begin, resume("2")} {
			run, err := learner.Open(dir, Method{}, s)
			if err != nil {
				t.Fatal(err)
			}
			l, err := learner.New(t.Context(), run, &learner.Console{Out: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			l.Forecast = foresee
			if err := l.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			m = run.Manifest
			run.Close()
		}
		if i == 0 {
			want = m
			continue
		}
		for k := range want.Games.Shards {
			if m.Games.Shards[k].SHA256 != want.Games.Shards[k].SHA256 {
				t.Errorf("the games of shard %d are others", k)
			}
		}
		if m.Model != want.Model || m.Steps != want.Steps {
			t.Errorf("network %+v after %d steps, want %+v after %d", m.Model, m.Steps, want.Model, want.Steps)
		}
	}
}

// TestRepeats: a synchronous run that was killed between two generations, or stopped and gone on
// with, has the network and the refit of one that was not, to the bit.
func TestRepeats(t *testing.T) {
	set := map[string]string{"synchronous": "true", "generations": "3"}
	whole := filepath.Join(t.TempDir(), "run")
	killed := filepath.Join(t.TempDir(), "run")
	want, err := session(t, t.Context(), whole, short(set), func(p *journal.Progress) {
		if p.Steps > 0 && !exists(killed) {
			if err := os.CopyFS(killed, os.DirFS(whole)); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	stopped := filepath.Join(t.TempDir(), "run")
	set["generations"] = "2"
	mustRun(t, stopped, short(set))
	for name, dir := range map[string]string{"killed": killed, "stopped": stopped} {
		got := mustRun(t, dir, resume("3"))
		if got.Model != want.Model || got.Checkpoint.SHA256 != want.Checkpoint.SHA256 {
			t.Errorf("%s: network %+v and checkpoint %+v, want %+v and %+v", name, got.Model, got.Checkpoint, want.Model, want.Checkpoint)
		}
		if d := cmp.Diff(want.Refit, got.Refit); d != "" {
			t.Errorf("%s: another refit: %s", name, d)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestLoad: a file of another kind is refused as foreign, and what is no multiple of 32 as a
// setting.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gen-000001.safetensors")
	if err := os.WriteFile(file, []byte("a lattice, say"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Method{}).Load(file, rules.International); !errors.Is(err, net.ErrForeign) {
		t.Errorf("%v", err)
	}
	if _, err := settings.Resolve(Method{}, short(map[string]string{"net.width": "33"})); !errors.Is(err, settings.ErrSettings) {
		t.Errorf("%v", err)
	}
}

// TestBegin: a run begins with a network of its own variant and options, or of a relative.
func TestBegin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "russian.nnue")
	m := nnue.New(rules.Russian, 32, 1)
	if err := m.SaveFile(file); err != nil {
		t.Fatal(err)
	}
	for _, v := range []*rules.Variant{rules.Russian, rules.Pool, rules.Italian} {
		n, err := Method{}.Begin(file, v)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.(network).Variant; got != v {
			t.Errorf("a network for %s, want %s", got.Name, v.Name)
		}
		if _, err := (Method{}).Load(file, v); v != rules.Russian && !errors.Is(err, net.ErrForeign) {
			t.Errorf("as a network of %s: %v", v.Name, err)
		}
	}
	if _, err := (Method{}).Begin(file, rules.Turkish); !errors.Is(err, net.ErrForeign) {
		t.Errorf("on a board of other squares: %v", err)
	}
	if err := nnue.New(rules.International, 32, 1).SaveFile(file); err != nil {
		t.Fatal(err)
	}
	other, err := rules.Lookup("international", rules.Options{"draws": "immediate"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Method{}).Begin(file, other); !errors.Is(err, net.ErrForeign) {
		t.Errorf("with other options: %v", err)
	}
}

// TestDefaults: the constants of the tree search are the network's, and there is room for its
// largest trees.
func TestDefaults(t *testing.T) {
	r, err := settings.Resolve(Method{}, settings.Sources{Set: map[string]string{"selfplay.visits": "0:8,1000:400"}})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.SelfPlay.MCTS; !m.Reuse || m.Best != 0.7 || m.MaxNodes != 12_800 || r.Net.Width != nnue.Width || r.Refit.First != 12_000_000 {
		t.Errorf("%+v, width %d, first refit at %d", m, r.Net.Width, r.Refit.First)
	}
	if r, err = settings.Resolve(Method{}, settings.Sources{Set: map[string]string{"refit.first": "0"}}); err != nil || r.Refit.First != 0 {
		t.Errorf("first refit at %d where a user wants none: %v", r.Refit.First, err)
	}
	if r, err = settings.Resolve(Method{}, settings.Sources{Set: map[string]string{"selfplay.search": "alphabeta"}}); err != nil || r.Generation.Passes != 3 {
		t.Errorf("%g passes by alpha-beta: %v", r.Generation.Passes, err)
	}
	// A variant may have settings of its own, and what a user sets stands over them.
	of := func(set map[string]string) *settings.Resolved {
		t.Helper()
		set["variant"] = "antidraughts"
		r, err := settings.Resolve(Method{}, settings.Sources{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := of(map[string]string{}); r.SelfPlay.TreeRows != -1 || r.SelfPlay.MCTS.Best != 1 || r.Generation.Passes != 4 || r.Value.LeastVisits != 0 || r.Refit.First != 0 {
		t.Errorf("antidraughts: %+v, %g passes, %+v", r.SelfPlay, r.Generation.Passes, r.Value)
	}
	r = of(map[string]string{"selfplay.tree_rows": "9", "selfplay.mcts.best": "0.5", "generation.passes": "7", "value.least_visits": "0.3"})
	if r.SelfPlay.TreeRows != 9 || r.SelfPlay.MCTS.Best != 0.5 || r.Generation.Passes != 7 || r.Value.LeastVisits != 0.3 {
		t.Errorf("antidraughts with settings of a user: %+v, %g passes, %+v", r.SelfPlay, r.Generation.Passes, r.Value)
	}
	if r := of(map[string]string{"selfplay.search": "alphabeta"}); r.Generation.Passes != 3 {
		t.Errorf("antidraughts by alpha-beta: %g passes", r.Generation.Passes)
	}
}

// TestCheckpoint: a trainer that was loaded goes on to the bit, and refuses what is not of its
// kind.
func TestCheckpoint(t *testing.T) {
	r, err := settings.Resolve(Method{}, short(nil))
	if err != nil {
		t.Fatal(err)
	}
	v := rules.International
	fresh := func(c settings.Config) trainer {
		tr, err := newTrainer(c.Train, nnue.New(v, c.Net.Width, c.Seed))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tr.Close)
		return tr
	}
	batches := func(n int) (all [][]data.Sample) {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		for range n {
			batch := make([]data.Sample, 100)
			for i := range batch {
				p := v.Start()
				for range 20 {
					if moves := v.AppendMoves(nil, p); len(moves) > 0 {
						p = v.Play(p, moves[rng.IntN(len(moves))])
					}
				}
				batch[i] = data.Sample{Position: p, Score: rng.Float32()}
			}
			all = append(all, batch)
		}
		return all
	}
	learn := func(tr trainer, all [][]data.Sample) {
		for _, b := range all {
			if _, err := tr.Step(b, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := batches(6)
	a := fresh(r.Config)
	learn(a, all[:3])
	var state bytes.Buffer
	if err := a.Save(&state); err != nil {
		t.Fatal(err)
	}
	learn(a, all[3:])
	b := fresh(r.Config)
	if err := b.Load(bytes.NewReader(state.Bytes())); err != nil {
		t.Fatal(err)
	}
	learn(b, all[3:])
	if !bytes.Equal(saved(t, a.Network(learner.Origin{Generation: 1})), saved(t, b.Network(learner.Origin{Generation: 1}))) || a.Steps() != 6 || b.Steps() != 6 {
		t.Errorf("it does not go on to the bit: %d and %d steps", a.Steps(), b.Steps())
	}
	// Another width, a damaged file.
	wide := r.Config
	wide.Net.Width = 64
	if err := fresh(wide).Load(bytes.NewReader(state.Bytes())); err == nil {
		t.Error("a checkpoint of another width was loaded")
	}
	if err := fresh(r.Config).Load(bytes.NewReader(state.Bytes()[:state.Len()-4])); err == nil {
		t.Error("half a checkpoint was loaded")
	}
	// It learns: the loss on a batch seen often falls.
	first, err := b.Evaluate(all[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		learn(b, all[:1])
	}
	if last, err := b.Evaluate(all[0]); err != nil || last.Value > 0.9*first.Value {
		t.Errorf("the loss went from %g to %g: %v", first.Value, last.Value, err)
	}
}

// saved returns the file of a network.
func saved(t *testing.T, n learner.Network) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := n.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLostSettings: a run whose settings are lost, in part or whole, is damaged and not gone on
// with.
func TestLostSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := session(t, t.Context(), dir, short(map[string]string{"generations": "1"}), nil); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.toml")
	whole, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, []byte("width = 32"))
	if at < 0 {
		t.Fatalf("no width in\n%s", whole)
	}
	for _, left := range [][]byte{nil, whole[:at], whole[:at/2]} {
		if err := os.WriteFile(config, left, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := learner.Open(dir, Method{}, resume("2")); !errors.Is(err, data.ErrDamaged) && !errors.Is(err, learner.ErrConflict) {
			t.Errorf("%d bytes of the settings: it is gone on with: %v", len(left), err)
		}
		if err := learner.Verify(t.Context(), dir, Method{}, io.Discard); err == nil {
			t.Errorf("%d bytes of the settings: nothing is found wrong", len(left))
		}
		if _, err := learner.Fit(t.Context(), dir, Method{}, settings.Sources{}, 1000, func(learner.FitPoint) {}, func(string, int, int) {}); err == nil {
			t.Errorf("%d bytes of the settings: a fit takes them", len(left))
		}
	}
}
