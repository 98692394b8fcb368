// Package sparse is the [learner.Method] for networks of package nnue: how they are trained, and
// how they play in a run. The command passes it to the loop of package learner, which uses it only
// through that interface.
//
// The network learns values only. The value target of a position is the value of its search, mixed
// with the outcome of the game; for a position of a search tree it is its value in the tree.
// Policies are not learnt: the priors of the tree search come from its look at every move.
package sparse
