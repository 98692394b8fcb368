package data

import (
	"slices"

	"damier/rules"
)

// chunkRows is the number of rows in a chunk.
const chunkRows = 4096

// chunk is a block of consecutive rows:
//
//	positions [chunkRows] of 32 bytes
//	scores    [chunkRows] of 2 bytes, in 1/65535
//	high      [chunkRows] of 6 bytes, once a position has second words, which only boards of more
//	          than 64 squares have
type chunk struct {
	high      []rules.HighWords // the only pointer comes first, so the garbage collector skips the rest
	used      int
	positions [chunkRows]rules.Packed
	scores    [chunkRows]uint16
}

// fifo holds packed rows in order of age. The oldest leave first.
type fifo struct {
	chunks []*chunk // all except the last are full
	first  int      // rows of chunks[0] that have left
	rows   int
	spare  *chunk // one that is empty, or nil
}

// add packs one row. It panics if the score is not in [0,1], but for rounding.
func (f *fifo) add(p *rules.Position, score float32) {
	if !(score >= 0 && score <= 1.001) {
		panic("data: a target is out of range")
	}
	c := f.last()
	var high rules.HighWords
	c.positions[c.used], high = p.Pack()
	c.scores[c.used] = quantShare(min(score, 1))
	if c.high == nil && high != (rules.HighWords{}) {
		c.high = make([]rules.HighWords, chunkRows)
	}
	if c.high != nil {
		c.high[c.used] = high
	}
	c.used++
	f.rows++
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
	c.used = 0
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

// at returns row i, 0 the oldest.
func (f *fifo) at(i int) Sample {
	i += f.first
	c, i := f.chunks[i/chunkRows], i%chunkRows
	var high rules.HighWords
	if c.high != nil {
		high = c.high[i]
	}
	return Sample{Position: c.positions[i].Unpack(high), Score: dequantShare(c.scores[i])}
}
