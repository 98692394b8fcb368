package rules

import (
	"sync"
	"sync/atomic"
)

// manySteps is the number of steps of a piece from which on those taken are remembered. Hardly any position of a game
// has as many; but a king among twenty pieces may have a hundred million ways through them that lead to eleven moves.
const manySteps = 2048

// captureStep is a step of a walk. Two walks that come to the same step go on alike.
type captureStep struct {
	taken pair
	rank  uint64
	at    uint16 // the bit stood on; for a king the victim's, and the direction in bits 8 and above
}

// hardWalk is what a search of captures remembers from manySteps on.
type hardWalk struct {
	key    hardKey
	seen   map[captureStep]bool // steps that need not be taken again
	answer []Move               // the moves, if they were found before
	known  bool                 // answer is set: nothing has to be walked any more
}

// newHardWalk returns a walk without a step. It is no method of a search, which would go to the heap with it.
func newHardWalk(k hardKey) *hardWalk {
	h := &hardWalk{key: k, seen: map[captureStep]bool{}}
	h.answer, h.known = hardMoves.get(k)
	return h
}

// again reports whether a step need not be taken. It costs a look into a map.
func (h *hardWalk) again(at uint16, taken pair, rank uint64) bool {
	s := captureStep{taken: taken, rank: rank, at: at}
	if h.known || h.seen[s] {
		return true
	}
	h.seen[s] = true
	return false
}

// hardKey is a position to the generator of a variant.
type hardKey struct {
	generator         uint64 // newGenerator
	own, their, kings pair
	turn              Color
}

// generators counts the generators made.
var generators atomic.Uint64

// newGenerator returns the number of a generator in a hardKey. A pointer would send the memory of its callers to the heap.
func newGenerator() uint64 { return generators.Add(1) }

// hardMoves are the captures of the positions that took many steps, the last ones of all variants: whoever shows such
// a position asks for its moves many times.
var hardMoves = hardCache{moves: map[hardKey][]Move{}}

type hardCache struct {
	mu    sync.Mutex
	moves map[hardKey][]Move
	order []hardKey // the oldest first
}

// hardPositions is how many positions are remembered.
const hardPositions = 64

func (c *hardCache) get(k hardKey) ([]Move, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	moves, ok := c.moves[k]
	return moves, ok
}

func (c *hardCache) put(k hardKey, moves []Move) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.moves[k]; ok {
		return
	}
	if len(c.order) == hardPositions {
		delete(c.moves, c.order[0])
		c.order = append(c.order[:0], c.order[1:]...)
	}
	c.order = append(c.order, k)
	c.moves[k] = append([]Move(nil), moves...)
}
