// Package cluster lets other machines play for a run or for a match, over NATS JetStream.
//
// A [Hub] runs beside the learner. It publishes each [learner.Order] (settings, stage and network)
// in a key-value bucket and an object store, and receives finished games from a work-queue stream.
// It replays every game by the rules, compares it with the order it names, and recomputes a share
// of the searches. It writes the games into the run's folder as the shards of one more worker, and
// acknowledges a message only after that: the shards are the record, JetStream is only transport.
//
// A [Worker] needs the address and a token or a key, nothing else. Its name is part of the ids of
// its games, so ids are unique without a central counter. A worker that disappears loses only its
// unfinished games.
//
// A [MatchHub] distributes the pairs of a match to [MatchWorker]s by request and reply, without
// streams. The games are the ones that a single machine would have played.
//
// docs/cluster.md says what is trusted and what each failure does.
package cluster
