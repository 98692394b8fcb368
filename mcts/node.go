package mcts

import "damier/rules"

// rootID is the index of the root node. noNode is the child of an edge that was never tried.
const (
	rootID = int32(0)
	noNode = int32(-1)
)

// node is a position in which there is a choice, or the end of a line.
type node struct {
	visits int32   // backed-up simulations through the node, including its own evaluation
	q      float32 // its present value in [0,1] for the side to move
	own    float32 // the value of its own evaluation or final result, in [0,1] for the side to move
	seeds  int32   // index of its first seed
	len    uint16  // number of edges
	ply    uint8   // plies from the root, by the first path found; 255 means 255 or more
	flags  flags
	state  state
	proof  Proof
	occurs uint8       // occurrences of the position in game and path, 1 for a new one
	turn   rules.Color // the side to move
	count  uint16      // number of legal moves
	open   uint16      // number of moves that are not settled
	next   seed        // a copy of the seed to try next; its prior is grownSeed if there is none
	few    [1]edge     // its edge; if there are more, few[0].visits is their index in tree.edges
}

// raw is an evaluation, for the side to move.
type raw struct{ win, draw float32 }

func (r raw) wdl() rules.WDL {
	return rules.WDL{Win: r.win, Draw: r.draw, Loss: max(1-r.win-r.draw, 0)}
}

// draw returns the draw probability of a node that ends its line or is proved. An end has no edge
// and keeps the number there.
func (n *node) draw() float32 {
	if n.proof != NotProved {
		return n.proof.wdl().Draw
	}
	return n.few[0].value
}

// valueFor returns the value of node c for side turn, in [0,1].
func (c *node) valueFor(turn rules.Color) float32 {
	if c.turn != turn {
		return 1 - c.q
	}
	return c.q
}

// flags mark what was done with a node.
type flags uint8

const (
	scouted     flags = 1 << iota
	scoutedDeep       // searched for longer combinations too
	onWay             // inside a combination
	reported          // reported by Positions
)

// state is the progress of a node from its creation to its evaluation.
type state uint8

const (
	unevaluated state = iota
	inFlight          // handed out by Gather
	expanded          // evaluated: value and priors are set
	terminal          // the game ends here, or the search treats the position as a draw
)
