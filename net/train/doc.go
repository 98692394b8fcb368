// Package train trains a network of package nnue. It has a Gorgonia graph of our own operations,
// the solver that computes new weights from its gradients, and the state from which training can
// continue.
//
// Its main types are [Sparse] (a network in training), [Config] (learning rate and others) and
// [Loss] (the result of a step or an evaluation). The operations of the graph are a sum of rows,
// the activation, the outputs by number of pieces, and the loss of the score. The inputs are lists
// of rows.
//
// Conventions:
//
//   - A batch is divided into parts of partSize positions, whose activations are stored as
//     [position][view][unit]. An activation of the graph is a matrix [part][value].
//   - Gorgonia differentiates and orders the graph. Its machine runs once, when a graph is
//     compiled. The operations then record their tasks in a list, and every step works through
//     that list, see schedule.
//   - Every activation of the graph has one consumer, so that Gorgonia never has to add two
//     gradients.
//   - The gradient operations work part by part. Each part has its own sums of the gradients of
//     the parameters. The parts are added up in their order, so the result does not depend, to the
//     bit, on which goroutine worked on which part.
//   - Losses are in nats and are means over the samples.
//
// The package does not choose samples or decide when to lower the learning rate, and it reads no
// files on its own.
package train
