package net

import (
	"flag"
	"math/rand/v2"
	"testing"

	"damier/mcts"
	"damier/rules"
)

var (
	update  = flag.Bool("update", false, "rewrite the golden files in testdata")
	trained = flag.String("model", "", "a trained model that TestEvaluatorTwin compares as well")
)

// international is the variant of most tests.
var international = rules.International

// seen is a position as it occurs in a game.
type seen struct {
	position    rules.Position
	occurrences int
	moves       []rules.Move
}

// positions returns n positions with a legal move, of random games and of random boards with kings.
func positions(tb testing.TB, n int, seed uint64) []seen {
	tb.Helper()
	return positionsOf(tb, international, n, seed)
}

func positionsOf(tb testing.TB, v *rules.Variant, n int, seed uint64) []seen {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var all []seen
	for len(all) < n {
		g := rules.NewGame(v)
		if rng.IntN(2) == 0 {
			g = rules.NewGameFrom(v, kings(v, rng))
		}
		for !g.Over() && len(all) < n {
			legal := append([]rules.Move(nil), g.Legal()...)
			if rng.IntN(6) == 0 {
				all = append(all, seen{g.Position(), g.Occurrences(), legal})
			}
			if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return all
}

// kings returns a board with one to six pieces a side, half of them kings.
func kings(v *rules.Variant, rng *rand.Rand) rules.Position {
	b := v.Board
	var sides [2]rules.Set
	var crowned rules.Set
	row := b.Squares() / b.Rows
	squares := rng.Perm(b.Squares() - 2*row)
	white := 1 + rng.IntN(6)
	for i, s := range squares[:white+1+rng.IntN(6)] {
		square := b.Set(rules.Square(s + row + 1)) // no men on the promotion rows
		side := 0
		if i >= white {
			side = 1
		}
		sides[side] = sides[side].Or(square)
		if rng.IntN(2) == 0 {
			crowned = crowned.Or(square)
		}
	}
	return rules.NewPosition(sides[0], sides[1], crowned, rules.Color(rng.IntN(2)))
}

func leaves(all []seen) []mcts.Leaf {
	var ls []mcts.Leaf
	for _, s := range all {
		ls = append(ls, mcts.Leaf{
			Position: s.position, Moves: s.moves, Occurrences: s.occurrences,
			Priors: make([]float32, len(s.moves)),
		})
	}
	return ls
}

// configs are the networks most tests run over.
var configs = map[string]Config{
	"lattice 48x6":  {},
	"lattice plain": {Channels: 24, Layers: 4, GlobalPool: -1, PolicyRank: 7, ValueHidden: 16, NoValueCounts: true},
	"lattice nine":  {Channels: 16, Layers: 2, Taps: 9, GlobalPool: 1},
	"mlp 256":       {Arch: MLP},
	"mlp plain":     {Arch: MLP, Hidden: 40, PolicyRank: 3, NoValueCounts: true},
}

// newTestModel returns a model with initial weights or, if grown, with biases and heads of the size that
// training gives them.
func newTestModel(tb testing.TB, cfg Config, grown bool) *Model {
	tb.Helper()
	return newTestModelOf(tb, international, cfg, grown)
}

func newTestModelOf(tb testing.TB, v *rules.Variant, cfg Config, grown bool) *Model {
	tb.Helper()
	m, err := NewModel(v, cfg, 7)
	if err != nil {
		tb.Fatal(err)
	}
	if !grown {
		return m
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for i, l := range m.Architecture().weights() {
		for j := range m.Params[i].Data {
			switch {
			case l == nil:
				m.Params[i].Data[j] = float32(0.3 * rng.NormFloat64())
			case l.Name == "policy":
				m.Params[i].Data[j] *= 3
			case l.Name == "value.out":
				m.Params[i].Data[j] *= 20
			default:
				m.Params[i].Data[j] *= 1.2
			}
		}
	}
	return m
}
