// Package rules is the referee: boards, variants, positions, moves and games of draughts.
//
// It has three main types. A [Variant] is a table of facts (board, moves, captures, draw rules),
// each with the article it comes from; no code in the package tests the name of a variant. A
// [Position] is a small comparable value: the pieces, the side to move and every counter that a
// rule needs, but no history. A [Game] adds the history: repetition, the end of a game and the
// rule that ended it.
//
// Conventions:
//
//   - A Square is a number 1..N, counted row by row from the top-left playing square with White at
//     the bottom, in every variant: in international draughts Black starts on 1..20 and White on
//     31..50. Players may use other names (another PDN number, or a1 to h8). [Variant.SquareName]
//     writes them and [Variant.ParseSquare] reads them. FEN and move text use the names of the
//     players; the position string of the Hub protocol uses Squares.
//   - A move is its origin, its destination and the set of pieces it captures; two paths with the
//     same three are one move. They also decide promotion (see [Move] for the one exception).
//   - Legal moves come in canonical order: ascending by From, then To, then captured set (as the
//     128-bit number Hi:Lo of the board layout). Game records rely on this order; a golden file
//     tests it.
//   - Draw rules of n moves are counted in plies, two for each move.
//   - A value (win, draw, loss) is from the point of view of the side to move unless a name says
//     otherwise.
//
// The package generates moves in a slow and in a fast way. The slow way ([Variant.ReferenceMoves],
// [Variant.CapturePaths]) reads the facts of a Variant square by square and serves every board.
// There are three fast ways, and each Variant gets one of them when it is built: bitboards of one
// word, where the compiler makes separate code for each set of facts; bitboards of two words, for
// 12x12; and an array of squares, which knows all facts and serves the remaining variants (a
// Turkish option, and facts that tests invent). Tests compare each fast way with the slow one.
//
// Informal play ([Variant.Lapses], [Lapse]) is separate: a Game never uses it.
//
// Each variant has one file, which lists its facts with their sources and registers the variant,
// and one file in testdata/family.
//
// The package imports the standard library only. Everything in it is safe for concurrent use,
// except that only one goroutine at a time may use a Game.
package rules

// Version names the behaviour of this package that records and models depend on: legal moves,
// their order and the draw rules. It grows when any of them changes.
const Version = 1
