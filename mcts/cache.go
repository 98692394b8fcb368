package mcts

import (
	"context"
	"math/bits"
	"sync"

	"damier/rules"
)

// Cache keeps evaluations, so that a position which comes again is not evaluated again: most of all in the next
// search of the same game, and in other games. It serves any number of goroutines, and games of one variant.
//
// Its key is all of a [Leaf] that an evaluator sees, the position with its counters and how often it occurred,
// and the network that is to judge. What comes out is what went in, to the bit: a search finds the same with a
// cache and without.
//
// Its memory is taken once:
//
//	shards   [ lock, sets ... | lock, sets ... | ...              ]  64, by the hash of the key
//	set      [ entry | entry | entry | entry ]                       by more of the hash
//	entry    [ position, network, occurrences | value | priors ]     192 bytes: three cache lines
//
// In a full set the entry that was not asked for longest gives way. Positions with more moves than an entry has
// room for are not kept: they are those of many kings, and hardly come again.
type Cache struct {
	sets   uint64 // of a shard
	shards []cacheShard
}

const (
	cacheShards = 64
	cacheWays   = 4
	cacheMoves  = 30
)

type cacheShard struct {
	mu      sync.Mutex
	clock   uint32
	entries []cacheEntry // cacheWays for each set
	stats   CacheStats
}

type cacheEntry struct {
	position rules.Position
	network  uint64
	value    rules.WDL
	used     uint32 // the shard's clock at the last time that it was asked for
	occurs   uint16
	moves    uint16 // 0 in an empty entry
	priors   [cacheMoves]float32
}

// CacheStats counts what a Cache was asked.
type CacheStats struct {
	Hits   int64
	Misses int64
}

// HitRate returns the share of hits, in [0,1]; 0 before the first question.
func (s CacheStats) HitRate() float64 {
	if s.Hits == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Misses)
}

// NewCache returns an empty cache of about that many evaluations, of 192 bytes each, at least 256.
func NewCache(evaluations int) *Cache {
	c := &Cache{sets: uint64(max(evaluations/(cacheShards*cacheWays), 1)), shards: make([]cacheShard, cacheShards)}
	for i := range c.shards {
		c.shards[i].entries = make([]cacheEntry, c.sets*cacheWays)
	}
	return c
}

// find returns the shard of a leaf's key and the set in it.
func (c *Cache) find(network uint64, l *Leaf) (*cacheShard, uint64) {
	p := &l.Position
	hash := p.Key() ^ network
	counters := uint64(p.Quiet) | uint64(p.Endgame)<<8 | uint64(p.Road)<<16 | uint64(l.Occurrences)<<24
	high, low := bits.Mul64(hash^0x9e3779b97f4a7c15, counters^0xe7037ed1a0b428db)
	hash = high ^ low
	set, _ := bits.Mul64(hash, c.sets)
	return &c.shards[hash%cacheShards], set * cacheWays
}

func (e *cacheEntry) holds(network uint64, l *Leaf) bool {
	return e.position == l.Position && e.network == network && int(e.occurs) == l.Occurrences && int(e.moves) == len(l.Priors)
}

// Get fills Priors and Value of l if the cache has the network's evaluation of it, and reports whether it has.
// The caller gives each network a number of its own.
func (c *Cache) Get(network uint64, l *Leaf) bool {
	s, first := c.find(network, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	for i := range s.entries[first : first+cacheWays] {
		if e := &s.entries[first+uint64(i)]; e.holds(network, l) {
			e.used = s.clock
			copy(l.Priors, e.priors[:])
			l.Value = e.value
			s.stats.Hits++
			return true
		}
	}
	s.stats.Misses++
	return false
}

// Put keeps the network's evaluation of l.
func (c *Cache) Put(network uint64, l *Leaf) {
	if len(l.Priors) > cacheMoves || len(l.Priors) == 0 {
		return
	}
	s, first := c.find(network, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.entries[first : first+cacheWays]
	oldest := &set[0]
	for i := range set {
		e := &set[i]
		if e.holds(network, l) {
			return // another game was faster
		}
		if e.moves == 0 || oldest.moves != 0 && s.clock-e.used > s.clock-oldest.used {
			oldest = e
		}
	}
	*oldest = cacheEntry{
		position: l.Position, network: network, value: l.Value,
		used: s.clock, occurs: uint16(l.Occurrences), moves: uint16(len(l.Priors)),
	}
	copy(oldest.priors[:], l.Priors)
}

// Clear forgets all evaluations. The counts stay.
func (c *Cache) Clear() {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		clear(s.entries)
		s.mu.Unlock()
	}
}

// Stats returns the counts since the cache was made.
func (c *Cache) Stats() CacheStats {
	var sum CacheStats
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		sum.Hits += s.stats.Hits
		sum.Misses += s.stats.Misses
		s.mu.Unlock()
	}
	return sum
}

// Cached is an Evaluator that asks a Cache first. Several may share the cache; each has an evaluator of its own,
// and belongs to one goroutine at a time unless that says otherwise.
type Cached struct {
	Evaluator        // of what the cache does not have
	Cache     *Cache // shared
	Network   uint64 // that Evaluator judges with

	misses []Leaf
	places []int
}

// Evaluate implements Evaluator.
func (c *Cached) Evaluate(ctx context.Context, leaves []Leaf) error {
	c.misses, c.places = c.misses[:0], c.places[:0]
	for i := range leaves {
		if !c.Cache.Get(c.Network, &leaves[i]) {
			c.misses = append(c.misses, leaves[i])
			c.places = append(c.places, i)
		}
	}
	if len(c.misses) == 0 {
		return ctx.Err()
	}
	if err := c.Evaluator.Evaluate(ctx, c.misses); err != nil {
		return err
	}
	for i := range c.misses {
		leaves[c.places[i]].Value = c.misses[i].Value // the priors have one memory
		c.Cache.Put(c.Network, &c.misses[i])
	}
	return nil
}
