package mcts

// Gather and Backup are the two halves of a step of Run, for tests that look at the tree between
// them.

// Gather selects up to max leaves and appends them to dst.
func (s *Search) Gather(dst []Leaf, max int) []Leaf {
	under := int16(0)
	if max > 1 {
		under = 1
	}
	s.gather(&s.own, max, max/2, under)
	s.desk.list(s.own.positions)
	return append(dst, s.desk.leaves...)
}

// Backup takes back the leaves of the last Gather after their evaluation.
func (s *Search) Backup(leaves []Leaf) {
	b := &s.own
	b.answer = answer{}
	copy(s.desk.leaves, leaves)
	for i := range leaves {
		s.desk.pack(&b.answer, &leaves[i])
	}
	if len(leaves) == 0 {
		return
	}
	if err := s.takeBack(b); err != nil {
		panic(err)
	}
}
