// Package tactics is the page on which combinations are solved: the collection of the package tactics of
// the module, each with its line, the refutation of other moves, and the search of an engine to watch.
package tactics
