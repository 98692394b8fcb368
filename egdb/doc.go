// Package egdb makes endgame tables of any variant from its rules, stores them in files and probes
// them.
//
// It has four main types. A [Material] is the pieces on the board, those of the side to move
// first. An [Index] numbers the positions of a material without gaps. [Tables] hold the values of
// the materials of a variant, and answer for a position. A [Builder] makes the files.
//
// A table holds for each position, for the side to move: win, draw or loss under perfect play, and
// the number of plies to the end of the game, by the shortest win against the longest defence.
// Conventions:
//
//   - The value is that of the position with all draw counters at zero and without a history.
//     Repetition and counted draws are ignored: a won position is won in n plies, whatever the
//     counters of the game say. [Tables.InPlay] takes the counters into account. Immediate draws
//     are part of the value.
//   - If a rule limits how often one king may move in a row (rules.Variant.KingMoveLimit), the
//     moves so far decide which moves are legal, so they are part of the index and of the value.
//   - The end of a game is a position without a legal move, with the outcome of
//     rules.Variant.Stuck. So losing draughts and variants won by the first king need no special
//     code. A position that is over is won or lost in 0.
//   - Positions are stored with White to move; one with Black to move is rotated
//     (rules.Variant.Rotate).
//
// docs/egdb.md has the reasons, the file format, sizes and times.
//
// Tables are safe for concurrent use. The package imports rules, internal/files and
// internal/publish only.
package egdb
