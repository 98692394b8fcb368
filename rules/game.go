package rules

import (
	"slices"
)

// ErrIllegalMove is wrapped by the error of [Game.Play] for a move that is not legal.
var ErrIllegalMove error = Messagef("illegal move")

// ErrGameOver is wrapped by the error of [Game.Play] in a game that has ended.
var ErrGameOver error = Messagef("the game is over")

// Game is a start position, the moves played and what follows from their history: repetition, the
// end of the game and the rule that ended it. Only one goroutine at a time may use it.
type Game struct {
	variant   *Variant
	positions []Position // the start, then one after each move
	moves     []Move
	legal     []Move // of the last position
	outcome   Outcome
	reason    Reason
}

// NewGame returns a game from the variant's start position.
func NewGame(v *Variant) *Game { return NewGameFrom(v, v.Start()) }

// NewGameFrom returns a game from any position. It may be over at once.
func NewGameFrom(v *Variant, start Position) *Game {
	g := &Game{variant: v, positions: []Position{start}}
	g.settle()
	return g
}

// Reset makes g a new game from start under the same rules. It reuses the memory, so slices that g
// has returned before are no longer valid.
func (g *Game) Reset(start Position) {
	g.positions = append(g.positions[:0], start)
	g.moves = g.moves[:0]
	g.settle()
}

// Clone returns a copy that shares no memory with g.
func (g *Game) Clone() *Game {
	c := *g
	c.positions = slices.Clone(g.positions)
	c.moves = slices.Clone(g.moves)
	c.legal = slices.Clone(g.legal)
	return &c
}

// Variant returns the rules the game is played by.
func (g *Game) Variant() *Variant { return g.variant }

// Start returns the first position.
func (g *Game) Start() Position { return g.positions[0] }

// Position returns the position on the board.
func (g *Game) Position() Position { return g.positions[len(g.positions)-1] }

// Positions returns the start and the position after each move. The slice must not be changed.
func (g *Game) Positions() []Position { return g.positions }

// Moves returns the moves played. The slice must not be changed.
func (g *Game) Moves() []Move { return g.moves }

// Ply returns the number of moves played.
func (g *Game) Ply() int { return len(g.moves) }

// Legal returns the legal moves in canonical order, even if a draw has ended the game. The slice
// belongs to the game and is valid until the next Play or Undo.
func (g *Game) Legal() []Move { return g.legal }

// Outcome returns the outcome, and the rule that ended the game.
func (g *Game) Outcome() (Outcome, Reason) { return g.outcome, g.reason }

// Over reports whether the game has ended.
func (g *Game) Over() bool { return g.outcome != Ongoing }

// Play plays a legal move. The error wraps ErrIllegalMove or ErrGameOver and leaves the game as it
// was.
func (g *Game) Play(m Move) error {
	if g.Over() {
		return Messagef("%w: %s", ErrGameOver, g.reason)
	}
	if !slices.Contains(g.legal, m) {
		return Messagef("%w: %s at ply %d", ErrIllegalMove, g.variant.FormatMove(m), g.Ply())
	}
	g.positions = append(g.positions, g.variant.Play(g.Position(), m))
	g.moves = append(g.moves, m)
	g.settle()
	return nil
}

// Undo takes back the last move, and an end declared by [Game.End]. It returns false at the start.
func (g *Game) Undo() bool {
	if len(g.moves) == 0 {
		return false
	}
	g.moves = g.moves[:len(g.moves)-1]
	g.positions = g.positions[:len(g.positions)-1]
	g.settle()
	return true
}

// End ends the game for a reason outside the rules of movement: resignation, agreement, time.
func (g *Game) End(o Outcome, r Reason) { g.outcome, g.reason = o, r }

// Occurrences returns how often the position on the board has occurred, itself included.
func (g *Game) Occurrences() int { return g.OccurrencesOf(g.Position()) }

// OccurrencesOf returns how often p has occurred in the game. It looks back to the last man's
// advance or capture, where Quiet is 0, because no earlier position can be the same.
func (g *Game) OccurrencesOf(p Position) int {
	n := 0
	for i := len(g.positions) - 1; i >= 0; i-- {
		if g.positions[i].Same(p) {
			n++
		}
		if g.positions[i].Quiet == 0 {
			break
		}
	}
	return n
}

// settle finds the legal moves and tests whether the rules end the game here. A side without a
// move has lost, or won, before any draw rule applies.
func (g *Game) settle() {
	p := g.Position()
	g.legal = g.variant.AppendMoves(g.legal[:0], p)
	g.outcome, g.reason = Ongoing, NoReason
	if len(g.legal) == 0 {
		g.outcome, g.reason = g.variant.Stuck(p)
		return
	}
	if n := g.variant.Draws.Repetition; n > 0 && g.Occurrences() >= n {
		g.outcome, g.reason = Draw, Threefold
		if n > 3 {
			g.reason = Fourfold
		}
		return
	}
	if r := g.variant.DrawByCount(p); r != NoReason {
		g.outcome, g.reason = Draw, r
	}
}
