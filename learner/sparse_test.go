package learner

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"damier/data"
	"damier/rules"
)

// sparseRun are the settings of a short run that trains an NNUE by tree search.
func sparseRun(set map[string]string) Sources {
	s := Sources{Set: map[string]string{
		"net.arch": "nnue", "net.width": "32", "minutes": "0", "generations": "3", "generation.rows": "600", "generation.games": "12",
		"generation.stages": "0:8/8,700:16/16", "selfplay.max_plies": "80", "selfplay.tree": "3", "train.batch": "128",
		"evaluation.games": "2", "evaluation.visits": "8", "evaluation.rungs": "random", "evaluation.every": "0",
	}}
	for k, v := range set {
		s.Set[k] = v
	}
	return s
}

// TestSparseRun: a run of an NNUE plays, learns positions of trees besides those of games, and publishes networks; so does one
// that was stopped and goes on.
func TestSparseRun(t *testing.T) {
	for _, variant := range []string{"international", "turkish", "breakthrough"} {
		dir := filepath.Join(t.TempDir(), variant)
		mustRun(t, dir, sparseRun(map[string]string{"variant": variant}))
		m, _ := mustRun(t, dir, resume(map[string]string{"generations": "4"}))
		rows, plies := 0, 0
		for _, shard := range m.Games.Shards {
			v, err := rules.Lookup(variant, nil)
			if err != nil {
				t.Fatal(err)
			}
			games, err := data.ReadShard(filepath.Join(dir, gamesDir, shard.Name), v)
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
		if m.Generation != 4 || m.Model.Name != "gen-000004.nnue" || m.Steps == 0 || rows < plies/4 {
			t.Errorf("%s: generation %d, network %s, %d steps, %d positions of trees in %d plies", variant, m.Generation, m.Model.Name, m.Steps, rows, plies)
		}
		view, err := OpenView(dir)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := view.Model(4); err != nil || n.Generation() != 4 {
			t.Errorf("%s: %v", variant, err)
		}
	}
}

// TestSparseRepeats: two synchronous runs have the same network to the bit, also when one of them is stopped and goes on.
func TestSparseRepeats(t *testing.T) {
	set := map[string]string{"synchronous": "true", "generations": "4"}
	whole := filepath.Join(t.TempDir(), "whole")
	mustRun(t, whole, sparseRun(set))
	parts := filepath.Join(t.TempDir(), "parts")
	set["generations"] = "2"
	mustRun(t, parts, sparseRun(set))
	mustRun(t, parts, resume(map[string]string{"generations": "4"}))
	var files [2][]byte
	for i, dir := range []string{whole, parts} {
		view, err := OpenView(dir)
		if err != nil {
			t.Fatal(err)
		}
		n, err := view.Model(4)
		if err != nil {
			t.Fatal(err)
		}
		s := n.(sparse)
		s.Run = "" // the name of its directory
		files[i] = saved(t, s)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the networks differ")
	}
}

// TestSparseCheckpoint: a trainer that was loaded goes on to the bit, and refuses what is not of its kind.
func TestSparseCheckpoint(t *testing.T) {
	r, err := Resolve(sparseRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	v := rules.International
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
				w := rng.Float32()
				batch[i] = data.Sample{Position: p, Value: rules.WDL{Win: w, Loss: 1 - w}, Weight: 1}
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
	newSparse := func(c Config) trainer {
		tr, err := newSparseTrainer(v, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tr.Close)
		return tr
	}
	a := newSparse(r.Config)
	learn(a, all[:3])
	var state bytes.Buffer
	if err := a.Save(&state); err != nil {
		t.Fatal(err)
	}
	learn(a, all[3:])
	b := newSparse(r.Config)
	if err := b.Load(bytes.NewReader(state.Bytes())); err != nil {
		t.Fatal(err)
	}
	learn(b, all[3:])
	if !bytes.Equal(saved(t, a.average("", 1)), saved(t, b.average("", 1))) || a.Steps() != 6 || b.Steps() != 6 {
		t.Errorf("it does not go on to the bit: %d and %d steps", a.Steps(), b.Steps())
	}
	// Another width, a damaged file.
	wide := r.Config
	wide.Net.Width = 64
	if err := newSparse(wide).Load(bytes.NewReader(state.Bytes())); err == nil {
		t.Error("a checkpoint of another width was loaded")
	}
	if err := newSparse(r.Config).Load(bytes.NewReader(state.Bytes()[:state.Len()-4])); err == nil {
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
