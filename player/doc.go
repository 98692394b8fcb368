// Package player makes players of models and of descriptions on a command line.
//
// A [Network] plays with a search over any mcts.Evaluator. A [Batcher] is such an evaluator, shared by
// many games at once: it gathers their leaves into full blocks, which is what makes a match of networks
// fast. A [Spec] is what a user writes for a player: "model:FILE", "alphabeta:depth=6", "random".
//
// A Network has the methods of a player in package arena, which this package does not import: neither
// knows the other.
package player
