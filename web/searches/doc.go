// Package searches is where the pages that play have their searches done: one queue with a cap, served
// by a few workers, and the engines that there are over the networks that it is given. Moves go before
// analyses, and an analysis gives way to a move that waits.
package searches
