package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"damier/alphabeta"
	"damier/rules"
)

// EndingsConfig holds the settings of [MakeEndings].
type EndingsConfig struct {
	Count                int    // number of endings, at least 1
	Seed                 uint64 // seed of the games
	MinPieces, MaxPieces int    // number of pieces on the board, of both sides together: at least 4
	// Depth of the search that plays the games and judges the endings; 0 means 6.
	Depth int

	// Progress, if not nil, is called after every ending found with the number found so far.
	Progress func(found int)
}

// MakeEndings makes endings from which matches can begin. It plays games of alphabeta against
// itself, with one move in eight at random, up to the first position with the right number of
// pieces. It keeps the position if no capture is pending, neither side has more than one man or
// one king more than the other, and a search finds the sides within a man and a half. No ending
// comes twice, also not rotated with colours exchanged. The same configuration gives the same
// endings.
func MakeEndings(ctx context.Context, v *rules.Variant, c EndingsConfig) ([]Opening, error) {
	if c.Depth == 0 {
		c.Depth = 6
	}
	switch {
	case c.Count < 1:
		return nil, fmt.Errorf("endings: %d are too few; at least 1", c.Count)
	case c.MinPieces < 4 || c.MinPieces > c.MaxPieces || c.MaxPieces > v.Board.Squares():
		return nil, fmt.Errorf("endings: %d to %d pieces are not a range from 4 up", c.MinPieces, c.MaxPieces)
	case c.Depth < 1 || c.Depth > alphabeta.MaxDepth:
		return nil, fmt.Errorf("endings: depth %d is not in 1..%d", c.Depth, alphabeta.MaxDepth)
	}
	engine, err := alphabeta.New(v, alphabeta.Config{TableBits: 16})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0x456e64696e6773))
	seen := map[rules.Position]bool{}
	var found []Opening
	for len(found) < c.Count {
		p, ok, err := c.ending(ctx, engine, v, rng)
		if err != nil {
			return nil, err
		}
		if p = withoutCounters(p); !ok || seen[p] || seen[v.Rotate(p)] {
			continue
		}
		seen[p] = true
		found = append(found, Opening{Start: p})
		if c.Progress != nil {
			c.Progress(len(found))
		}
	}
	return found, nil
}

// ending plays a game to its first position with the right number of pieces. ok is true if that
// position is suitable.
func (c EndingsConfig) ending(ctx context.Context, e *alphabeta.Engine, v *rules.Variant, rng *rand.Rand) (p rules.Position, ok bool, err error) {
	e.NewGame()
	for g := rules.NewGame(v); !g.Over() && g.Ply() < DefaultMaxPlies(v); {
		p := g.Position()
		white, black := p.Pieces(rules.White).Len(), p.Pieces(rules.Black).Len()
		switch n := white + black; {
		case n < c.MinPieces || max(white-black, black-white) > 2 && n <= c.MaxPieces:
			return p, false, nil
		case n <= c.MaxPieces && max(white-black, black-white) <= 1 && !v.HasCaptures(p):
			info, err := e.Search(ctx, rules.NewGameFrom(v, withoutCounters(p)), alphabeta.Limits{Depth: c.Depth}, nil)
			const most = 150
			return p, max(info.Score, -info.Score) <= most, err
		}
		m := g.Legal()[rng.IntN(len(g.Legal()))]
		if rng.IntN(8) > 0 {
			info, err := e.Search(ctx, g, alphabeta.Limits{Depth: min(4, c.Depth)}, nil)
			if err != nil {
				return p, false, err
			}
			m = info.PV[0]
		}
		if err := g.Play(m); err != nil {
			panic("arena: a legal move is refused")
		}
	}
	return p, false, ctx.Err()
}
