package data

import (
	"slices"

	"damier/rules"
)

// ValueRule says which value target a network is trained with. The zero value means the outcome of
// the game, except for games that were cut short.
type ValueRule struct {
	// RootShare, in [0,1], is the weight of the search's root value; the outcome has the rest.
	// Plies without a search take the outcome only. Default 0; one half is usual once outcomes are
	// learnt.
	RootShare float32

	// LeastVisits, in [0,1], makes the value of the best move the searched value of a position,
	// among the moves with at least that share of the most visits. 0 leaves it the root value of
	// the record, in which a tree search mixes the values of all its simulations.
	LeastVisits float32

	// Blunder is a difference of expected scores. If the move played is worse than the best move
	// by this, the outcome says nothing about the rows before it, which then take the searched
	// value instead. 0.15 is usual with noisy self-play; 0 switches the rule off.
	Blunder float32
}

// ValueTargets appends the value target of every ply of g to dst, each from the point of view of
// its side to move. It depends on the game only.
//
// It goes from the last ply to the first with a value z, which begins as the outcome, or in a game
// that rules.PlyLimit ended as its last searched value. A ply with a
// searched value r gets the target RootShare*r + (1-RootShare)*z, a ply without one gets z. If the
// move played is a blunder, z becomes r at that ply: earlier plies learn the value that the search
// saw, not the result of the blunder.
//
// A move is a blunder if its value is at least Blunder below that of the most visited move, which
// the search knows best (among equally visited moves, the better one). The value of a move played
// without a visit is that of the next search in the game.
func ValueTargets(dst []rules.WDL, g *Game, rule ValueRule) []rules.WDL {
	base := len(dst)
	dst = append(dst, make([]rules.WDL, len(g.Plies))...)
	targets := dst[base:]
	z := g.Outcome.WDL(rules.White) // White's view, as next
	if g.Reason == rules.PlyLimit { // most such games are not the draws that their records say
		z = lastRoot(g, rule.LeastVisits, z)
	}
	next := z.Score()
	for i := len(g.Plies) - 1; i >= 0; i-- {
		p := &g.Plies[i]
		side := p.Position.Turn
		target := z
		if p.Root != (rules.WDL{}) {
			root := view(searched(p, rule.LeastVisits), side)
			if rule.Blunder > 0 && bestValue(p)-playedValue(p, next) >= rule.Blunder {
				z = root
			}
			target = mix(rule.RootShare, root, z)
			next = root.Score()
		}
		targets[i] = view(target, side)
	}
	return dst
}

// view converts w from White's view to that of side, or back.
func view(w rules.WDL, side rules.Color) rules.WDL {
	if side == rules.Black {
		return w.Flip()
	}
	return w
}

// searched returns the searched value of p, which has a root value: see ValueRule.LeastVisits.
func searched(p *Ply, leastVisits float32) rules.WDL {
	proved := p.Root.Win == 1 || p.Root.Draw == 1 // perhaps by a move with few visits
	if leastVisits == 0 || len(p.Visits) == 0 || proved {
		return p.Root
	}
	least := leastVisits * float32(slices.Max(p.Visits))
	best := float32(-1)
	for i, n := range p.Visits {
		if n > 0 && float32(n) >= least {
			best = max(best, p.Values[i])
		}
	}
	if best < 0 {
		return p.Root
	}
	draw := min(p.Root.Draw, 2*best, 2-2*best)
	return rules.WDL{Win: max(best-draw/2, 0), Draw: draw, Loss: max(1-best-draw/2, 0)}
}

// lastRoot returns the last searched value of the game in White's view, or otherwise if there is
// none.
func lastRoot(g *Game, leastVisits float32, otherwise rules.WDL) rules.WDL {
	for i := len(g.Plies) - 1; i >= 0; i-- {
		if p := &g.Plies[i]; p.Root != (rules.WDL{}) {
			return view(searched(p, leastVisits), p.Position.Turn)
		}
	}
	return otherwise
}

// bestValue returns the value of the most visited move, or 0 if no move was visited.
func bestValue(p *Ply) float32 {
	var visits uint16
	var best float32
	for i, n := range p.Visits {
		if n > visits || n == visits && n > 0 && p.Values[i] > best {
			visits, best = n, p.Values[i]
		}
	}
	return best
}

// playedValue returns the value of the move played for its side. next is the score in White's view
// of the position after it, as known from later plies.
func playedValue(p *Ply, next float32) float32 {
	switch {
	case p.Played < len(p.Visits) && p.Visits[p.Played] > 0:
		return p.Values[p.Played]
	case p.Position.Turn == rules.Black:
		return 1 - next
	}
	return next
}

// mix returns share*a + (1-share)*b.
func mix(share float32, a, b rules.WDL) rules.WDL {
	rest := 1 - share
	return rules.WDL{
		Win:  share*a.Win + rest*b.Win,
		Draw: share*a.Draw + rest*b.Draw,
		Loss: share*a.Loss + rest*b.Loss,
	}
}
