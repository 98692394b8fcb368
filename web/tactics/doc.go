// Package tactics is the server part of the page on which a person solves combinations. It serves
// the collection of damier/tactics: the solution of each, the refutation of wrong moves, and the
// search of an engine to watch.
package tactics
