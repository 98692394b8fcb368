// Package played counts the results of the positions in a person's games, for an opening explorer.
//
// [Games] reads files in PDN, of any variants, and holds for each position of their openings how
// many games have passed it and how they ended. A position is known by the key of package book,
// so it counts without its history, whatever order of moves led there, and together with the one
// that has the colours exchanged. The files are only read.
package played
