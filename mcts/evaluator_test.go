package mcts

import (
	"context"
	"math/rand/v2"

	"damier/rules"
)

// evalFunc is an evaluator of one leaf at a time.
type evalFunc func(l *Leaf)

func (f evalFunc) Evaluate(_ context.Context, leaves []Leaf) error {
	for i := range leaves {
		f(&leaves[i])
	}
	return nil
}

// uniform knows nothing: equal priors, an even value.
func uniform(l *Leaf) {
	for i := range l.Priors {
		l.Priors[i] = 1 / float32(len(l.Priors))
	}
	l.Value = rules.WDL{Win: 0.25, Draw: 0.5, Loss: 0.25}
}

// scatter gives every position priors and a value of its own, at random but always the same.
func scatter(l *Leaf) {
	rng := rand.New(rand.NewPCG(l.Position.Key(), 1))
	sum := float32(0)
	for i := range l.Priors {
		l.Priors[i] = 0.05 + rng.Float32()
		sum += l.Priors[i]
	}
	for i := range l.Priors {
		l.Priors[i] /= sum
	}
	a, b := rng.Float32(), rng.Float32()
	l.Value = rules.WDL{Win: min(a, b), Draw: max(a, b) - min(a, b), Loss: 1 - max(a, b)}
}

// valued is scatter with an opinion on each move, too.
func valued(l *Leaf) {
	scatter(l)
	rng := rand.New(rand.NewPCG(l.Position.Key(), 2))
	for i := range l.Values {
		l.Values[i] = rng.Float32()
	}
	l.Valued = true
}

// whiteWins sees White ahead everywhere, but not won.
func whiteWins(l *Leaf) {
	uniform(l)
	l.Value = rules.WDL{Win: 0.8, Draw: 0.1, Loss: 0.1}
	if l.Position.Turn == rules.Black {
		l.Value = l.Value.Flip()
	}
}

// gameFrom returns a game from a FEN.
func gameFrom(fen string) *rules.Game {
	p, err := rules.ParseFEN(rules.International, fen)
	if err != nil {
		panic(err)
	}
	return rules.NewGameFrom(rules.International, p)
}

// randomGame returns a game after up to plies random moves, not over.
func randomGame(rng *rand.Rand, plies int) *rules.Game {
	g := rules.NewGame(rules.International)
	playRandom(g, rng, plies)
	return g
}

// playRandom plays up to plies random moves that do not end the game.
func playRandom(g *rules.Game, rng *rand.Rand, plies int) {
	for range plies {
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			panic(err)
		}
		if g.Over() {
			g.Undo()
			return
		}
	}
}

// randomEnding returns a game from a random position of few pieces, some of them kings, not over.
func randomEnding(rng *rand.Rand, white, black int) *rules.Game {
	return randomEndingOf(rules.International, rng, white, black)
}

func randomEndingOf(v *rules.Variant, rng *rand.Rand, white, black int) *rules.Game {
	b := v.Board
	for {
		var side [2]rules.Set
		var kings rules.Set
		for i, s := range rng.Perm(b.Squares())[:white+black] {
			sq := rules.Square(s + 1)
			c := rules.White
			if i >= white {
				c = rules.Black
			}
			side[c] = side[c].Or(b.Set(sq))
			if rng.IntN(3) == 0 || v.Promotes(c, sq) {
				kings = kings.Or(b.Set(sq))
			}
		}
		p := rules.NewPosition(side[rules.White], side[rules.Black], kings, rules.Color(rng.IntN(2)))
		if g := rules.NewGameFrom(v, p); !g.Over() {
			return g
		}
	}
}
