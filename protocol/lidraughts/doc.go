// Package lidraughts plays on a lidraughts server as a bot, by its public HTTP interface.
//
//   - [Client] uses the interface: two streams of JSON lines, and a few requests.
//   - [Bot] answers challenges and plays the games, each on its own goroutine.
//   - [Thinker] chooses the moves for the bot; the caller implements it.
//
// The server writes a capture leg by leg: 1908 is a quiet move or one leg, 322819 is two legs, and
// each leg may also be sent as a move of its own. Squares are numbered from the top left in every
// variant. [Moves] converts the server's text to moves of a game, and [Legs] a move to text.
//
// A stream may break, repeat messages, or contain impossible ones. The bot then connects again and
// continues from the whole state that the server sends first. It never prints the token.
package lidraughts
