package rules

import (
	"sync"
	"sync/atomic"
)

// manySteps is the number of steps of one piece after which a search of captures remembers its
// steps. Hardly any position of a game has as many. But a king among twenty pieces may have a
// hundred million paths that lead to eleven moves.
const manySteps = 2048

// captureStep is a step of a walk. Two walks that reach the same step have the same continuations.
type captureStep struct {
	taken pair
	rank  uint64
	at    uint16 // the bit of the square; for a king the bit of the victim, with direction+1 in bits 8 and up
}

// hardWalk is the memory of a search of captures after manySteps steps.
type hardWalk struct {
	key    hardKey
	seen   map[captureStep]bool // steps already made
	answer []Move               // the moves, if hardMoves had them
	known  bool                 // answer is set, so the search can stop
}

// newHardWalk returns a walk without steps. It is no method of the search, because a method would
// send the search to the heap.
func newHardWalk(k hardKey) *hardWalk {
	h := &hardWalk{key: k, seen: map[captureStep]bool{}}
	h.answer, h.known = hardMoves.get(k)
	return h
}

// again reports whether the search can skip a step. It costs one look-up in a map.
func (h *hardWalk) again(at uint16, taken pair, rank uint64) bool {
	s := captureStep{taken: taken, rank: rank, at: at}
	if h.known || h.seen[s] {
		return true
	}
	h.seen[s] = true
	return false
}

// hardKey identifies a position and the generator of its variant.
type hardKey struct {
	generator         uint64 // newGenerator
	own, their, kings pair
	turn              Color
}

// generators counts the generators made so far.
var generators atomic.Uint64

// newGenerator returns a number for a generator, used in hardKey. A pointer in the key would send
// the memory of the callers to the heap.
func newGenerator() uint64 { return generators.Add(1) }

// hardMoves caches the captures of the positions that took many steps, most recent ones of all
// variants. A program that shows such a position asks for its moves many times.
var hardMoves = hardCache{moves: map[hardKey][]Move{}}

type hardCache struct {
	mu    sync.Mutex
	moves map[hardKey][]Move
	order []hardKey // the oldest first
}

// hardPositions is the number of positions that hardCache keeps.
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
