package mcts

// Gather and Backup are the two halves of a step of Run, for tests that look at the tree between
// them. Gather selects up to max leaves and appends them to dst; Backup takes them back, evaluated.

func (s *Search) Gather(dst []Leaf, max int) []Leaf {
	if s.flying > 0 {
		panic("mcts: Gather before Backup")
	}
	under := int16(0)
	if max > 1 {
		under = 1
	}
	s.gather(&s.own, max, max/2, under)
	s.desk.list(s.own.positions)
	return append(dst, s.desk.leaves...)
}

func (s *Search) Backup(leaves []Leaf) {
	if len(leaves) != len(s.own.flight) {
		panic("mcts: Backup of other leaves than the last Gather's")
	}
	s.answer(&s.own, leaves)
	if len(leaves) == 0 {
		return
	}
	if err := s.takeBack(&s.own); err != nil {
		panic(err)
	}
}

// answer answers b with the evaluated leaves.
func (s *Search) answer(b *batch, leaves []Leaf) {
	b.answer = answer{}
	copy(s.desk.leaves, leaves)
	for i := range leaves {
		s.desk.pack(&b.answer, &leaves[i])
	}
}
