package mcts

import (
	"slices"

	"damier/rules"
)

// A combination begins with an offer: a quiet move after which the opponent must capture. Most
// offers lose a piece, so a network gives all of them a low prior, and a search of some hundred
// visits never looks at the one that wins five. An offer mostly has one answer, which costs no
// simulation, so looking at all of them is cheap. In play they can get a share of the priors
// inside the tree; in self-play some are candidates at the root, so that the policy learns which
// to look at.

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

// admitForcing makes sure that the first n candidates at the root contain at least the given
// number of forcing moves, if there are that many: the best of them replace the last other
// candidates. n must be at least that number.
func (s *Search) admitForcing(n, least int) {
	forcing := s.appendForcing(nil, s.position(rootID), s.moves)
	others := n - min(least, len(forcing)) // places for moves that are not forcing
	ranked, taken := s.root.candidates, 0
	for _, i := range ranked {
		if taken == n {
			return
		}
		if !slices.Contains(forcing, i) {
			if others == 0 {
				continue
			}
			others--
		}
		ranked[taken] = i
		taken++
	}
}
