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
	rng := rand.New(rand.NewPCG(seed, 1))
	var all []seen
	for len(all) < n {
		g := rules.NewGame(international)
		if rng.IntN(2) == 0 {
			g = rules.NewGameFrom(international, kings(rng))
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
func kings(rng *rand.Rand) rules.Position {
	b := international.Board
	var sides [2]rules.Set
	var crowned rules.Set
	squares := rng.Perm(b.Squares() - 10)
	white := 1 + rng.IntN(6)
	for i, s := range squares[:white+1+rng.IntN(6)] {
		square := b.Set(rules.Square(s + 6)) // no men on the promotion rows
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

// turned returns p after a half turn of the board and an exchange of the colours, counters included.
func turned(v *rules.Variant, p rules.Position) rules.Position {
	turn := func(s rules.Set) rules.Set {
		var t rules.Set
		for !s.Empty() {
			t = t.Or(v.Board.Set(v.Board.Rotate(v.Board.Pop(&s))))
		}
		return t
	}
	kings := p.Kings(rules.White).Or(p.Kings(rules.Black))
	q := rules.NewPosition(turn(p.Pieces(rules.Black)), turn(p.Pieces(rules.White)), turn(kings), p.Turn.Opponent())
	q.Quiet, q.Endgame = p.Quiet, p.Endgame
	return q
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
	m, err := NewModel(international, cfg, 7)
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
