// Package sparse is the method by which a run trains a network of package nnue: its trainer, and how the
// network plays in the run. The loop (package learner) gets it from the command and knows no more of it than
// [learner.Method] says.
//
// The network learns values. What a position is worth is what its search expected, mixed with the result of
// the game; for a position of a search's tree it is what the tree thinks of it. Policies are not learnt: the
// priors of the tree search come from its look at every move.
package sparse
