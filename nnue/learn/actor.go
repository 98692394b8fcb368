package learn

import (
	"context"
	"math"
	"math/rand/v2"

	"damier/alphabeta"
	"damier/nnue"
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
	engine  *alphabeta.Engine // nil: it plays at random
}

// game plays a game and appends its examples to dst.
func (a *actor) game(ctx context.Context, dst []example) ([]example, rules.Outcome, error) {
	v := a.variant
	g := a.begin()
	if a.engine != nil {
		a.engine.NewGame()
	}
	first := len(dst)
	for !g.Over() && g.Ply() < maxPlies {
		legal, p := g.Legal(), g.Position()
		move := legal[a.rng.IntN(len(legal))]
		searched := a.engine != nil && len(legal) > 1 && a.rng.Float64() >= a.config.Random
		x := example{position: p, score: -1}
		if searched {
			found, err := a.engine.Search(ctx, g, alphabeta.Limits{Depth: a.config.Depth, Nodes: uint64(a.config.Nodes)}, nil)
			if err != nil {
				return dst[:first], rules.Ongoing, err
			}
			move = found.PV[0]
			x.score = float32(1 / (1 + math.Exp(-float64(found.Score)/nnue.Points)))
		}
		// Behind a move that was not chosen the result says little of the position before it.
		if (searched || a.engine == nil) && !v.HasCaptures(p) {
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
