package data

import (
	"fmt"

	"damier/rules"
)

// Game is the record of one self-play or test game. It has everything needed to train any network
// from it and to replay it. It holds no tensors.
type Game struct {
	ID      string // unique within a run, derived from (run seed, worker, generation, number)
	Variant string // rules.Variant.Name
	Options string // rules.Options.String
	Rules   int    // rules.Version
	Model   string // id of the model that played; "" for none
	Seed    uint64 // of the game's random numbers

	Generation int // of the model, 0 for random weights

	Start   rules.Position // after the random opening, if any
	Plies   []Ply
	Outcome rules.Outcome
	Reason  rules.Reason
}

// Rows returns the number of searched rows: plies of a full search.
func (g *Game) Rows() int {
	n := 0
	for i := range g.Plies {
		if g.Plies[i].Full {
			n++
		}
	}
	return n
}

// Ply is one position of a game, the results of the search there and the move played.
type Ply struct {
	Position    rules.Position
	Occurrences uint8        // of Position in the game so far, including this one
	Moves       []rules.Move // legal moves in canonical order
	Played      int          // index into Moves

	// A full search, which gives a searched row; false for a cheap search or a forced move.
	Full        bool
	Simulations int       // number of simulations of the search, 0 for a forced move
	Root        rules.WDL // the search's estimate for the side to move; zero for a forced move
	Raw         rules.WDL // the network's own estimate at the root for the side to move

	// One for each move, nil for a forced move.
	Visits []uint16
	Priors []float32 // network policy before noise, in [0,1], sum 1
	// Mean expected score of the move for the side to move in [0,1]; NaN where unvisited.
	Values []float32

	Tree []Node // positions of the search tree that are rows of their own
}

// Node is a position of a search tree. It trains the value only.
type Node struct {
	// Line is the path from the ply's position: for each move that was a choice, its index among
	// the legal moves in canonical order. Forced moves, also those after the last choice, are left
	// out.
	Line     []uint8
	Position rules.Position // the position after Line
	Value    float32        // expected score of the side to move, in [0,1]
}

// follow returns the position to which a line leads from p.
func follow(v *rules.Variant, p rules.Position, line []uint8) (rules.Position, error) {
	var moves []rules.Move
	for i, n := range line {
		if moves = v.AppendMoves(moves[:0], p); int(n) >= len(moves) {
			return p, fmt.Errorf("move number %d of %d comes after %d choices", n, len(moves), i)
		}
		p = v.Play(p, moves[n])
		// A game ends when there is no choice left, and no search goes beyond its end. So only a
		// hostile record reaches the bound.
		forced := 0
		for moves = v.AppendMoves(moves[:0], p); len(moves) == 1 && forced < mostForced; moves = v.AppendMoves(moves[:0], p) {
			p = v.Play(p, moves[0])
			forced++
		}
	}
	return p, nil
}

// mostForced is the largest number of consecutive forced moves in a line.
const mostForced = 200

// Sample is one training row: a position with its target.
type Sample struct {
	Position rules.Position // its counters, which no network sees, are zero
	Score    float32        // target: the expected score of the side to move, in [0,1]
}
