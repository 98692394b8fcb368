// Package train trains a network: a Gorgonia graph built from operations of our own, the solver that turns
// its gradients into new weights, and the state that lets training go on where it stopped.
//
// Its main types are [Trainer] (one network in training: Step by Step), [Config] (batch, learning rate and
// the like) and [Loss] (what a step or an evaluation found).
//
// [Sparse] is the same for a network of package nnue, whose inputs are lists of rows: a sum of rows, the activation, the
// outputs by phase and the loss of the score are operations of its graph.
//
// Conventions, said once:
//
//   - A batch of a sparse network is cut into blocks of sparseBlock positions, whose activations lie as
//     [position][view][unit]. The rest holds for both kinds of networks.
//   - A batch is cut into blocks of simd.Lanes boards. An activation is a matrix [slot][value], a row of it laid
//     out as [square][channel][simd.Lanes]. A part of the blocks, see below, has one slot, which its blocks take
//     one after the other; only dense networks keep all.
//   - Gorgonia differentiates and orders the graph. Its machine runs once, when a graph is compiled; the
//     operations then write down what there is to do, and every step works through that list, see schedule.
//   - Every activation of the graph has one consumer, so that Gorgonia never has to add two gradients: a
//     residual block is one operation, and so are both heads with the loss.
//   - The gradient operations work part by part: a part is a fixed run of blocks, with its own sums of the
//     parameters' gradients; the parts are added up in their order. Which goroutine worked on which part
//     therefore changes no bit of the result.
//   - Losses are in nats and are means over the rows, weighted with Sample.Weight.
//
// The package does not choose samples, decide when to lower the learning rate, or read any file it was not
// given.
package train
