// Package data stores the games a network learns from: on disk as shards, in memory as a replay
// window.
//
// A [Game] is the record of one game, ply by ply: the position, its legal moves, the results of
// the search and the move played. It holds no tensors, so any network can be trained from it. A
// shard is an immutable Parquet file of whole games with one row for each ply ([Writer],
// [ReadShard], [Verify]). A [Store] is the folder of the shards of a run, with its totals and its
// limit of disk space. A [Window] holds the newest rows in memory, packed; [Rows] are packed
// rows that are of no game. [Draw] draws training [Sample]s from them.
//
// Conventions:
//
//   - Win, draw, loss and all mean values are from the point of view of the side to move. A value
//     is an expected score in [0,1]: win 1, draw 1/2.
//   - A searched row, or full row, is a ply of a full search. Totals, limits of age and the size of
//     the window count searched rows.
//   - Probabilities in a shard, and scores in the window, have 16 bits; row.go and fifo.go say how they
//     are rounded.
//   - Everything read from a file is checked. A shard that is not complete and correct is refused
//     as a whole.
//
// The package makes no decisions about training: targets come from a [TargetFunc] of the
// learner. It writes no PDN and no manifest; the learner stores a [StoreState] in its own.
package data
