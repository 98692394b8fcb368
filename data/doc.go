// Package data keeps the games a network learns from: on disk as shards, in memory as a replay window.
//
// A [Game] is the record of one game, ply by ply: the position, its legal moves, what the search found
// and the move played. It holds no tensors, so any network can be trained from it. A shard is an
// immutable Parquet file of whole games, one row a ply ([WriteShard], [ReadShard], [Verify]); a [Store]
// is the folder of shards of a run, with its totals and its disk cap. A [Window] holds the newest rows
// in memory, packed, and draws training [Sample]s from them.
//
// Conventions, said once:
//
//   - Win, draw and loss and every mean value are from the point of view of the side to move. A value is
//     an expected score in [0,1]: win 1, draw 1/2.
//   - A policy row, or full row, is a ply of a full search. Totals, caps on age and the size of the
//     window count policy rows.
//   - Probabilities of a shard and of the window have 16 bits; row.go and window.go say how they are
//     rounded.
//   - Whatever comes from a file is checked: a shard is read whole and right, or not at all.
//
// The package decides nothing about training: policy targets come from a [TargetFunc] of the learner.
// It writes no PDN and keeps no manifest; the learner stores a [StoreState] in its own.
package data
