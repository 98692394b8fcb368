// Package review looks at games that were played: the score after every move, what was better,
// what each mistake cost and of which kind it is, and how accurate each player was.
//
// An Analyst reviews games of one variant with an engine, and if it has them endgame tables and a
// finder of combinations. Annotate writes a Review into a game as PDN has it. MarkOf and Accuracy
// are what everything that shows mistakes shares, the board in the browser too.
//
// Scores are expected scores in [0,1], a draw being 0.5, and White's unless a name says otherwise.
//
// # Scores that do not swing
//
// A search of a few plies gives a score that changes from ply to ply although nobody errs: the
// side that has moved last looks better, and each search begins anew. Three things are done about
// it.
//
//   - A game is searched from its last position to its first, by one engine that keeps its table of
//     positions, so that the search of a position knows what followed.
//   - The score of an alpha-beta search is the mean of its last two iterations, one of which ends
//     with a move of the one side and one with a move of the other.
//   - What a move costs is the difference of two scores of equal footing: that of the position after
//     the move that was held best, and that of the position after the move that was played. Both
//     are searched alike, with the same side to move. If the first is not the better one, the move
//     played was as good.
//
// The score of a move is that of the position after it, the same number.
//
// With an engine that visits or nodes limit, a review depends on the game alone.
package review
