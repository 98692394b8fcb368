// Package open makes engines and players from what a person writes: a description such as
// "tree:FILE", "alphabeta:depth=6" or "random", or the file of a network. It reads the variant
// from the file.
package open
