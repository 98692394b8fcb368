package data

import (
	"fmt"
	"math"
	"math/rand/v2"

	"damier/rules"
)

// WindowConfig is the size of the replay window. A zero field takes its default.
type WindowConfig struct {
	// MinRows is the number of policy rows up to which the window forgets nothing; default 50,000.
	// A learner should not train on fewer.
	MinRows int `toml:"min_rows"`

	// Exponent of the growth beyond MinRows, in (0,1]; default 0.65. With 1 the window keeps a
	// fixed share of new rows.
	Exponent float64 `toml:"exponent"`

	// Growth is the number of rows by which the window grows for a new row at MinRows, in (0,1];
	// default 0.4.
	Growth float64 `toml:"growth"`

	// Cap is the largest number of rows in memory, including value-only rows; default 2,000,000,
	// which take about 80 bytes each.
	Cap int `toml:"cap"`
}

// withDefaults returns c with its zero fields filled in.
func (c WindowConfig) withDefaults() WindowConfig {
	if c.MinRows == 0 {
		c.MinRows = 50_000
	}
	if c.Exponent == 0 {
		c.Exponent = 0.65
	}
	if c.Growth == 0 {
		c.Growth = 0.4
	}
	if c.Cap == 0 {
		c.Cap = 2_000_000
	}
	return c
}

// Validate returns an error that names the first field out of range, nil if there is none.
func (c WindowConfig) Validate() error {
	c = c.withDefaults()
	switch {
	case c.MinRows < 1:
		return fmt.Errorf("window: MinRows is %d, and must be at least 1", c.MinRows)
	case !(c.Exponent > 0 && c.Exponent <= 1):
		return fmt.Errorf("window: Exponent is %v, and must be above 0 and at most 1", c.Exponent)
	case !(c.Growth > 0 && c.Growth <= 1):
		return fmt.Errorf("window: Growth is %v, and must be above 0 and at most 1", c.Growth)
	case c.Cap < c.MinRows:
		return fmt.Errorf("window: Cap is %d, below MinRows, %d", c.Cap, c.MinRows)
	}
	return nil
}

// Size returns the number of newest policy rows that belong to the window when total policy rows
// were made. Up to c = MinRows it is all of them, and beyond (Wu 2019, appendix C, with a =
// Exponent and b = Growth)
//
//	c * (1 + b*((total/c)^a - 1)/a)
//
// but never more than Cap. A new row makes the window grow by at most one row, so a row that has
// left does not come back.
func (c WindowConfig) Size(total int) int {
	c = c.withDefaults()
	if total <= c.MinRows {
		return min(total, c.Cap)
	}
	base := float64(c.MinRows)
	size := base * (1 + c.Growth*(math.Pow(float64(total)/base, c.Exponent)-1)/c.Exponent)
	return min(int(size), total, c.Cap)
}

// TargetFunc returns the training targets of a ply: the policy for its moves (nil means that the
// row trains the value only), the value for its side to move, and the weight of the row. keep is
// false for a ply that is no row. The window calls it for the plies of a game in ascending order
// and copies policy at once. The result must depend on the game only, so that a window rebuilt
// from shards is the same.
type TargetFunc func(g *Game, ply int) (policy []float32, value rules.WDL, weight float32, keep bool)

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

// span is the number of rows of a game in the window, and the number of policy rows among them.
type span struct{ rows, full int }

// Window holds the rows of the newest games, packed, and draws samples from them. Games enter and
// leave as a whole, the oldest first. Its content depends only on the games added, in their order,
// and on [Window.Skip]. Only one goroutine at a time may use it.
type Window struct {
	v      *rules.Variant
	config WindowConfig
	target TargetFunc

	chunks []*chunk // in order of age; all except the last are full
	first  int      // rows of chunks[0] that have left the window
	rows   int
	free   []*chunk

	games []span // in order of age, oldest first
	gone  int    // games that have left but are still in the slice
	full  int    // policy rows of the games held
	total int
}

// NewWindow returns an empty window. The config must be valid.
func NewWindow(v *rules.Variant, config WindowConfig, target TargetFunc) *Window {
	if err := config.Validate(); err != nil {
		panic("data: invalid window configuration")
	}
	return &Window{v: v, config: config.withDefaults(), target: target}
}

// Len returns the number of rows held, including value-only rows.
func (w *Window) Len() int { return w.rows }

// Games returns the number of games held.
func (w *Window) Games() int { return len(w.games) - w.gone }

// Total returns the number of policy rows made so far, including those that have left or were
// skipped.
func (w *Window) Total() int { return w.total }

const packedBytes = 56

// Skip counts policy rows that were made but will not be added: those of shards that are gone,
// damaged or older than the window.
func (w *Window) Skip(rows int) {
	if rows < 0 {
		panic("data: Skip of a negative number of rows")
	}
	w.total += rows
}

