package data

import (
	"math"
	"slices"

	"damier/rules"
)

// chunkRows is the number of rows in a chunk.
const chunkRows = 4096

// chunk is a block of consecutive rows:
//
//	rows    [chunkRows] of 56 bytes
//	policy  the policies of those rows, end to end, 2 bytes a move
type chunk struct {
	rows   [chunkRows]packed
	used   int
	policy []uint16
}

// packed is a row in memory. Its legal moves are generated again when it is drawn.
type packed struct {
	position    rules.Position
	weight      float32
	policy      uint32    // index of its first element in the chunk's policy
	value       [3]uint16 // win, draw, loss in 1/65535
	occurrences uint8
	moves       uint8 // length of the policy, 0 for a value-only row
}

const packedBytes = 56

// fifo holds packed rows in order of age. The oldest leave first.
type fifo struct {
	chunks []*chunk // all except the last are full
	first  int      // rows of chunks[0] that have left
	rows   int
	spare  *chunk // one that is empty, or nil
}

// add packs one row.
func (f *fifo) add(p *Ply, policy []float32, value rules.WDL, weight float32) {
	if policy != nil && len(policy) != len(p.Moves) {
		panic("data: a policy target must have a probability for each move")
	}
	if len(policy) > math.MaxUint8 {
		// A composed position with many captures, which no game reaches: keep the value only.
		policy = nil
	}
	c := f.last()
	r := &c.rows[c.used]
	*r = packed{
		position:    p.Position,
		weight:      weight,
		policy:      uint32(len(c.policy)),
		value:       [3]uint16{packShare(value.Win), packShare(value.Draw), packShare(value.Loss)},
		occurrences: p.Occurrences,
		moves:       uint8(len(policy)),
	}
	sum := 0
	for _, x := range policy {
		q := packShare(x)
		c.policy = append(c.policy, q)
		sum += int(q)
	}
	if policy != nil && sum < math.MaxUint16/2 {
		panic("data: a policy target must sum to 1")
	}
	c.used++
	f.rows++
}

// packShare encodes a probability in 16 bits.
func packShare(x float32) uint16 {
	if !(x >= 0 && x <= 1.001) {
		panic("data: a target is out of range")
	}
	return quantShare(min(x, 1))
}

// last returns a chunk with room for another row.
func (f *fifo) last() *chunk {
	if n := len(f.chunks); n > 0 && f.chunks[n-1].used < chunkRows {
		return f.chunks[n-1]
	}
	c := f.spare
	if c == nil {
		c = new(chunk)
	}
	f.spare = nil
	c.used, c.policy = 0, c.policy[:0]
	f.chunks = append(f.chunks, c)
	return c
}

// drop forgets the n oldest rows. It keeps one empty chunk for later rows, so that a window of
// constant size allocates nothing, and one that shrinks gives its memory back.
func (f *fifo) drop(n int) {
	f.rows -= n
	f.first += n
	for len(f.chunks) > 0 && f.first >= chunkRows {
		f.spare = f.chunks[0]
		f.chunks = slices.Delete(f.chunks, 0, 1)
		f.first -= chunkRows
	}
}

// at writes row i into s, 0 the oldest, without moves and policy. It returns the packed policy, nil
// if the row has none.
func (f *fifo) at(i int, s *Sample) []uint16 {
	i += f.first
	c := f.chunks[i/chunkRows]
	r := &c.rows[i%chunkRows]
	s.Position, s.Occurrences, s.Weight = r.position, r.occurrences, r.weight
	win, draw, loss := float32(r.value[0]), float32(r.value[1]), float32(r.value[2])
	if sum := win + draw + loss; sum > 0 {
		s.Value = rules.WDL{Win: win / sum, Draw: draw / sum, Loss: loss / sum}
	} else {
		s.Value = rules.WDL{}
	}
	if r.moves == 0 {
		return nil
	}
	return c.policy[r.policy : r.policy+uint32(r.moves)]
}
