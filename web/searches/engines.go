package searches

import (
	"errors"
	"math/rand/v2"
	"time"

	"damier/engine"
	"damier/rules"
)

// The engines. Tree search and NNUE (the alpha-beta search) judge by a trained network, the alpha-beta
// by an evaluation made by hand.
const (
	TreeSearch = "tree"
	Trained    = "nnue"
	AlphaBeta  = "alphabeta"
)

// MoveTime bounds the search for a move, whatever its level and whoever asks: a board is one of many.
const MoveTime = 10 * time.Second

// TableBits is the size of the table of an alpha-beta search at a board, 4 MB. MaxNodes bounds the tree
// of a tree search: some 260 MB.
const (
	TableBits = 18
	MaxNodes  = 1_000_000
)

// Visits is what tree searches count.
const Visits = "visits"

// ErrNoNetwork is wrapped by the error of [Networks.Open] for a variant that has no network.
var ErrNoNetwork = errors.New("no network for this variant")

// Networks says which networks there are. Its functions are called from several goroutines; each may be
// nil.
type Networks struct {
	// Network reports whether a trained network plays a variant, and its name if it does not come with
	// the program. It is called often.
	Network func(*rules.Variant) (name string, ok bool)

	// Open makes the engine of a player, TreeSearch or Trained, over a network: that of Network, or the
	// one of Library with a name.
	Open func(v *rules.Variant, player, network string) (engine.Engine, error)

	// Library returns the names of the networks that can be chosen for a variant besides that of Network.
	Library func(*rules.Variant) []string
}

// Has reports whether a trained network plays v.
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

// Best returns the engine that plays v where nobody has chosen, and reviews games: the stronger search
// over the network of the variant.
func (n Networks) Best(v *rules.Variant) string {
	switch {
	case !n.Has(v):
		return AlphaBeta
	case v.Tuning().Search == rules.AlphaBetaSearch:
		return Trained
	}
	return TreeSearch
}

// Analyst returns the engine that analyses v: a tree search where there is a network, for it has the
// visits and the worth of every move.
func (n Networks) Analyst(v *rules.Variant) string {
	if n.Has(v) {
		return TreeSearch
	}
	return AlphaBeta
}

// Worker serves a queue, one search at a time.
type Worker struct {
	Networks Networks
	Rand     *rand.Rand
}

// Engine makes the engine of a player: a search of a board leaves nothing behind.
func (w *Worker) Engine(v *rules.Variant, player, network string) (engine.Engine, error) {
	if player == AlphaBeta {
		return engine.NewBaseline(v, TableBits)
	}
	if w.Networks.Open == nil {
		return nil, ErrNoNetwork
	}
	return w.Networks.Open(v, player, network)
}