// Add adds the rows of g. It also adds the positions of its trees as value-only rows, except those
// with a capture to make, because a search plays captures out and evaluates the position after
// them. Then it drops the oldest games: as long as the others have [WindowConfig.Size] policy
// rows, and while there are more than Cap rows.
func (w *Window) Add(g Game) {
	added := span{full: g.Rows()}
	for ply := range g.Plies {
		policy, value, weight, keep := w.target(&g, ply)
		if !keep {
			continue
		}
		w.append(&g.Plies[ply], policy, value, weight)
		added.rows++
	}
	for ply := range g.Plies {
		for _, n := range g.Plies[ply].Tree {
			if !w.v.HasCaptures(n.Position) {
				w.append(&Ply{Position: n.Position, Occurrences: 1}, nil, rules.WDL{Win: n.Value, Loss: 1 - n.Value}, 1)
				added.rows++
			}
		}
	}
	w.games = append(w.games, added)
	w.full += added.full
	w.total += added.full
	size := w.config.Size(w.total)
	for w.Games() > 1 {
		oldest := w.games[w.gone]
		if w.full-oldest.full < size && w.rows <= w.config.Cap {
			break
		}
		w.drop(oldest)
	}
}

// append packs one row.
func (w *Window) append(p *Ply, policy []float32, value rules.WDL, weight float32) {
	if policy != nil && len(policy) != len(p.Moves) {
		panic("data: a policy target must have a probability for each move")
	}
	if len(policy) > math.MaxUint8 {
		// A composed position with many captures, which no game reaches: keep the value only.
		policy = nil
	}
	c := w.last()
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
	w.rows++
}

// packShare encodes a probability in 16 bits.
func packShare(x float32) uint16 {
	if !(x >= 0 && x <= 1.001) {
		panic("data: a target is out of range")
	}
	return quantShare(min(x, 1))
}

// last returns a chunk with room for another row.
func (w *Window) last() *chunk {
	if n := len(w.chunks); n > 0 && w.chunks[n-1].used < chunkRows {
		return w.chunks[n-1]
	}
	c := new(chunk)
	if n := len(w.free); n > 0 {
		c, w.free = w.free[n-1], w.free[:n-1]
		c.used, c.policy = 0, c.policy[:0]
	}
	w.chunks = append(w.chunks, c)
	return c
}

// drop forgets the oldest game. It keeps an empty chunk for later rows, so a window of constant
// size allocates nothing.
func (w *Window) drop(s span) {
	w.gone++
	w.full -= s.full
	w.rows -= s.rows
	w.first += s.rows
	for len(w.chunks) > 0 && w.first >= chunkRows {
		w.free = append(w.free, w.chunks[0])
		w.chunks = w.chunks[:copy(w.chunks, w.chunks[1:])]
		w.first -= chunkRows
	}
	if w.gone > len(w.games)/2 && w.gone > 1024 {
		w.games = w.games[:copy(w.games, w.games[w.gone:])]
		w.gone = 0
	}
}

// Sample fills every element of dst with a row drawn at random, with replacement, each row of the
// window with the same probability: n samples from m rows are n/m expected passes over each. It
// reuses the slices in dst, so it allocates nothing once they have grown. It panics on an empty
// window.
func (w *Window) Sample(rng *rand.Rand, dst []Sample) {
	if w.rows == 0 {
		panic("data: sample of an empty window")
	}
	for i := range dst {
		w.At(rng.IntN(w.rows), &dst[i])
	}
}

// At writes row i into s as [Window.Sample] does; row 0 is the oldest.
func (w *Window) At(i int, s *Sample) {
	if i < 0 || i >= w.rows {
		panic("data: row out of range")
	}
	i += w.first
	c := w.chunks[i/chunkRows]
	r := &c.rows[i%chunkRows]
	s.Position, s.Occurrences, s.Weight = r.position, r.occurrences, r.weight
	s.Moves = w.v.AppendMoves(s.Moves[:0], r.position)
	win, draw, loss := float32(r.value[0]), float32(r.value[1]), float32(r.value[2])
	if sum := win + draw + loss; sum > 0 {
		s.Value = rules.WDL{Win: win / sum, Draw: draw / sum, Loss: loss / sum}
	} else {
		s.Value = rules.WDL{}
	}
	if cap(s.Policy) > cap(s.policy) {
		s.policy = s.Policy
	}
	s.Policy = nil
	if r.moves == 0 {
		return
	}
	from := c.policy[r.policy : r.policy+uint32(r.moves)]
	sum := float32(0)
	for _, q := range from {
		sum += float32(q)
	}
	s.policy = s.policy[:0]
	for _, q := range from {
		s.policy = append(s.policy, float32(q)/sum)
	}
	s.Policy = s.policy
}
