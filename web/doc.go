// Package web is the board and the dashboard in the browser: HTTP servers with their pages embedded, which need no network,
// no build step and nothing of anyone else's.
//
//   - A Server keeps boards. A board is one game in one browser window: the moves played, the place in them that is looked
//     at, and who sits at each side. The rules are asked here alone: the page gets the legal moves and their paths.
//   - A page talks to its board by POST of JSON and hears from it by server-sent events: state, a whole snapshot
//     after every change, and analysis, what a search finds while it runs.
//   - All searches stand in one queue with a cap. A few workers serve it; moves go before analyses, and an analysis gives
//     way to a move that waits.
//
// A [Dashboard] shows a training run, which it knows as a [Run]: its metrics as they grow, its games under way, and what its
// networks say of a position. Its page asks for what is new, and nothing is looked at while no page asks.
//
// What keeps strangers out is in guard.go: without a token only the names of the loopback are answered, so that no other
// site can reach the server by a name of its own; with one, every request needs it. Every POST must come from the
// page's own origin and be JSON. Nothing that comes from outside names a file.
//
// Conventions: a square is a [rules.Square], 1..N, everywhere but in texts for people. Scores and win/draw/loss in what is
// sent are White's, in [0,1].
//
// The package reads no flags, files or environment; models are handed to it as evaluators.
package web
