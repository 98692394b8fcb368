// Package tournament stores the results of tournaments and reports them.
//
// A [Store] is a folder with a results file, one line of JSON for each game. Games are appended
// when they end, so a killed tournament continues where it was. [Make] makes a [Report] of the
// games: ratings, cross table, and errors. The report is written as text, JSON and a picture, and
// all games as PDN.
//
// Conventions: a control is the text of a time control or another limit; a section is the games
// played under one control. Each section has its own ratings, because the strength of a player
// depends on its time. Names identify players.
//
// The package does not play; package arena does.
package tournament
