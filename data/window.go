package data

import (
	"fmt"
	"math"

	"damier/rules"
)

// WindowConfig is the size of the replay window. A zero field takes its default.
type WindowConfig struct {
	// MinRows is the number of searched rows up to which the window forgets nothing; default 50,000.
	// A learner should not train on fewer.
	MinRows int `toml:"min_rows"`

	// Exponent of the growth beyond MinRows, in (0,1]; default 0.65. With 1 the window keeps a
	// fixed share of new rows.
	Exponent float64 `toml:"exponent"`

	// Growth is the number of rows by which the window grows for a new row at MinRows, in (0,1];
	// default 0.4.
	Growth float64 `toml:"growth"`

	// Cap is the largest number of rows in memory, including rows of trees; default 2,000,000, which
	// take 26 bytes each, on boards of more than 64 squares 32. Rows of games that are no searched rows
	// may come on top, up to Cap.
	Cap int `toml:"cap"`

	// TreeShare is the share of Cap that stays for the rows of search trees when there are more
	// searched rows than have room, in (0,1); default 0.1. Until then the rows of trees have all the
	// room that searched rows leave.
	TreeShare float64 `toml:"tree_share"`
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
	if c.TreeShare == 0 {
		c.TreeShare = 0.1
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
	case !(c.TreeShare > 0 && c.TreeShare < 1):
		return fmt.Errorf("window: TreeShare is %v, and must be above 0 and below 1", c.TreeShare)
	}
	return nil
}

// Size returns the number of newest searched rows that belong to the window when total searched rows
// were made. Up to c = MinRows it is all of them, and beyond (Wu 2019, appendix C, with a =
// Exponent and b = Growth)
//
//	c * (1 + b*((total/c)^a - 1)/a)
//
// but never more than Cap less the share of trees. A new row makes the window grow by at most one
// row, so a row that has left does not come back.
func (c WindowConfig) Size(total int) int {
	c = c.withDefaults()
	limit := c.Cap - int(c.TreeShare*float64(c.Cap))
	if total <= c.MinRows {
		return min(total, limit)
	}
	base := float64(c.MinRows)
	size := base * (1 + c.Growth*(math.Pow(float64(total)/base, c.Exponent)-1)/c.Exponent)
	return min(int(size), total, limit)
}

// trees returns the largest number of rows of trees when total searched rows were made: the room that
// searched rows leave, less a 64th of the window for games that stand across its edge. It never
// grows, so a row that has left does not come back.
func (c WindowConfig) trees(total int) int {
	c = c.withDefaults()
	return max(c.Cap-c.Size(total)-c.Cap/64, 0)
}

// Filled returns the number of rows in the window, including rows of trees, when total searched rows
// were made and each brought the given number of rows of trees on average.
func (c WindowConfig) Filled(total int, trees float64) int {
	return c.Size(total) + min(int(trees*float64(total)), c.trees(total))
}

// TargetFunc returns the training target of a ply: the expected score of its side to move, in
// [0,1]. keep is false for a ply that is no row. The window calls it for the plies of a game in
// ascending order. The result must depend on the game only, so that a window rebuilt from shards is
// the same.
type TargetFunc func(g *Game, ply int) (score float32, keep bool)

// span is the number of rows of a game in the window.
type span struct {
	full   int // searched rows of the game
	played int // those among its rows, less what the target does not keep
	tree   int // rows of its trees
}

// Window holds the rows of the newest games, packed, for [Draw] to draw samples from. Games enter and
// leave as a whole, the oldest first; the rows of their trees leave before their searched rows.
//
// Trees have many times more rows than games. While there are few games, a network learns most from
// trees. Later, more games teach it more than more positions around the newest ones.
//
// The content of a window depends only on the games added, in their order, and on [Window.Skip].
// Only one goroutine at a time may use it.
type Window struct {
	v      *rules.Variant
	config WindowConfig
	target TargetFunc

	played fifo // rows of the games
	trees  fifo // rows of their trees

	games    []span // in order of age, oldest first
	gone     int    // games that have left but are still in the slice
	treeless int    // games whose trees have left but that are still in the slice, at least gone
	full     int    // searched rows of the games held
	total    int
}

// NewWindow returns an empty window. The config must be valid.
func NewWindow(v *rules.Variant, config WindowConfig, target TargetFunc) *Window {
	if err := config.Validate(); err != nil {
		panic("data: invalid window configuration")
	}
	return &Window{v: v, config: config.withDefaults(), target: target}
}

// Len returns the number of rows held, including rows of trees.
func (w *Window) Len() int { return w.played.rows + w.trees.rows }

// Trees returns the number of rows of trees held.
func (w *Window) Trees() int { return w.trees.rows }

// Games returns the number of games held.
func (w *Window) Games() int { return len(w.games) - w.gone }

// Total returns the number of searched rows made so far, including those that have left or were
// skipped.
func (w *Window) Total() int { return w.total }

// Skip counts searched rows that were made but will not be added: those of shards that are gone,
// damaged or older than the window.
func (w *Window) Skip(rows int) {
	if rows < 0 {
		panic("data: Skip of a negative number of rows")
	}
	w.total += rows
}

// Add adds the rows of g. It also adds the positions of its trees, except those
// with a capture to make, because a search plays captures out and evaluates the position after
// them. Then it drops the oldest games, as long as the others have [WindowConfig.Size] searched rows,
// and the oldest trees, as long as there are more rows of trees than the searched rows leave room for.
func (w *Window) Add(g Game) {
	added := span{full: g.Rows()}
	for ply := range g.Plies {
		if score, keep := w.target(&g, ply); keep {
			w.played.add(&g.Plies[ply].Position, score)
			added.played++
		}
	}
	for ply := range g.Plies {
		for _, n := range g.Plies[ply].Tree {
			if !w.v.HasCaptures(n.Position) {
				w.trees.add(&n.Position, n.Value)
				added.tree++
			}
		}
	}
	w.games = append(w.games, added)
	w.full += added.full
	w.total += added.full
	size, trees := w.config.Size(w.total), w.config.trees(w.total)
	for w.Games() > 1 && (w.full-w.games[w.gone].full >= size || w.played.rows > w.config.Cap) {
		w.dropGame()
	}
	for w.treeless < len(w.games)-1 && w.trees.rows > trees {
		w.dropTrees()
	}
}

// dropTrees drops the trees of the oldest game that still has them.
func (w *Window) dropTrees() {
	w.trees.drop(w.games[w.treeless].tree)
	w.treeless++
}

// dropGame drops the oldest game, with its trees.
func (w *Window) dropGame() {
	if w.treeless == w.gone {
		w.dropTrees()
	}
	w.full -= w.games[w.gone].full
	w.played.drop(w.games[w.gone].played)
	w.gone++
	if w.gone > len(w.games)/2 && w.gone > 1024 {
		w.games = w.games[:copy(w.games, w.games[w.gone:])]
		w.treeless -= w.gone
		w.gone = 0
	}
}

// At returns row i. The rows of games come first, then those of trees, each from the oldest to the
// newest.
func (w *Window) At(i int) Sample {
	c, k := w.place(i)
	return c.at(k)
}

// Prefetch asks the processor to fetch row i into its cache, so that At will not wait for memory.
func (w *Window) Prefetch(i int) {
	c, k := w.place(i)
	c.prefetch(k)
}

// place returns the chunk of row i and its index there.
func (w *Window) place(i int) (*chunk, int) {
	if i < 0 || i >= w.Len() {
		panic("data: row out of range")
	}
	if i < w.played.rows {
		return w.played.place(i)
	}
	return w.trees.place(i - w.played.rows)
}
