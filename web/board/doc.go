// Package board is the board in the browser.
//
//   - A [Server] keeps boards. A board is one game in one browser window: the moves played, the place in
//     them that is looked at, and who sits at each side. The rules are asked here alone: the page gets the
//     legal moves and their paths.
//   - A page talks to its board by POST of JSON and hears from it by server-sent events: state, a whole
//     snapshot after every change, and analysis, what a search finds while it runs.
//   - All searches stand in one queue, that of web/searches, with those of the page of tactics.
package board
