package alphabeta

import (
	"sync/atomic"

	"damier/rules"
)

// bound says whether a score is exact or a bound.
type bound uint8

const (
	none  bound = iota
	upper       // the true score is at most this
	lower       // the true score is at least this
	exact
)

// boundOf says what a search with the window from alpha to beta tells about the score.
func boundOf(score, alpha, beta Score) bound {
	switch {
	case score >= beta:
		return lower
	case score <= alpha:
		return upper
	}
	return exact
}

// decides reports whether a score with this bound ends a search with the window alpha to beta.
func (b bound) decides(score, alpha, beta Score) bool {
	return b == exact || b == lower && score >= beta || b == upper && score <= alpha
}

// entry is the result of a search of a position. A mate score counts plies from that position, not
// from the root.
type entry struct {
	key      uint64
	score    int16
	depth    int8
	bound    bound
	from, to rules.Square // of the best move; NoSquare if none is known
	age      uint8        // of the search that wrote it, modulo 256
}

// data packs all fields of an entry except its key.
func (e entry) data() uint64 {
	return uint64(uint16(e.score)) | uint64(uint8(e.depth))<<16 | uint64(e.bound)<<24 | uint64(e.from)<<32 | uint64(e.to)<<40 | uint64(e.age)<<48
}

func unpack(key, data uint64) entry {
	return entry{
		key: key, score: int16(data), depth: int8(data >> 16), bound: bound(data >> 24),
		from: rules.Square(data >> 32), to: rules.Square(data >> 40), age: uint8(data >> 48),
	}
}

// slot holds an entry in 16 bytes. Its key is XORed with its data: if two goroutines write a slot
// at once and a third reads a mixture, the key does not match and find returns nothing (Hyatt and
// Mann, ICGA Journal 25, 2002). So no lock is needed.
type slot struct{ mixed, data uint64 }

func (s *slot) load() entry {
	data := atomic.LoadUint64(&s.data)
	return unpack(atomic.LoadUint64(&s.mixed)^data, data)
}

func (s *slot) store(e entry) {
	data := e.data()
	atomic.StoreUint64(&s.mixed, e.key^data)
	atomic.StoreUint64(&s.data, data)
}

// table is the transposition table. It has buckets of two entries: within one search the first
// keeps the deeper result, and the second is always replaced. A table without slots finds and
// keeps nothing. Copies share their entries.
type table struct {
	slots []slot
	mask  uint64
	age   uint8
}

func newTable(bits int) table {
	return table{slots: make([]slot, 1<<bits), mask: 1<<bits - 2}
}

func (t *table) clear() {
	clear(t.slots)
	t.age = 0
}

// find returns the entry of key. If there is none its bound is none.
func (t *table) find(key uint64) entry {
	if len(t.slots) == 0 {
		return entry{}
	}
	i := key >> 16 & t.mask
	for j := range t.slots[i : i+2] {
		if e := t.slots[i+uint64(j)].load(); e.key == key && e.bound != none {
			return e
		}
	}
	return entry{}
}

// keep stores e.
func (t *table) keep(e entry) {
	if len(t.slots) == 0 {
		return
	}
	e.age = t.age
	i := e.key >> 16 & t.mask
	first := t.slots[i].load()
	if first.bound == none || first.key == e.key || first.age != e.age || e.depth >= first.depth {
		if first.bound != none && first.key != e.key {
			t.slots[i+1].store(first)
		}
		t.slots[i].store(e)
		return
	}
	t.slots[i+1].store(e)
}

// toTable converts a score at ply so that mates count from its position; fromTable does the
// reverse.
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
