package mcts

import (
	"slices"

	"damier/rules"
)

// A combination begins with an offer: a quiet move after which the opponent must capture, and after his capture the
// board is another. Most offers lose a piece, a network gives them all a low prior, and a search of some hundred
// visits never looks at the one that wins five. As there is mostly one answer to an offer, which is played for
// free, looking at all of them costs little. In play they can have a share of the priors within the tree; in
// self-play some are candidates at the root, so that the policy learns which of them to look at.

// appendForcing appends the numbers of the forcing ones among the moves of p to dst, ascending.
func (s *Search) appendForcing(dst []int32, p rules.Position, moves []rules.Move) []int32 {
	if moves[0].IsCapture() {
		return dst // who must capture himself offers nothing
	}
	for i, m := range moves {
		if s.variant.HasCaptures(s.variant.Play(p, m)) {
			dst = append(dst, int32(i))
		}
	}
	return dst
}

// favourForcing gives the forcing ones among the moves of a leaf, which has the evaluator's priors, their share: see
// [Config.Forcing].
func (s *Search) favourForcing(h *hand, l *Leaf) {
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

// admitForcing lets forcing moves, the best by rank, take the places of the last others among the first n candidates
// at the root until there are so many of them, as far as there are. n is at least that.
func (s *Search) admitForcing(n, least int) {
	forcing := s.appendForcing(nil, s.boards[rootID].position, s.moves)
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
