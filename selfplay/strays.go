package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"damier/data"
	"damier/mcts"
	"damier/rules"
)

// Strays searches positions that games hardly reach: off-policy positions, in the words of
// reinforcement learning. From a position of a game one side makes random moves, and the other
// answers with the best ones. Those are the leaves of the smallest tree that alpha-beta has to
// search (Knuth and Moore, Artificial Intelligence 6, 1975), so a search asks for the values of such
// positions all the time (docs/experiments/strays.md). Only one goroutine may use it.
type Strays struct {
	variant *rules.Variant
	search  *mcts.Search
	leaves  mcts.Evaluator
}

// The lines of stray positions.
const (
	strayChoices = 10 // most choices of a line
	strayVisits  = 16 // simulations of the search of a stray position
	replyVisits  = 4  // simulations of a search for a reply
)

// NewStrays returns a Strays by the tree search of self-play, with an evaluator of leaves that
// nothing else uses.
func NewStrays(v *rules.Variant, cfg Config, leaves mcts.Evaluator) (*Strays, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("self-play: %w", err)
	}
	search := cfg.For(v).MCTS
	search.Fraction = -1 // no noise
	return &Strays{v, mcts.NewSearch(v, search), leaves}, nil
}

// SetTables makes the searches use endgame tables; nil for none.
func (s *Strays) SetTables(t Tables) { s.search.SetTables(t) }

// Search plays a line from p and searches the position after it. It returns that position with the
// expected score of its side to move, as the search sees it; false if the line ends the game.
func (s *Strays) Search(ctx context.Context, p rules.Position, rng *rand.Rand) (data.Sample, bool, error) {
	g := rules.NewGameFrom(s.variant, p)
	ok, err := s.stray(ctx, g, rng)
	if err != nil || !ok {
		return data.Sample{}, false, err
	}
	r, err := s.look(ctx, g, strayVisits, rng)
	return data.Sample{Position: g.Position(), Score: r.Root.Score()}, err == nil, err
}

// stray plays a line of up to strayChoices choices in g, and on until there is a choice and no
// capture to make. It returns false if the game ends before.
func (s *Strays) stray(ctx context.Context, g *rules.Game, rng *rand.Rand) (bool, error) {
	wild := g.Position().Turn // the side that moves at random
	if rng.IntN(2) == 0 {
		wild = wild.Opponent()
	}
	for left := 1 + rng.IntN(strayChoices); !g.Over(); {
		legal := g.Legal()
		m := legal[0]
		if len(legal) > 1 {
			if left <= 0 && !s.variant.HasCaptures(g.Position()) {
				return true, nil
			}
			left--
			if g.Position().Turn == wild {
				m = legal[rng.IntN(len(legal))]
			} else {
				r, err := s.look(ctx, g, replyVisits, rng)
				if err != nil {
					return false, err
				}
				m = r.Moves[r.Best]
			}
		}
		if err := g.Play(m); err != nil {
			panic("selfplay: a legal move is illegal: " + err.Error())
		}
	}
	return false, nil
}

// look searches a position on its own.
func (s *Strays) look(ctx context.Context, g *rules.Game, visits int, rng *rand.Rand) (mcts.Result, error) {
	s.search.Forget()
	s.search.Start(g, mcts.Budget{Simulations: visits}, rng)
	r, err := s.search.Run(ctx, s.leaves, 1)
	if err != nil {
		s.search.Forget()
	}
	return r, err
}
