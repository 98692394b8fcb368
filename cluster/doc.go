// Package cluster lets other machines play for a run, over NATS JetStream.
//
// A [Hub] stands beside the learner. It gives out [learner.Order]s (settings, stage and network) by a
// key-value bucket and an object store, and takes finished games from a work-queue stream. Every game is
// replayed by the rules and compared with the order that it names; searches of some are computed again.
// Games go into the run's folder as shards of an extra worker, and only then is their message acknowledged:
// the shards are the record, JetStream only carries.
//
// A [Worker] needs the address and a token or a key, and nothing else. Its games have ids that no other
// worker's have, so nothing is assigned and a worker that vanishes costs its games under way.
//
// A [MatchHub] gives the pairs of a match to [MatchWorker]s, by requests and answers without streams: its
// games are those that one machine would have played.
//
// docs/cluster.md says what is trusted and what each failure does.
package cluster
