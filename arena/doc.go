// Package arena lets two players meet and says what the meeting proves.
//
// A [Player] chooses moves. [Play] plays a match between two of them: every opening twice with colours
// reversed, as many games at a time as asked, and returns a [Result]. [Pentanomial] counts the pairs of
// games by their common score; the Elo difference with its interval ([Pentanomial.Elo]) and the sequential
// test ([SPRT]) are computed from pairs, because the two games of a pair share their opening and are not
// independent.
//
// A [Tournament] lets many players meet each other, and [Rate] turns their pairs into [Ratings]. Games may be played
// by the clock ([Control]) and, if one likes, adjudicated ([Adjudication]).
//
// Conventions: player A is the one that is measured, all scores and Elo are from A's point of view; a
// score is in [0,1], a draw counts one half; games are numbered from 0 and games 2i and 2i+1 are a pair,
// A having White in the even one.
//
// The package knows no network: a network reaches it as a Player.
package arena
