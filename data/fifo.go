package data

import (
	"slices"

	"damier/internal/simd"
	"damier/rules"
)

// chunkRows is the number of rows in a chunk.
const chunkRows = 4096

// chunk is a block of consecutive rows:
//
//	pieces [chunkRows] of 24 bytes: the first words of White, of Black and of the kings
//	scores [chunkRows] of 2 bytes, in 1/65535
//	black  [chunkRows] of a bit: whether Black is to move
//	high   [chunkRows] of 6 bytes: the second words, once a position has any, which only boards of
//	       more than 64 squares have
type chunk struct {
	high   [][3]uint16 // the only pointer comes first, so the garbage collector skips the rest
	used   int
	pieces [chunkRows][3]uint64
	scores [chunkRows]uint16
	black  [chunkRows / 64]uint64
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
	f.last().add(p, quantShare(min(score, 1)))
	f.rows++
}

// add packs a row into a chunk with room for it.
func (c *chunk) add(p *rules.Position, score uint16) {
	i := c.used
	c.used++
	white, black, kings := p.Sets()
	c.pieces[i] = [3]uint64{white.Lo, black.Lo, kings.Lo}
	c.scores[i] = score
	bit := uint64(1) << (i % 64)
	c.black[i/64] &^= bit
	if p.Turn == rules.Black {
		c.black[i/64] |= bit
	}
	high := [3]uint16{white.Hi, black.Hi, kings.Hi}
	if c.high == nil && high != ([3]uint16{}) {
		c.high = make([][3]uint16, chunkRows)
	}
	if c.high != nil {
		c.high[i] = high
	}
}

// at returns row i.
func (c *chunk) at(i int) Sample {
	var sets [3]rules.Set
	for k, word := range c.pieces[i] {
		sets[k].Lo = word
	}
	if c.high != nil {
		for k, word := range c.high[i] {
			sets[k].Hi = word
		}
	}
	turn := rules.White
	if c.black[i/64]>>(i%64)&1 != 0 {
		turn = rules.Black
	}
	return Sample{Position: rules.NewPosition(sets[0], sets[1], sets[2], turn), Score: dequantShare(c.scores[i])}
}

// prefetch asks the processor to fetch row i into its cache.
func (c *chunk) prefetch(i int) {
	// 24 bytes may stand on two lines.
	simd.Prefetch(&c.pieces[i][0])
	simd.Prefetch(&c.pieces[i][2])
	simd.Prefetch(&c.scores[i])
	simd.Prefetch(&c.black[i/64])
	if c.high != nil {
		simd.Prefetch(&c.high[i])
	}
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
	c, k := f.place(i)
	return c.at(k)
}

// place returns the chunk of row i and its index there.
func (f *fifo) place(i int) (*chunk, int) {
	i += f.first
	return f.chunks[i/chunkRows], i % chunkRows
}
