// Package analyse is the command analyse: games of PDN files reviewed as a stream, on all cores,
// and written as annotated PDN, JSON or a table. What a review is stands in package review.
package analyse
