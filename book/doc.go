// Package book makes opening books and reads them.
//
// A [Book] is a small file: the keys of positions in ascending order, and the expected score of
// each. A move is worth what the position after it is worth, so the file holds no moves. A
// position counts without its history, up to an exchange of the colours.
//
// A [Builder] makes a book by dropout expansion (T. R. Lincke, Strategies for the Automatic
// Construction of Opening Books, 2000): it expands the position with the lowest priority, which is
// the number of moves from the start plus a weight times what these moves lose against best play,
// by either side. A [Searcher] gives the score of each new position, and scores go up to the start
// by negamax.
package book
