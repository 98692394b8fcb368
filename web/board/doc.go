// Package board is the server of the board in the browser.
//
//   - A [Server] keeps boards. A board is one game in one browser window: its moves, the position
//     that is shown, and who plays each side. Only the server knows the rules: the page receives
//     the legal moves and their paths.
//   - A page sends its actions by POST of JSON and receives server-sent events: "state", a whole
//     snapshot after every change, and "analysis", the results of a search while it runs.
//   - All searches wait in one queue of web/searches, together with those of the tactics page.
package board
