package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"damier/alphabeta"
	"damier/rules"
)

// OpeningsConfig holds the settings of [MakeOpenings]. Zero fields mean the defaults, see
// [OpeningsConfig.WithDefaults].
type OpeningsConfig struct {
	Count              int             // number of openings, at least 1
	Seed               uint64          // seed of the random moves
	MinPlies, MaxPlies int             // length of an opening
	Depth              int             // depth of the search that tests the balance, in plies
	Balance            alphabeta.Score // greatest distance of the score from 0

	// Unbalanced makes openings that favour White and Black in turn: the score for that side is
	// then at least Advantage and at most MaxAdvantage, and it may have a man more.
	Unbalanced              bool
	Advantage, MaxAdvantage alphabeta.Score

	// Progress, if not nil, is called after every opening found with the number found so far.
	Progress func(found int)
}

// WithDefaults returns c with every zero field but Count and Seed replaced by its default for the
// variant: 6 to 10 plies, a search of depth 10 and a fifth of a man. On 8x8 squares it is 4 to 8
// plies and depth 8, with few men a side as in Frysk! 4 to 8 plies and depth 10, and on 12x12
// depth 8, because searches there are slow. An advantage is half a man to a man and a half.
func (c OpeningsConfig) WithDefaults(v *rules.Variant) OpeningsConfig {
	shortest, longest, depth := 6, 10, 10
	switch {
	case v.Board.Rows == 8:
		shortest, longest, depth = 4, 8, 8
	case v.Board.Rows == 12:
		depth = 8
	case v.Rows < 3:
		shortest, longest = 4, 8
	}
	for _, d := range []struct {
		field *int
		value int
	}{{&c.MinPlies, shortest}, {&c.MaxPlies, longest}, {&c.Depth, depth}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.Balance == 0 {
		c.Balance = 20
	}
	if c.Advantage == 0 {
		c.Advantage = 50
	}
	if c.MaxAdvantage == 0 {
		c.MaxAdvantage = c.Advantage + 100
	}
	return c
}

// MakeOpenings makes balanced openings of random legal moves from the start position. It keeps one
// if no capture is pending, the sides have the same number of men, a search by alphabeta finds
// neither side ahead, and neither the position nor its rotation (with colours exchanged) was found
// before. In an unbalanced opening the search must find one side ahead by the given advantage. The
// same configuration gives the same openings.
func MakeOpenings(ctx context.Context, v *rules.Variant, c OpeningsConfig) ([]Opening, error) {
	c = c.WithDefaults(v)
	switch {
	case c.Count < 1:
		return nil, fmt.Errorf("openings: %d are too few; at least 1", c.Count)
	case c.MinPlies < 1 || c.MinPlies > c.MaxPlies || c.MaxPlies > 40:
		return nil, fmt.Errorf("openings: %d to %d plies are not a range within 1..40", c.MinPlies, c.MaxPlies)
	case c.Depth < 1 || c.Depth > alphabeta.MaxDepth || c.Balance < 0:
		return nil, fmt.Errorf("openings: depth %d or balance %d makes no sense", c.Depth, c.Balance)
	case c.Advantage < 1 || c.Advantage >= c.MaxAdvantage || c.MaxAdvantage >= alphabeta.MateBound:
		return nil, fmt.Errorf("openings: an advantage of %d to %d hundredths of a man makes no sense", c.Advantage, c.MaxAdvantage)
	}
	engine, err := alphabeta.New(v, alphabeta.Config{})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0x4f70656e696e67))
	seen := map[rules.Position]bool{}
	var found []Opening
	// There are only so many short openings: this many failures in a row mean that there are no
	// more.
	const patience = 20_000
	for failures := 0; len(found) < c.Count; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if failures++; failures > patience {
			return found, fmt.Errorf("openings: only %d of %d found; allow more plies or less balance", len(found), c.Count)
		}
		g := randomGame(v, rng, c.MinPlies+rng.IntN(c.MaxPlies-c.MinPlies+1))
		if g == nil || !c.fits(g.Position()) {
			continue
		}
		p := withoutCounters(g.Position())
		if seen[p] || seen[v.Rotate(p)] {
			continue
		}
		good, err := c.search(ctx, engine, g, rules.Color(len(found)%2))
		if err != nil {
			return nil, err
		}
		if !good {
			continue
		}
		seen[p] = true
		found = append(found, Opening{Start: g.Start(), Moves: g.Moves()})
		failures = 0
		if c.Progress != nil {
			c.Progress(len(found))
		}
	}
	return found, nil
}

// randomGame plays random moves from the start position. It returns nil if the last position is
// unsuitable: the game is over or a capture is pending.
func randomGame(v *rules.Variant, rng *rand.Rand, plies int) *rules.Game {
	g := rules.NewGame(v)
	for range plies {
		if g.Over() {
			return nil
		}
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			panic("arena: a legal move is refused")
		}
	}
	if g.Over() || v.HasCaptures(g.Position()) {
		return nil
	}
	return g
}

// fits reports whether the pieces of a position suit an opening: equal numbers on both sides; in
// an unbalanced one no king more, and at most one man more.
func (c OpeningsConfig) fits(p rules.Position) bool {
	more := p.Pieces(rules.White).Len() - p.Pieces(rules.Black).Len()
	kings := p.Kings(rules.White).Len() - p.Kings(rules.Black).Len()
	if c.Unbalanced {
		return kings == 0 && max(more, -more) <= 1
	}
	return kings == 0 && more == 0
}

// search reports whether the engine's score of the position is as required; in an unbalanced
// opening it must be in favour of the side favoured. It searches to a small depth first, which
// rejects most positions.
func (c OpeningsConfig) search(ctx context.Context, e *alphabeta.Engine, g *rules.Game, favoured rules.Color) (bool, error) {
	e.NewGame()
	for _, depth := range []int{min(4, c.Depth), min(8, c.Depth), c.Depth} {
		info, err := e.Search(ctx, g, alphabeta.Limits{Depth: depth}, nil)
		if err != nil {
			return false, err
		}
		score := info.Score
		switch {
		case !c.Unbalanced:
			if max(score, -score) > c.Balance {
				return false, nil
			}
			continue
		case g.Position().Turn != favoured:
			score = -score
		}
		if score < c.Advantage || score > c.MaxAdvantage {
			return false, nil
		}
	}
	return true, nil
}
