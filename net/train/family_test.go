package train

import (
	"math/rand/v2"
	"slices"
	"testing"

	"damier/data"
	"damier/internal/simd"
	"damier/mcts"
	"damier/net"
	"damier/rules"
	"damier/selfplay"

	"github.com/google/go-cmp/cmp"
)

// variants returns every variant with its default options, and the options that change what a network or a
// record has to hold.
func variants(t testing.TB) []*rules.Variant {
	t.Helper()
	var all []*rules.Variant
	add := func(name string, o rules.Options) {
		v, err := rules.Lookup(name, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for _, name := range rules.Names() {
		add(name, nil)
	}
	add("turkish", rules.Options{"crown": "at-once", "draws": "25-move"})
	add("frisian", rules.Options{"kings": "strict"})
	return all
}

// TestFamily takes every variant once around the loop: a network plays a game against itself, the game is
// written and read, and the network is trained on it.
func TestFamily(t *testing.T) {
	for _, v := range variants(t) {
		t.Run(v.String(), func(t *testing.T) {
			m := newModel(t, v, net.Config{Channels: 8, Layers: 2, PolicyRank: 3, ValueHidden: 8})
			e, err := net.NewEvaluator(m, simd.Best())
			if err != nil {
				t.Fatal(err)
			}
			cfg := selfplay.Config{Visits: []string{"0:4"}, OpeningShare: -1, MaxPlies: 80, TreeRows: -1}
			actor, err := selfplay.NewActor(v, cfg, selfplay.Identity{Seed: 3, Actor: "a0"}, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			searcher, err := selfplay.NewSearcher(v, cfg, selfplay.Judges{Leaves: e})
			if err != nil {
				t.Fatal(err)
			}
			actor.SetModel(searcher, "m", 0)
			actor.Renumber(0, 8)
			var games []data.Game
			err = actor.Run(t.Context(), func() bool { return false }, func(g data.Game) { games = append(games, g) })
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			info, err := data.WriteShard(dir, "a.parquet", v, games)
			if err != nil {
				t.Fatal(err)
			}
			read, err := data.ReadShard(dir+"/a.parquet", v)
			if err != nil {
				t.Fatal(err)
			}
			if len(read) != len(games) || info.Games != 8 {
				t.Fatalf("%d games read, %d written, %d played", len(read), info.Games, len(games))
			}
			policy := func(dst []float32, g *data.Game, ply int) {
				p := &g.Plies[ply]
				mcts.ImprovedPolicy(dst, cfg.MCTS, p.Raw, p.Priors, p.Values, p.Visits)
			}
			w := data.NewWindow(v, data.WindowConfig{MinRows: 100}, data.Targets(data.ValueRule{}, true, policy))
			for _, g := range read {
				w.Add(g)
			}
			tr := newTrainer(t, m, Config{Batch: 32, Warmup: -1, Threads: 1})
			samples := make([]data.Sample, 32)
			rng := rand.New(rand.NewPCG(1, 1))
			for range 2 {
				w.Sample(rng, samples)
				if _, err := tr.Step(samples, 1); err != nil {
					t.Fatal(err)
				}
			}
			if cmp.Equal(tr.Weights().Params, m.Params) {
				t.Error("training changed nothing")
			}
			if err := e.SetModel(tr.EMA()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMirror: where the board has a mirror every other row is trained mirrored, the others in the next step, and
// with the same targets for the same moves; elsewhere rows are trained as they are.
func TestMirror(t *testing.T) {
	cfg := Config{Batch: 32, Warmup: -1, Threads: 1}
	for _, v := range variants(t) {
		tr := newTrainer(t, newModel(t, v, net.Config{Channels: 8, Layers: 2}), cfg)
		samples := randomSamples(v, cfg.Batch, 31)
		for odd := range 2 {
			for i, got := range tr.mirror(samples) {
				want := samples[i]
				if v.HasMirror() && i%2 != odd {
					want.Position = v.Mirror(want.Position)
				}
				if got.Position != want.Position || !slices.Equal(got.Policy, want.Policy) || got.Value != want.Value {
					t.Fatalf("%v, step %d: row %d is %+v, want %+v", v, odd, i, got, want)
				}
				legal := v.AppendMoves(nil, got.Position)
				if len(legal) != len(got.Moves) {
					t.Fatalf("%v: row %d: %d moves, %d legal", v, i, len(got.Moves), len(legal))
				}
				for _, m := range got.Moves {
					if !slices.Contains(legal, m) {
						t.Fatalf("%v: row %d: move %v is not legal", v, i, m)
					}
				}
			}
			step(t, tr, samples)
		}
	}
}
