package alphabeta

import "damier/rules"

// bound says what an entry's score is.
type bound uint8

const (
	none  bound = iota
	upper       // at most
	lower       // at least
	exact
)

// entry is a searched position, 16 bytes. A mate score counts from the entry's position, not from the
// root.
type entry struct {
	key      uint64
	score    int16
	depth    int8
	bound    bound
	from, to rules.Square // of the best move; NoSquare if none is known
	age      uint8        // of the search that wrote it, modulo 256
}

// table is the transposition table: buckets of two entries, the first kept by depth within one search, the
// second always replaced. A table without entries finds and keeps nothing.
type table struct {
	entries []entry
	mask    uint64
	age     uint8
}

func newTable(bits int) table {
	return table{entries: make([]entry, 1<<bits), mask: 1<<bits - 2}
}

func (t *table) clear() {
	clear(t.entries)
	t.age = 0
}

// find returns the entry of key; one with bound none if there is none.
func (t *table) find(key uint64) entry {
	if len(t.entries) == 0 {
		return entry{}
	}
	i := key >> 16 & t.mask
	if e := t.entries[i]; e.key == key && e.bound != none {
		return e
	}
	if e := t.entries[i+1]; e.key == key && e.bound != none {
		return e
	}
	return entry{}
}

// keep stores e.
func (t *table) keep(e entry) {
	if len(t.entries) == 0 {
		return
	}
	e.age = t.age
	i := e.key >> 16 & t.mask
	first := &t.entries[i]
	if first.bound == none || first.key == e.key || first.age != e.age || e.depth >= first.depth {
		if first.bound != none && first.key != e.key {
			t.entries[i+1] = *first
		}
		*first = e
		return
	}
	t.entries[i+1] = e
}

// toTable makes a score at ply relative to its position, fromTable the reverse.
func toTable(s Score, ply int) int16 {
	switch {
	case s >= MateBound:
		s += Score(ply)
	case s <= -MateBound:
		s -= Score(ply)
	}
	return int16(s)
}

func fromTable(s int16, ply int) Score {
	switch v := Score(s); {
	case v >= MateBound:
		return v - Score(ply)
	case v <= -MateBound:
		return v + Score(ply)
	default:
		return v
	}
}
