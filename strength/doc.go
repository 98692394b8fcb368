// Package strength holds the levels of play that a person chooses from, from a beginner's to full strength: one table,
// with what each level is in a search and how it chooses among the moves found, and the Elo measured of them.
package strength
