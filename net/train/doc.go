// Package train trains a network of package nnue: a Gorgonia graph built from operations of our own, the solver that
// turns its gradients into new weights, and the state that lets training go on where it stopped.
//
// Its main types are [Sparse] (one network in training: Step by Step), [Config] (learning rate and the like) and [Loss]
// (what a step or an evaluation found). A sum of rows, the activation, the outputs by phase and the loss of the score are
// the operations of the graph; the inputs are lists of rows.
//
// Conventions, said once:
//
//   - A batch is cut into blocks of sparseBlock positions, whose activations lie as [position][view][unit]. An
//     activation of the graph is a matrix [part][value]: the blocks of a part, see below, take its row one after the
//     other.
//   - Gorgonia differentiates and orders the graph. Its machine runs once, when a graph is compiled; the
//     operations then write down what there is to do, and every step works through that list, see schedule.
//   - Every activation of the graph has one consumer, so that Gorgonia never has to add two gradients.
//   - The gradient operations work part by part: a part is a fixed run of blocks, with its own sums of the
//     parameters' gradients; the parts are added up in their order. Which goroutine worked on which part
//     therefore changes no bit of the result.
//   - Losses are in nats and are means over the samples, weighted with Sample.Weight.
//
// The package does not choose samples, decide when to lower the learning rate, or read any file it was not
// given.
package train
