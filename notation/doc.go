// Package notation reads and writes draughts: moves as text and games as PDN files.
//
//   - [ParseMove] and [FormatMove] convert between text and a [rules.Move]. ParseMove reads PDN
//     short form (32-28, 19x30), PDN long form with intermediate squares (47x38x24x13x36), and the
//     Hub form with the captured squares (28x19x23). FormatMove follows PDN 3.0: it writes the
//     short form, and the long form only if another capture has the same origin and destination.
//   - [Explain] says in words why there is no legal move from one square to another.
//   - [Game] is one PDN game: its tags, its [rules.Game], its notes and variations. A [Reader]
//     reads files liberally, with errors that name line, game and move; [Write] writes PDN 3.0
//     strictly.
//
// Squares are the numbers of the variant's board. Text never overrides the rules: every move read
// is a legal move of its position, or an error.
//
// The package knows no engines and runs no clocks; it keeps comments, numeric annotation glyphs and
// variations. [CutTimes] reads the times of a clock that comments hold.
package notation
