// Package lidraughts plays on a lidraughts server as a bot, by its public HTTP interface.
//
//   - [Client] speaks the interface: two streams of JSON lines, and a few requests.
//   - [Bot] answers challenges and plays the games, each on a goroutine of its own.
//   - [Thinker] is what the bot needs to choose moves: it belongs to the user of this package.
//
// The server writes a capture leg by leg: 1908 is a quiet move or one leg, 322819 two legs, and each
// leg may also be a move of its own. Squares are numbered from the top left whatever the variant.
// [Moves] turns the server's words into moves of a game, and [Legs] a move into words.
//
// A stream may break, repeat what it has said, or say what cannot be. The bot connects again, and
// plays on from the whole state that the server sends first. It never prints the token.
package lidraughts
