package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"damier/rules"
)

// randomGame plays a game of random moves, at most limit plies long, after a random opening or
// from an ending with kings, with random but possible search results.
func randomGame(rng *rand.Rand, v *rules.Variant, id string, limit int) Game {
	if rng.IntN(3) == 0 {
		return randomPlay(rng, v, randomEnding(rng, v), id, limit)
	}
	return randomPlay(rng, v, v.Start(), id, limit)
}

// randomPlay is randomGame from a given position.
func randomPlay(rng *rand.Rand, v *rules.Variant, start rules.Position, id string, limit int) Game {
	rg := rules.NewGameFrom(v, start)
	for range rng.IntN(11) {
		if m := rg.Legal(); !rg.Over() {
			must(rg.Play(m[rng.IntN(len(m))]))
		}
	}
	if rg.Over() {
		return randomGame(rng, v, id, limit)
	}
	g := Game{
		ID: id, Variant: v.Name, Options: v.Options.String(), Rules: rules.Version, Model: fmt.Sprintf("gen-%06d", rng.IntN(3)),
		Seed: rng.Uint64(), Generation: rng.IntN(3), Start: rg.Position(),
	}
	rg.Reset(g.Start)
	for !rg.Over() && rg.Ply() < limit {
		p := randomPly(rng, rg)
		g.Plies = append(g.Plies, p)
		must(rg.Play(p.Moves[p.Played]))
	}
	if g.Outcome, g.Reason = rg.Outcome(); !rg.Over() {
		g.Outcome, g.Reason = rules.Draw, rules.PlyLimit
		if rng.IntN(2) == 0 {
			g.Outcome, g.Reason = rules.Win(rules.Color(rng.IntN(2))), rules.Resignation
		}
	}
	return g
}

// randomEnding returns a position with a few kings, where repetition and the move-count draws
// happen.
func randomEnding(rng *rand.Rand, v *rules.Variant) rules.Position {
	squares := rng.Perm(v.Board.Squares())
	var white, black rules.Set
	few := 1 + rng.IntN(2)
	for i, s := range squares[:2+rng.IntN(4)] {
		if i < few {
			black = v.Board.Set(rules.Square(s + 1))
		} else {
			white = white.Or(v.Board.Set(rules.Square(s + 1)))
		}
	}
	p := rules.NewPosition(white, black, white.Or(black), rules.Color(rng.IntN(2)))
	p.Quiet = uint8(rng.IntN(5))
	return p
}

func randomPly(rng *rand.Rand, rg *rules.Game) Ply {
	moves := append([]rules.Move(nil), rg.Legal()...)
	p := Ply{
		Position: rg.Position(), Occurrences: uint8(rg.Occurrences()), Moves: moves, Played: rng.IntN(len(moves)),
	}
	// Sometimes a piece moves back, so that positions repeat.
	if m := rg.Moves(); len(m) >= 2 && rng.IntN(2) == 0 {
		last := m[len(m)-2]
		if i := slices.Index(moves, rules.NewMove(last.To, last.From, rules.Set{})); i >= 0 {
			p.Played = i
		}
	}
	if len(moves) == 1 || rng.IntN(10) == 0 {
		return p // forced, or played without a search
	}
	p.Full = rng.IntN(4) == 0
	p.Simulations = 8 + rng.IntN(25)
	p.Root, p.Raw = randomWDL(rng), randomWDL(rng)
	n := len(moves)
	p.Visits, p.Priors, p.Values = make([]uint16, n), make([]float32, n), make([]float32, n)
	sum := 0.0
	for i := range n {
		x := math.Exp(8 * rng.NormFloat64())
		p.Priors[i] = float32(x)
		sum += x
		p.Values[i] = float32(math.NaN())
		if rng.IntN(3) > 0 {
			p.Visits[i] = uint16(1 + rng.IntN(1<<rng.IntN(16)))
			p.Values[i] = rng.Float32()
		}
	}
	for i := range p.Priors {
		p.Priors[i] = float32(float64(p.Priors[i]) / sum)
	}
	for range rng.IntN(4) {
		p.Tree = append(p.Tree, randomNode(rng, rg.Variant(), p.Position))
	}
	return p
}

// randomNode returns a position in a tree below p that has more than one move.
func randomNode(rng *rand.Rand, v *rules.Variant, p rules.Position) Node {
	n := Node{Value: rng.Float32()}
	for range 1 + rng.IntN(4) {
		moves := v.AppendMoves(nil, p)
		if len(moves) == 0 {
			break
		}
		n.Line = append(n.Line, uint8(rng.IntN(len(moves))))
		at, err := follow(v, p, n.Line[len(n.Line)-1:])
		must(err)
		p = at
	}
	n.Position = p
	return n
}

func randomWDL(rng *rand.Rand) rules.WDL {
	a, b := rng.Float32(), rng.Float32()
	return rules.WDL{Win: a * b, Draw: a * (1 - b), Loss: 1 - a}
}

// randomGames returns n games of at most limit plies. Equal arguments give equal games.
func randomGames(seed uint64, n, limit int) []Game {
	rng := rand.New(rand.NewPCG(seed, 1))
	games := make([]Game, n)
	for i := range games {
		games[i] = randomGame(rng, international(), fmt.Sprintf("%d-%d", seed, i), limit)
	}
	return games
}

func international() *rules.Variant {
	v, err := rules.Lookup("international", nil)
	must(err)
	return v
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// writeRandom writes a shard of random games for a test.
func writeRandom(t testing.TB, dir, name string, seed uint64, n int) ShardInfo {
	t.Helper()
	info, err := WriteShard(dir, name, international(), randomGames(seed, n, 30))
	if err != nil {
		t.Fatal(err)
	}
	return info
}
