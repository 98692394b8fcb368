// Package open makes engines and players of what a person writes: a description such as "tree:FILE",
// "alphabeta:depth=6" or "random", or the file of a network. The variant is read from the file.
package open
