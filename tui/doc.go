// Package tui is the board on the whole screen of a terminal, for mouse and keys.
//
//   - [Game] is a game on the screen: a model of Bubble Tea, which gets messages ([Game.Update])
//     and returns a screen ([Game.View]). It never waits: searches run as commands and report by
//     messages.
//   - [Engine] plays and analyses. The caller passes it; the package knows no engines.
//   - [Look] says how things are drawn: colours, and signs for the pieces. Colour is never the
//     only sign of anything.
//
// [Run] shows a model on the screen and restores the terminal however the program ends. The
// subpackage watch does the same for a run of the learner.
//
// Values in a [Thought] are for the side to move, in [0,1]; the screen shows them for White.
// Coordinates on the screen are columns and lines from 0 at the top left.
//
// The package reads no flags, files or environment.
package tui
