// Package hub implements version 2 of the Hub protocol, with which draughts programs and user
// interfaces communicate over standard input and output, one message a line.
//
//   - [Line] is one message, a command and its arguments, read by [ParseLine].
//   - [Engine] is what a program must implement; [Serve] handles the conversation for it.
//   - [Limits] are the limits of a search. Serve computes from the clock of the interface a
//     planned time for the move, and a deadline that it never exceeds.
//   - [Client] and [Player] are the interface's side: they run another program as an engine.
//
// Scores are in men, from the point of view of the side to move; times in messages are in seconds.
// A capture is written with its captured squares, 28x19x23, unlike PDN's long form.
//
// The package does not search and has no flags: parameters are those of the Engine.
package hub
