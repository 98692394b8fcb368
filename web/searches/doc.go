// Package searches runs the searches of the pages: one bounded queue, served by a few workers, and
// the engines over the networks that the caller provides. Searches for a move are served before
// analyses. A running analysis is interrupted when a search for a move waits, and begins again
// later.
package searches
