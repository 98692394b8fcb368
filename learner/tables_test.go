package learner

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"damier/egdb"
	"damier/rules"
)

// Labels are the values of the tables: a draw is one half, a win is worth more the nearer it is, and what is not in the
// tables has no label. The best move leads to the mirror of the label, a ply nearer to the end.
func TestTableLabels(t *testing.T) {
	for _, v := range []*rules.Variant{rules.English, rules.Antidraughts} {
		label, err := tableLabels(t.Context(), v, 3)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := egdb.Generate(t.Context(), v, 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		seen := map[egdb.Result]int{}
		for range 200 {
			g := rules.NewGame(v)
			for !g.Over() && g.Ply() < 300 {
				p := g.Position()
				score, known := label(p)
				result, plies, ok := tables.Probe(p)
				if known != ok {
					t.Fatalf("%s, %s: label %v, table %v", v.Name, v.FEN(p), known, ok)
				}
				if known {
					seen[result]++
					want := map[egdb.Result]float32{egdb.Draw: 0.5, egdb.Win: 1 - float32(plies)/400, egdb.Loss: float32(plies) / 400}[result]
					if diff := score - want; diff > 1e-6 || diff < -1e-6 {
						t.Fatalf("%s, %s: label %v, want %v", v.Name, v.FEN(p), score, want)
					}
				}
				moves := g.Legal()
				if err := g.Play(moves[rng.IntN(len(moves))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if seen[egdb.Win] == 0 || seen[egdb.Loss] == 0 {
			t.Errorf("%s: labels of %v", v.Name, seen)
		}
	}
}

func TestTableLabelsNone(t *testing.T) {
	if label, err := tableLabels(t.Context(), rules.English, 0); label != nil || err != nil {
		t.Errorf("without tables: %v, %v", label != nil, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tableLabels(stopped, rules.English, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := tableLabels(t.Context(), rules.International, 6); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("too many pieces: %v", err)
	}
}
