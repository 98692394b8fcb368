package egdb

import (
	"context"
	"fmt"

	"damier/rules"
)

// Verdict is a legal move and the result of the game after it, if both sides play perfectly.
type Verdict struct {
	Move rules.Move
	// Whether the tables know the position after the move; otherwise the other fields are zero.
	Known bool

	Result Result // for the side that makes the move; with regard to its draw counters if Sure
	Plies  int    // to the end of the game, including this move; 0 for a draw
	Sure   bool   // false if it is open whether a counter prevents the win or loss

	// Forbidden means that the draw would be Theory in Plies, a win or a loss, without the draw
	// counters.
	Forbidden bool
	Theory    Result
}

// Verdicts returns the verdicts of the tables on every legal move of p, in the order of the rules,
// with regard to the draw counters of p. For each move it visits at most the given number of
// positions, 0 for [DefaultNodes], to decide whether a counter prevents a win. If the context ends
// before, it returns no verdicts and the context's error. It allocates memory, and is safe for
// concurrent use.
func (t *Tables) Verdicts(ctx context.Context, p rules.Position, nodes int) ([]Verdict, error) {
	v := t.board.v
	var all []Verdict
	for _, m := range v.AppendMoves(nil, p) {
		d := t.verdict(ctx, m, v.Play(p, m), nodes)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// verdict returns the verdict on move m, which leads to q. If the context ends meanwhile, the
// verdict is not sure.
func (t *Tables) verdict(ctx context.Context, m rules.Move, q rules.Position, nodes int) Verdict {
	u, ok := t.value(&q)
	if !ok {
		return Verdict{Move: m}
	}
	d := Verdict{Move: m, Known: true, Sure: true}
	d.Theory, d.Plies = u.before().result()
	d.Result = d.Theory
	if d.Theory == Draw {
		return d
	}
	held, settled := t.inPlay(ctx, q, nodes)
	d.Sure = settled
	if settled && held == Draw {
		d.Result, d.Forbidden = Draw, true
	}
	return d
}

// String returns the verdict in words, counting moves of the side that makes this one: "wins in
// 12", "draws", "loses in 5", "draws: wins in 40, but the move count ends it first", "wins in 40,
// unless the move count ends it first", or "unknown".
func (d Verdict) String() string {
	if !d.Known {
		return "unknown"
	}
	if d.Theory == Draw {
		return "draws"
	}
	// The winner makes the last ply of a win, so the loser makes one move less.
	words := fmt.Sprintf("wins in %d", (d.Plies+1)/2)
	if d.Theory == Loss {
		words = fmt.Sprintf("loses in %d", max(d.Plies/2, 1))
	}
	switch {
	case d.Forbidden:
		return "draws: " + words + ", but the move count ends it first"
	case !d.Sure:
		return words + ", unless the move count ends it first"
	}
	return words
}
