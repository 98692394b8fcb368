// Package page is the board as a folder of static files, which needs no server but one that hands
// out files: rules, search and networks run as WebAssembly in a web worker of the page.
//
//	go run ./web/page/build DIR
//
// writes the folder. A [Session] is what runs in the worker: one game and the engine that plays it.
// web/page/worker is its program for js/wasm. The same Session runs in any other program, so that
// a test compares the two.
package page
