// Package hub speaks version 2 of the Hub protocol, by which draughts programs and their user interfaces talk
// over standard input and output, one message a line: the engine's side.
//
//   - [Line] is one message: a command and its arguments, read by [ParseLine].
//   - [Engine] is what a program has to be able to do; [Serve] does the talking for it.
//   - [Limits] are what a search may spend. Serve turns the clock that the interface tells into a plan for
//     the move and a deadline that it never oversteps.
//
// Scores are in men and from the point of view of the side to move; times in messages are seconds. A
// capture is written with its captured squares, 28x19x23, unlike PDN's long form.
//
// The package does not search, and knows no flags: parameters are the Engine's.
package hub
