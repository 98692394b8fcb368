// Package rules is the referee: boards, variants, positions, moves and games of draughts.
//
// Three types carry it. A [Variant] is a table of facts (board, moves, captures, draw rules), each with
// the article it comes from; nothing in the package asks for a variant by its name. A [Position] is a
// small comparable value: pieces, side to move and every counter that a rule needs, but no history. A
// [Game] holds the history: repetition, the end of a game and the rule that ended it.
//
// Conventions, said once:
//
//   - A Square is a number 1..N, row by row from the top-left playing square, White at the bottom, in every
//     variant: for international draughts Black starts on 1..20 and White on 31..50. What players call a
//     square (its PDN number, or a1 to h8) is said by [Variant.SquareName] and read by [Variant.ParseSquare];
//     FEN and move text use those, Hub's position string does not.
//   - A move is its origin, its destination and the set of pieces it captures; two paths with the same
//     three are one move. Promotion follows from it (see [Move] for the one exception).
//   - Legal moves come in canonical order: ascending by From, then To, then captured set (as the
//     128-bit number Hi:Lo of the board layout). Records rely on this order; a golden file holds it.
//   - An n-move draw rule is counted in plies, two for each move.
//   - A value, win/draw/loss, is from the point of view of the side to move unless a name says otherwise.
//
// Moves are generated twice. The slow way ([Variant.ReferenceMoves], [Variant.CapturePaths]) reads the
// facts of a Variant square by square and serves every board. There are three fast ways,
// of which a Variant gets one when it is built: bitboards of one word, by functions that the compiler makes for
// each set of facts in the family; bitboards of two words, for 12x12; and an array of squares, which knows all
// facts and serves what is left (a Turkish option, and facts that are tried in tests). The tests hold them
// against the slow way.
//
// Informal play ([Variant.Lapses], [Lapse]) lies beside the rest: a Game knows nothing of it.
//
// A variant is one file, which names each of its facts with its source and adds it to the family, and one
// file of testdata/family.
//
// The package imports the standard library only. Everything in it is safe for concurrent use, except
// that a Game belongs to one goroutine at a time.
package rules

// Version names the behaviour of this package that records and models depend on: legal moves, their
// order and the draw rules. It grows when any of them changes.
const Version = 1
