// Package onnx writes a network as an ONNX model, which other programs and languages can run.
//
// The model has one input and one output, with the names that lc0 gives them:
//
//   - "/input/planes", float [N][4][S]: 1 where the side to move has a man, its opponent a man,
//     the side to move a king, its opponent a king, by squares as the side to move sees the board:
//     square s is at s-1 for White, at S-s for Black.
//   - "/output/value", float [N][1]: the expected score of the side to move, -1 for a loss, 0 for
//     a draw, 1 for a win.
//
// Operators are those of ONNX's operator set 13. The package does not read ONNX models.
package onnx
