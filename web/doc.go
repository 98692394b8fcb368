// Package web is the code that the web servers share. Their pages are embedded in the program:
// they need no network, no build step and no files of other sites.
//
//   - A [Guard] refuses foreign requests. Without a token it answers only the names of the
//     loopback, so another site cannot reach the server by a domain name of its own. With a token,
//     every request must carry it. Every POST must come from the page's own origin and be JSON. No
//     request names a file on disk.
//   - [Files] are the embedded files of a page; [Common] are those that all pages share.
//   - A [Problem] is the answer to a request that cannot be served.
//   - [Variant], [Choice] and [Move] are what a page needs to draw a board and to play on it.
//
// The pages are web/board, web/tactics and web/dashboard.
//
// Conventions: a square is a [rules.Square], 1..N, except in texts for people. Scores and
// win/draw/loss that are sent are from White's point of view, in [0,1].
//
// The packages read no flags, files or environment variables; callers pass the models as
// evaluators.
package web
