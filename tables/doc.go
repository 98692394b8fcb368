// Package tables is a network made of tables, small and fast enough to be the evaluation of an alpha-beta search.
//
// A [Model] looks at overlapping windows of the board, 4x4 fields or eight playing squares each, or 5x4 and ten besides.
// Every window has a table with an entry for each pattern that men can form in it, 3^8 or 3^10. The entries found, the worth of men and of kings by their
// squares, and an entry for the numbers of pieces are added up: the sum is the logit of the expected score of the side to
// move. It is logistic regression on what the first layer of an NNUE network (Yu Nasu, 2018) would see, with patterns in
// the place of single pieces, as draughts programs have used them since Buro's Logistello (1995) did it for Othello: a
// large capacity that costs no arithmetic. All numbers are learnt from games, none is made by hand; package tables/learn
// does it.
//
// Each feature has two weights, for a full and for an empty board, which are mixed by the number of pieces. The board is
// always seen by the side to move, turned round for Black, so that a position and the same position with colours
// exchanged are worth the same.
//
// A [Model] holds float32 weights and is slow and obvious; its [Evaluator] computes the same in integers and implements
// [alphabeta.Evaluator]. Whoever searches with it need not care which variant it is for: any board will do.
package tables
