package data

import "damier/rules"

// ValueRule says what a network's value is trained towards. The zero value is the outcome of the game,
// save for games cut short.
type ValueRule struct {
	// RootShare, in [0,1], is the weight of the search's own root value; the outcome has the rest. Plies
	// without a search take the outcome alone. 0 by default; one half is usual once outcomes are learnt.
	RootShare float32

	// Blunder, an expected score, is how far the played move must lie below the best one for the outcome
	// to say nothing about the rows before it: they take the searched value in its place. 0.15 is
	// usual with noisy self-play, 0 switches the rule off.
	Blunder float32

	// CutIsDraw makes a game ended by rules.PlyLimit the draw it is recorded as. Otherwise the value of
	// its last search stands for its outcome: most such games are not draws.
	CutIsDraw bool
}

// ValueTargets appends the value target of every ply of g to dst, each from the point of view of its
// side to move. It looks at the game only.
//
// From the last ply to the first it carries z, at first the outcome. A ply with a root value r has the
// target RootShare*r + (1-RootShare)*z, one without has z. Where the played move is a blunder, z becomes
// r at that ply: from there back the game is worth what the search saw, not what the blunder made of it.
//
// A move is a blunder if its value lies at least Blunder below that of the most visited move, the one
// the search knows best (of equally visited ones, the better). A move played without a visit is worth
// what the next search in the game found.
func ValueTargets(dst []rules.WDL, g *Game, rule ValueRule) []rules.WDL {
	base := len(dst)
	dst = append(dst, make([]rules.WDL, len(g.Plies))...)
	targets := dst[base:]
	z := g.Outcome.WDL(rules.White) // White's view, as next
	if g.Reason == rules.PlyLimit && !rule.CutIsDraw {
		z = lastRoot(g, z)
	}
	next := z.Score()
	for i := len(g.Plies) - 1; i >= 0; i-- {
		p := &g.Plies[i]
		side := p.Position.Turn
		target := z
		if p.Root != (rules.WDL{}) {
			root := view(p.Root, side)
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

// view turns w from White's view into side's, or back.
func view(w rules.WDL, side rules.Color) rules.WDL {
	if side == rules.Black {
		return w.Flip()
	}
	return w
}

// lastRoot returns the last root value of the game in White's view, or else.
func lastRoot(g *Game, otherwise rules.WDL) rules.WDL {
	for i := len(g.Plies) - 1; i >= 0; i-- {
		if p := &g.Plies[i]; p.Root != (rules.WDL{}) {
			return view(p.Root, p.Position.Turn)
		}
	}
	return otherwise
}

// bestValue returns the value of the most visited move, or 0 where nothing was visited.
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

// playedValue returns the value of the played move for its side; next is the score in White's view of
// the position after it, as far as later plies tell.
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
