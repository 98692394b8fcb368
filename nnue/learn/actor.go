package learn

import (
	"context"
	"math/rand/v2"

	"damier/rules"
)

// maxPlies ends a game as a draw.
const maxPlies = 300

// example is a position without a capture to make.
type example struct {
	position rules.Position
	score    float32 // what its search expected for the side to move, in [0,1]
	result   float32 // of the game for the side to move: 1, 1/2 or 0
}

// target is what is learnt.
func (x *example) target(mix float32) float32 { return mix*x.score + (1-mix)*x.result }

// actor plays games against itself.
type actor struct {
	variant *rules.Variant
	config  Config
	avoid   map[uint64]bool // positions that no game begins with
	rng     *rand.Rand
	search  searcher // nil: it plays at random
}

// searcher chooses the moves of self-play.
type searcher interface {
	// newGame tells that the next search is of another game.
	newGame()
	// search returns the move for the game's position, what is expected for its side to move, in [0,1], and dst with the other
	// positions that it has judged.
	search(ctx context.Context, g *rules.Game, dst []example) (rules.Move, float32, []example, error)
}

// game plays a game and appends its examples to dst.
func (a *actor) game(ctx context.Context, dst []example) ([]example, rules.Outcome, error) {
	v := a.variant
	g := a.begin()
	if a.search != nil {
		a.search.newGame()
	}
	first := len(dst)
	for !g.Over() && g.Ply() < maxPlies {
		legal, p := g.Legal(), g.Position()
		move := legal[a.rng.IntN(len(legal))]
		searched := a.search != nil && len(legal) > 1 && a.rng.Float64() >= a.config.Random
		x := example{position: p, score: -1, result: -1}
		if searched {
			var err error
			if move, x.score, dst, err = a.search.search(ctx, g, dst); err != nil {
				return dst[:first], rules.Ongoing, err
			}
		}
		// Behind a move that was not chosen the result says little of the position before it.
		if (searched || a.search == nil) && !v.HasCaptures(p) {
			dst = append(dst, x)
		}
		if err := g.Play(move); err != nil {
			return dst[:first], rules.Ongoing, err
		}
	}
	outcome, _ := g.Outcome()
	if outcome == rules.Ongoing {
		outcome = rules.Draw
	}
	for i := range dst[first:] {
		x := &dst[first+i]
		if x.result >= 0 {
			continue // a position that was not in the game
		}
		x.result = outcome.WDL(x.position.Turn).Score()
		if x.score < 0 {
			x.score = x.result
		}
	}
	return dst, outcome, nil
}

// begin returns a game after some random moves.
func (a *actor) begin() *rules.Game {
	v := a.variant
	for {
		p := v.Start()
		for range a.rng.IntN(a.config.opening(v) + 1) {
			moves := v.AppendMoves(nil, p)
			if len(moves) == 0 {
				break
			}
			p = v.Play(p, moves[a.rng.IntN(len(moves))])
		}
		if g := rules.NewGameFrom(v, p); !g.Over() && !a.avoid[p.Key()] {
			return g
		}
	}
}
