// Package egdb makes endgame tables of any variant from its rules alone, keeps them in files and probes
// them.
//
// Four types carry it. A [Material] says which pieces are on the board, those of the side to move first.
// An [Index] numbers the positions of a material without a gap. [Tables] hold the values of all
// materials of a variant that were made or found, and answer for a position. A [Builder] makes the files.
//
// What a table holds, for the side to move: win, draw or loss under perfect play, and the number of plies
// to the end of the game, by the shortest win against the longest defence. Conventions:
//
//   - The value is that of the position with all draw counters at zero and without a past. Repetition and
//     counted draws do not count: a won position is won in n plies, whatever the counters of the game say.
//     [Tables.InPlay] says what they leave of a win. Draws at once are part of the value.
//   - Where a rule limits how often one king may move in a row (rules.Variant.KingMoveLimit), what has
//     been moved so far decides what is legal: it is part of the index, and of the value.
//   - The end of a game is a position without a legal move, as rules.Variant.Stuck judges it, so losing
//     draughts and the first king need nothing of their own. A position that is over is won or lost in 0.
//   - Positions are stored with White to move; one with Black to move is rotated (rules.Variant.Rotate).
//
// docs/egdb.md has the reasons, the file format, sizes and times.
//
// Tables are safe for concurrent use. The package imports rules and internal/publish only.
package egdb
