// Package tournament keeps the results of tournaments and tells what they say.
//
// A [Store] is a folder with a results file, one line of JSON for each game, to which games are appended as they
// end: a tournament that was killed goes on where it was. [Make] makes a [Report] of the games: ratings, cross table,
// what went wrong; it is written as text, JSON and a picture, and all games as PDN.
//
// Conventions: a control is the text of a time control or another limit, under which the games of a section were
// played; ratings belong to a section, for a player is another one with more time. Players are known by their names.
//
// The package plays nothing: package arena does.
package tournament
