package learn

import (
	"context"
	"math"

	"damier/alphabeta"
	"damier/mcts"
	"damier/nnue"
	"damier/rules"
)

// newSearcher returns the search of self-play that c asks for, over e. inner says whether positions of a tree are learnt,
// which have no result but what the network thinks.
func newSearcher(v *rules.Variant, c *Config, e *nnue.Evaluator, inner bool) (searcher, error) {
	if c.byTree() {
		s := &byTree{variant: v, visits: c.Visits, look: e.OnePly(nnue.OnePlyConfig{})}
		if inner {
			s.least = c.Least
		}
		// Room for the part of the tree that is kept from move to move, too.
		s.tree = mcts.NewSearch(v, nnue.TreeSearch(mcts.Config{MaxNodes: roomFor * c.Visits}))
		return s, nil
	}
	// The recipe's depths and nodes were measured with the search of this version.
	engine, err := alphabeta.New(v, alphabeta.Config{Version: alphabeta.Baseline, TableBits: 16, Evaluator: e})
	return &byDepth{engine, alphabeta.Limits{Depth: c.Depth, Nodes: uint64(c.Nodes)}}, err
}

// roomFor is how many nodes a tree of self-play may have, for each simulation of a search.
const roomFor = 16

// byDepth plays by alpha-beta.
type byDepth struct {
	engine *alphabeta.Engine
	limits alphabeta.Limits
}

func (s *byDepth) newGame() { s.engine.NewGame() }

func (s *byDepth) search(ctx context.Context, g *rules.Game, dst []example) (rules.Move, float32, []example, error) {
	found, err := s.engine.Search(ctx, g, s.limits, nil)
	if err != nil {
		return rules.Move{}, 0, dst, err
	}
	return found.PV[0], float32(1 / (1 + math.Exp(-float64(found.Score)/nnue.Points))), dst, nil
}

// byTree plays by tree search, and learns from the positions of its trees too.
type byTree struct {
	variant *rules.Variant
	tree    *mcts.Search
	look    *nnue.OnePly
	visits  int
	least   int // see Config.Least
}

func (s *byTree) newGame() { s.tree.Forget() }

func (s *byTree) search(ctx context.Context, g *rules.Game, dst []example) (rules.Move, float32, []example, error) {
	s.tree.Start(g, mcts.Budget{Simulations: s.visits}, nil)
	r, err := s.tree.Run(ctx, s.look, 1)
	if err != nil {
		return rules.Move{}, 0, dst, err
	}
	if s.least > 0 {
		s.tree.Positions(s.least, func(_ []uint8, p rules.Position, worth float64) {
			if !s.variant.HasCaptures(p) {
				dst = append(dst, example{position: p, score: float32(worth), result: float32(worth)})
			}
		})
	}
	return r.Moves[r.Best], r.Root.Score(), dst, nil
}
