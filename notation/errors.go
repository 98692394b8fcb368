package notation

import "damier/rules"

// ParseError is the error for a game that cannot be read, with its place in the file and the
// reason. The Reader can continue with the next game.
type ParseError struct {
	Line int // from 1
	Game int // from 1
	Ply  int // number of moves read before the bad one
	Err  error

	// Read is the game up to the bad move, with its tags and without an end; nil where no move was
	// read.
	Read *Game
}

// Error returns the place and the reason.
func (e *ParseError) Error() string { return e.Message().Error() }

// Message implements [rules.Messenger].
func (e *ParseError) Message() *rules.Message {
	return rules.Messagef("line %d: game %d, ply %d: %v", e.Line, e.Game, e.Ply+1, e.Err)
}

// Unwrap returns the reason.
func (e *ParseError) Unwrap() error { return e.Err }

// PartError is the error for a text of which only some games can be read.
type PartError struct {
	Bad, Of int   // number of unreadable games, and of all games
	Err     error // the error of the first unreadable game
}

// Error returns the numbers, and the first error.
func (e *PartError) Error() string { return e.Message().Error() }

// Message implements [rules.Messenger].
func (e *PartError) Message() *rules.Message {
	return rules.Messagef("%d of %d games cannot be read: %v", e.Bad, e.Of, e.Err)
}

// Unwrap returns the error for the first game that cannot be read.
func (e *PartError) Unwrap() error { return e.Err }
