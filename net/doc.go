// Package net is the network: what it looks like, how a position becomes its input, how it judges
// positions fast, and the file it is kept in.
//
// Its main types are [Model] (a [Config] and the weights), [Encoder] (positions to input planes, the one
// encoder of inference and training) and [Evaluator] (a model on the kernels of internal/simd; it is the
// mcts.Evaluator of self-play and play). [Architecture] describes the layers a Config stands for;
// [Reference] is the slow float64 twin of the whole network.
//
// Conventions, said once:
//
//   - The network sees the board from the side to move: when Black moves the board is turned by 180
//     degrees and the colours are exchanged. Values and priors are for the side to move.
//   - Inside the package squares are indices 0..N-1 of that turned board; [Encoder.Index] is the only
//     place where a rules.Square becomes one.
//   - Boards are the SIMD lanes. A block is simd.Lanes boards; activations lie as
//     [square][channel][simd.Lanes]float32, weights as [tap][input channel][output channel]float32.
//   - Value outputs are in the order win, draw, loss.
//
// The package does not train (net/train does), does not search, and reads no file it was not given.
package net
