// Package notation is the written side of draughts: moves as text and games as PDN files.
//
//   - [ParseMove] and [FormatMove] turn move text into a [rules.Move] and back. Reading is liberal: PDN short
//     form (32-28, 19x30), PDN long form with intermediate squares (47x38x24x13x36), the Hub form
//     with the captured squares (28x19x23). Writing follows PDN 3.0: the short form, and the long form
//     exactly where another capture has the same origin and destination.
//   - [Explain] says in words why no legal move goes from one square to another.
//   - [Game] is one PDN game: its tags, its [rules.Game], its notes and variations. A [Reader] reads files liberally, with
//     errors that name line, game and move; [Write] writes PDN 3.0 strictly.
//
// Squares are the numbers of the variant's board. Text never decides the rules: every move read is one of
// the legal moves of its position, or an error.
//
// The package does not know engines or clocks; it keeps comments, numeric annotation glyphs and variations.
package notation
