package alphabeta

import (
	"sync/atomic"

	"damier/internal/simd"
)

// hash is the transposition table of the selective search. It has buckets of eight entries of 8
// bytes; a bucket is one line of the processor's cache. An entry is one word, so that goroutines
// that share the table never read half of one. A hash without buckets finds and keeps nothing.
// Copies share their entries.
type hash struct {
	lines []simd.Line
	mask  uint64 // number of buckets - 1
	age   uint64
}

// The fields of an entry, from bit 0: the score, 16 bits; the depth, 7; the bound, 2; the index of
// the best move among the legal moves in canonical order, 7; the age of the search that wrote it,
// 5; the high bits of the key, 27.
const (
	depthShift = 16
	boundShift = 23
	moveShift  = 25
	ageShift   = 32
	keyShift   = 37

	noMove   = 127 // the best move is unknown or has a greater index
	agesMask = 1<<5 - 1
)

// newHash returns a table of 2^bits entries.
func newHash(bits int) hash {
	lines := simd.Lines(1 << max(bits-3, 0))
	return hash{lines: lines, mask: uint64(len(lines) - 1)}
}

func (t *hash) clear() {
	clear(t.lines)
	t.age = 0
}

// at returns the bucket of key.
func (t *hash) at(key uint64) *simd.Line { return &t.lines[key&t.mask] }

// prefetch asks the processor to load the bucket of key into its cache.
func (t *hash) prefetch(key uint64) {
	if len(t.lines) != 0 {
		simd.Prefetch(&t.at(key)[0])
	}
}

// known is an entry of the table.
type known uint64

func (k known) bound() bound { return bound(k >> boundShift & 3) }
func (k known) score() int16 { return int16(k) }
func (k known) depth() int   { return int(k >> depthShift & 127) }
func (k known) move() int    { return int(k >> moveShift & 127) }

// serves reports whether the score of an entry can be that of a search of depth plies. With exactly
// a deeper search does not serve.
func (k known) serves(depth int, exactly bool) bool {
	return k.depth() == depth || k.depth() > depth && !exactly
}

// first returns the index of the best move among n legal moves, -1 if it is unknown.
func (k known) first(n int) int {
	if k.bound() == none || k.move() >= n {
		return -1
	}
	return k.move()
}

// find returns the entry of key. If there is none its bound is none.
func (t *hash) find(key uint64) known {
	if len(t.lines) == 0 {
		return 0
	}
	b := t.at(key)
	for i := range b {
		if w := atomic.LoadUint64(&b[i]); (w^key)>>keyShift == 0 && known(w).bound() != none {
			return known(w)
		}
	}
	return 0
}

// keep stores the result of a search of depth plies. It replaces the entry of the same position,
// or else the least valuable entry of the bucket. It keeps the old entry if that is of a much
// deeper search with the same best move.
func (t *hash) keep(key uint64, score int16, depth int, b bound, move int) {
	if len(t.lines) == 0 {
		return
	}
	if move > noMove {
		move = noMove
	}
	in := t.at(key)
	worst, least := 0, 1<<30
	for i := range in {
		w := atomic.LoadUint64(&in[i])
		k := known(w)
		if (w^key)>>keyShift == 0 && k.bound() != none {
			if b != exact && k.depth() > depth+3 && w>>ageShift&agesMask == t.age {
				return
			}
			worst = i
			break
		}
		if worth := k.depth() - 8*int((t.age-w>>ageShift)&agesMask); w == 0 {
			worst, least = i, -1<<30
		} else if worth < least {
			worst, least = i, worth
		}
	}
	w := uint64(uint16(score)) | uint64(min(max(depth, 0), 127))<<depthShift | uint64(b)<<boundShift | uint64(move)<<moveShift |
		t.age<<ageShift | key>>keyShift<<keyShift
	atomic.StoreUint64(&in[worst], w)
}

// older marks all entries of the table as those of an earlier search.
func (t *hash) older() { t.age = (t.age + 1) & agesMask }
