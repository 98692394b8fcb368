package tui

// The colours, by number of the 256 colours: those of a wooden board.
const (
	lightGround  = "223"
	darkGround   = "94"
	otherGround  = "101" // every other square where all are played on
	lastGround   = "130" // of the last move
	cursorGround = "26"
	whiteChip    = "231"
	blackChip    = "16"
	blackInk     = "16"
	blackSign    = "246" // on a black piece
	kingInk      = "160" // on a white piece
	kingSign     = "220" // on a black piece
	numberInk    = "180"
	markInk      = "226"
	dimInk       = "244"
	alarmInk     = "209"
	titleInk     = "231"
	titleGround  = "24"
)
