// Package arena plays matches and tournaments between players and computes what their results
// prove.
//
// A [Player] chooses moves. [Play] plays a match between two of them: every opening twice with
// colours reversed, as many games at a time as asked, and returns a [Result]. [Pentanomial] counts
// pairs of games by the sum of their scores. The Elo difference with its interval
// ([Pentanomial.Elo]) and the sequential test ([SPRT]) are computed from pairs, because the two
// games of a pair have the same opening and are not independent.
//
// In a [Tournament] many players meet each other, and [Rate] computes [Ratings] from their pairs.
// Games may be played by the clock ([Control]), and adjudicated ([Adjudication]).
//
// Conventions: player A is the one that is measured; all scores and Elo are from A's point of
// view. A score is in [0,1], a draw counts one half. Games are numbered from 0; games 2i and 2i+1
// are a pair, and A has White in the even one.
//
// The package knows no networks: a network is a Player here.
package arena
