package egdb

import (
	"fmt"
	"io/fs"
	"math/bits"
	"strings"
	"sync/atomic"

	"damier/rules"
)

// Prober answers for positions. [Tables] implements it.
type Prober interface {
	// Probe returns the result for the side to move of p under perfect play, and the number of
	// plies to the end of the game (0 for a draw); ok is false if it does not know the position.
	// It ignores the draw counters of p, see [Tables.InPlay]. It is safe for concurrent use.
	Probe(p rules.Position) (result Result, plies int, ok bool)
}

// Tables hold the values of the materials of one variant. They are safe for concurrent use.
type Tables struct {
	board  *board
	tables [ids]*table
	most   int // number of pieces of the largest material
	err    atomic.Pointer[error]
}

// table holds the values of one material, in memory or in a file.
type table struct {
	index *Index
	raw   []value // nil if they are in a file
	file  *file
}

// newTables returns empty tables of v.
func newTables(v *rules.Variant) (*Tables, error) {
	b, err := newBoard(v)
	if err != nil {
		return nil, err
	}
	return &Tables{board: b}, nil
}

// add adds a table.
func (t *Tables) add(x *table) {
	t.tables[x.index.material.id()] = x
	t.most = max(t.most, x.index.material.Pieces())
}

// remove removes the table of m.
func (t *Tables) remove(m Material) { t.tables[m.id()] = nil }

// Variant returns the variant of the tables.
func (t *Tables) Variant() *rules.Variant { return t.board.v }

// Pieces returns the number of pieces of the largest material, 0 if there is none.
func (t *Tables) Pieces() int { return t.most }

// Materials returns the materials that the tables hold, in the order of [Materials].
func (t *Tables) Materials() []Material {
	var all []Material
	for n := 2; n <= t.most; n++ {
		for _, m := range Materials(n) {
			if t.tables[m.id()] != nil {
				all = append(all, m)
			}
		}
	}
	return all
}

// Only returns tables that answer for these materials alone: two machines with others besides find
// the same then. They share what t holds, and t must stay open. The error names what t does not
// hold and wraps [fs.ErrNotExist].
func (t *Tables) Only(materials []Material) (*Tables, error) {
	some := &Tables{board: t.board}
	var missing []string
	for _, m := range materials {
		if x := t.tables[m.id()]; x != nil {
			some.add(x)
		} else {
			missing = append(missing, m.String())
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no tables of %s: %w", strings.Join(missing, ", "), fs.ErrNotExist)
	}
	return some, nil
}

// Err returns the first damage that a probe found, nil if there was none. A probe that finds
// damage returns "unknown".
func (t *Tables) Err() error {
	if err := t.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Probe implements [Prober]. It does not allocate memory.
func (t *Tables) Probe(p rules.Position) (Result, int, bool) {
	v, ok := t.value(&p)
	if !ok {
		return Draw, 0, false
	}
	r, n := v.result()
	return r, n, true
}

// value returns the value of p, and whether it is known.
func (t *Tables) value(p *rules.Position) (value, bool) {
	white, black, _ := p.Sets()
	if white.Empty() || black.Empty() {
		return t.over(p)
	}
	n := bits.OnesCount64(white.Lo|black.Lo) + bits.OnesCount16(white.Hi|black.Hi)
	if n > t.most {
		return 0, false
	}
	q := t.board.placementOf(p)
	m := q.material()
	x := t.tables[m.id()]
	if x == nil || !x.index.holds(&q) {
		return 0, false
	}
	return x.at(t, x.index.of(&q))
}

// over returns the value of p, in which the side to move has no piece. If the other side has none
// either, ok is false.
func (t *Tables) over(p *rules.Position) (value, bool) {
	if !p.Pieces(p.Turn).Empty() {
		return 0, false
	}
	return stuck(t.board.v, p), true
}

// stuck returns the value of p, in which the side to move has no legal move.
func stuck(v *rules.Variant, p *rules.Position) value {
	switch outcome, _ := v.Stuck(*p); outcome {
	case rules.Win(p.Turn):
		return winIn(0)
	case rules.Win(p.Turn.Opponent()):
		return lossIn(0)
	}
	return 0
}

// at returns value i. If the file is damaged there, it stores the error in t and returns false.
func (x *table) at(t *Tables, i uint64) (value, bool) {
	if x.raw != nil {
		return x.raw[i], true
	}
	v, err := x.file.at(i)
	if err != nil {
		t.remember(err)
		return 0, false
	}
	return v, true
}

// remember stores the first error.
func (t *Tables) remember(err error) { t.err.CompareAndSwap(nil, &err) }
