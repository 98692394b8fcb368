package alphabeta

import (
	"sync/atomic"

	"damier/rules"
)

// bound says what an entry's score is.
type bound uint8

const (
	none  bound = iota
	upper       // at most
	lower       // at least
	exact
)

// entry is a searched position. A mate score counts from the entry's position, not from the root.
type entry struct {
	key      uint64
	score    int16
	depth    int8
	bound    bound
	from, to rules.Square // of the best move; NoSquare if none is known
	age      uint8        // of the search that wrote it, modulo 256
}

// data packs all of an entry but its key.
func (e entry) data() uint64 {
	return uint64(uint16(e.score)) | uint64(uint8(e.depth))<<16 | uint64(e.bound)<<24 | uint64(e.from)<<32 | uint64(e.to)<<40 | uint64(e.age)<<48
}

func unpack(key, data uint64) entry {
	return entry{
		key: key, score: int16(data), depth: int8(data >> 16), bound: bound(data >> 24),
		from: rules.Square(data >> 32), to: rules.Square(data >> 40), age: uint8(data >> 48),
	}
}

// slot holds an entry in 16 bytes, its key mixed with its data: where two goroutines write one at once and a third reads
// half of either, the key does not fit, and nothing is found (Hyatt and Mann, ICGA Journal 25, 2002). No lock is needed.
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

// table is the transposition table: buckets of two entries, the first kept by depth within one search, the
// second always replaced. A table without entries finds and keeps nothing. Copies share their entries.
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

// find returns the entry of key; one with bound none if there is none.
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
