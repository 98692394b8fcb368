package mcts

import "damier/rules"

// A combination begins with an offer: a quiet move after which the opponent must capture. Most
// offers lose a piece, so a network gives all of them a low prior, and a search of some hundred
// visits never looks at the one that wins five. An offer mostly has one answer, which costs no
// simulation, so looking at all of them is cheap. With [Config].Forcing they have a share of the
// priors inside the tree.

// appendForcing appends to dst the indices of the forcing moves among the moves of p, ascending.
func (s *Search) appendForcing(dst []int32, p rules.Position, moves []rules.Move) []int32 {
	if moves[0].IsCapture() {
		return dst // a side that must capture cannot offer
	}
	for i, m := range moves {
		if s.variant.HasCaptures(s.variant.Play(p, m)) {
			dst = append(dst, int32(i))
		}
	}
	return dst
}

// raiseForcing gives the forcing moves of a leaf their share of the priors, see [Config.Forcing].
func (s *Search) raiseForcing(h *gatherer, l *Leaf) {
	h.forcing = s.appendForcing(h.forcing[:0], l.Position, l.Moves)
	if len(h.forcing) == 0 {
		return
	}
	share := float32(s.cfg.Forcing)
	for i := range l.Priors {
		l.Priors[i] *= 1 - share
	}
	for _, i := range h.forcing {
		l.Priors[i] += share / float32(len(h.forcing))
	}
}
