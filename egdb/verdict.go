package egdb

import (
	"fmt"

	"damier/rules"
)

// Verdict is a legal move and how the game ends after it, if both play perfectly.
type Verdict struct {
	Move  rules.Move
	Known bool // whether the tables have the position after the move; the rest holds only then

	Result Result // for the side that makes the move, by its draw counters where Sure
	Plies  int    // to the end of the game, this move included; 0 for a draw
	Sure   bool   // false for a win or loss of which it was not settled whether a counter forbids it

	// Forbidden tells that a draw would be a win or a loss, Theory in Plies, if no counter ran.
	Forbidden bool
	Theory    Result
}

// Verdicts returns what the tables say of every legal move of p, in the order of the rules. The draw counters of p
// count. Of each move so many positions are looked at, at most, to settle what the counters leave of a win; 0 for
// [DefaultNodes]. It allocates memory, and is safe for concurrent use.
func (t *Tables) Verdicts(p rules.Position, nodes int) []Verdict {
	v := t.board.v
	var all []Verdict
	for _, m := range v.AppendMoves(nil, p) {
		all = append(all, t.verdict(m, v.Play(p, m), nodes))
	}
	return all
}

// verdict returns that of move m, which leads to q.
func (t *Tables) verdict(m rules.Move, q rules.Position, nodes int) Verdict {
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
	held, settled := t.InPlay(q, nodes)
	d.Sure = settled
	if settled && held == Draw {
		d.Result, d.Forbidden = Draw, true
	}
	return d
}

// String says the verdict in words, by moves of the side that makes this one: "wins in 12", "draws", "loses in 5",
// "draws: wins in 40, but the move count ends it first", "wins in 40, unless the move count ends it first", or
// "unknown".
func (d Verdict) String() string {
	if !d.Known {
		return "unknown"
	}
	if d.Theory == Draw {
		return "draws"
	}
	// The last ply of a win is the winner's; whoever loses makes a move less after it.
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
