package mcts

// A combination begins with an offer: a quiet move after which the opponent must capture, and after his capture the
// board is another. Most offers lose a piece, a network gives them all a low prior, and a search of some hundred
// visits never looks at the one that wins five. As there is mostly one answer to an offer, which is played for
// free, looking at all of them costs little.

// favourForcing gives the forcing moves of n, which has the evaluator's priors, their share: see [Config.Forcing].
func (s *Search) favourForcing(n *node) {
	moves, edges := s.movesOf(n), s.edgesOf(n)
	if moves[0].IsCapture() {
		return // who must capture himself offers nothing
	}
	s.forcing = s.forcing[:0]
	for i, m := range moves {
		if s.variant.HasCaptures(s.variant.Play(n.position, m)) {
			s.forcing = append(s.forcing, int32(i))
		}
	}
	if len(s.forcing) == 0 {
		return
	}
	share := float32(s.cfg.Forcing)
	for i := range edges {
		edges[i].prior *= 1 - share
	}
	for _, i := range s.forcing {
		edges[i].prior += share / float32(len(s.forcing))
	}
}
