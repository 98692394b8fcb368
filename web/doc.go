// Package web is what the servers of pages share. Their pages are embedded, and need no network, no build
// step and nothing of anyone else's.
//
//   - A [Guard] keeps strangers out: without a token only the names of the loopback are answered, so that
//     no other site can reach a server by a name of its own; with one, every request needs it. Every POST
//     must come from the page's own origin and be JSON. Nothing that comes from outside names a file.
//   - [Files] are the embedded files of a page, and [Common] those that all pages have.
//   - A [Problem] is what a request is told that cannot be served.
//   - [Variant], [Choice] and [Move] are what a page must know to draw a board and to play on it.
//
// The pages are web/board, web/tactics and web/dashboard.
//
// Conventions: a square is a [rules.Square], 1..N, everywhere but in texts for people. Scores and
// win/draw/loss in what is sent are White's, in [0,1].
//
// The packages read no flags, files or environment; models are handed to them as evaluators.
package web
