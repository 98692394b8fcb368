// Package page is the board as a folder of static files. Any web server that serves files can
// serve it: rules, search and networks run as WebAssembly in a web worker of the page.
//
//	go run ./web/page/build DIR
//
// writes the folder. A [Session] runs in the worker: one game and the engine that plays it.
// web/page/worker is its program for js/wasm. A Session also runs natively, so a test can compare
// the two.
package page
