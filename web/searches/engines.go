package searches

import (
	"math/rand/v2"
	"time"

	"damier/engine"
	"damier/rules"
)

// The players. The tree search and the NNUE (an alpha-beta search) evaluate by a trained network,
// the baseline alpha-beta by a handcrafted evaluation.
const (
	TreeSearch = "tree"
	Trained    = "nnue"
	AlphaBeta  = "alphabeta"
)

// MoveTime is the maximum time of a search for a move, whatever its level, because many boards
// share the workers.
const MoveTime = 10 * time.Second

// TableBits is log2 of the number of entries in the transposition table of an alpha-beta search at
// a board (4 MB). MaxNodes is the maximum size of a tree in nodes (about 260 MB).
const (
	TableBits = 18
	MaxNodes  = 1_000_000
)

// Visits is the unit in which a tree search counts its work; an alpha-beta search counts nodes.
const Visits = "visits"

// ErrNoNetwork is wrapped by the error of [Networks.Open] for a variant that has no network.
var ErrNoNetwork error = rules.Messagef("no network for this variant")

// Networks says which networks are available. Its functions are called from several goroutines;
// each may be nil.
type Networks struct {
	// Network reports whether a variant has a trained network, and its name if it does not come
	// with the program. It is called often, so it must be fast.
	Network func(*rules.Variant) (name string, ok bool)

	// Open makes the engine of a player, TreeSearch or Trained, over a network: the one of Library
	// with the given name, or that of Network if the name is "".
	Open func(v *rules.Variant, player, network string) (engine.Engine, error)

	// Library returns the names of the other networks that a person can choose for a variant.
	Library func(*rules.Variant) []string
}

// Has reports whether v has a trained network.
func (n Networks) Has(v *rules.Variant) bool {
	if n.Network == nil {
		return false
	}
	_, ok := n.Network(v)
	return ok
}

// Own returns the name of the network of v if it does not come with the program, else "".
func (n Networks) Own(v *rules.Variant) string {
	if n.Network == nil {
		return ""
	}
	name, _ := n.Network(v)
	return name
}

// Others returns the names of the networks that can be chosen for v besides its own.
func (n Networks) Others(v *rules.Variant) []string {
	if n.Library == nil {
		return nil
	}
	return n.Library(v)
}

// Best returns the default player of v: the stronger search over the variant's network, or AlphaBeta
// without one.
func (n Networks) Best(v *rules.Variant) string {
	switch {
	case !n.Has(v):
		return AlphaBeta
	case v.Tuning().Search == rules.AlphaBetaSearch:
		return Trained
	}
	return TreeSearch
}

// Analyst returns the player that analyses v and reviews its games: TreeSearch if there is a network,
// because it reports the visits and the score of every move; otherwise AlphaBeta.
func (n Networks) Analyst(v *rules.Variant) string {
	if n.Has(v) {
		return TreeSearch
	}
	return AlphaBeta
}

// Worker runs the jobs of a queue, one at a time.
type Worker struct {
	Networks Networks
	Rand     *rand.Rand
}

// Engine makes a new engine of a player for one search, so nothing is kept from one search to the
// next.
func (w *Worker) Engine(v *rules.Variant, player, network string) (engine.Engine, error) {
	if player == AlphaBeta {
		return engine.NewBaseline(v, TableBits)
	}
	if w.Networks.Open == nil {
		return nil, ErrNoNetwork
	}
	return w.Networks.Open(v, player, network)
}
