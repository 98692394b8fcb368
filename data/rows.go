package data

import "damier/rules"

// Rows holds training rows in memory, packed as those of a [Window], in the order in which they
// were added. The zero value has none.
type Rows struct{ fifo fifo }

// Add adds a row: a position and the expected score of its side to move, in [0,1].
func (r *Rows) Add(p rules.Position, score float32) { r.fifo.add(&p, score) }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.fifo.rows }

// At returns row i. It panics if there is no such row.
func (r *Rows) At(i int) Sample { return r.fifo.at(i) }

// Prefetch asks the processor to fetch row i into its cache, so that At will not wait for memory.
func (r *Rows) Prefetch(i int) {
	c, k := r.fifo.place(i)
	c.prefetch(k)
}
