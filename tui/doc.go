// Package tui is the board on the whole screen of a terminal, for mouse and keys.
//
//   - [Game] is a game with all that is around it: a model of Bubble Tea, which gets messages ([Game.Update]) and
//     returns a screen ([Game.View]). It never waits: searches run as commands and report by messages.
//   - [Engine] is who plays and analyses. The package knows none: a command hands it one.
//   - [Look] is how things are drawn: colours, and signs for the pieces. Nothing is said by colour alone.
//
// [Run] puts a model on the screen and gives the terminal back as it was, whatever ends it. The subpackage watch
// does the same for a run of the learner.
//
// Values in a [Thought] are those of the side to move, in [0,1]; the screen shows White's. Coordinates on the screen
// are columns and lines from 0 at the top left.
//
// The package reads no flags, files or environment.
package tui
