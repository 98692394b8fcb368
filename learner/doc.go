// Package learner is the loop of a run: generations of self-play and training, checkpoints, the
// gate, the evaluation against a frozen ladder, the refit at the end, and the reports for a
// person.
//
// The loop does not depend on what it trains. It gets a [Method], and uses the network, the trainer
// and the search only through it. Package learner/settings has the settings of a run, and
// learner/journal what it writes down of its progress.
//
// A run is a directory ([Open]). Its manifest run.json describes its whole state. It is replaced
// atomically at the end of every generation, after everything it names is on disk. A process may
// be killed at any time, and the next one continues from there. What is lost is the work since the
// last checkpoint, and games that were in progress or finished since the last shard (a few
// seconds).
//
// A generation has these phases, one after another, each on all cores, so that they do not compete
// for them:
//
//	adopt       add sound shards of other workers in games/ to the window
//	play        play until there are enough new rows, including those of others. Every few
//	            seconds finished games go to a shard and to the replay window; one game in
//	            forty goes to the held-out rows instead
//	learn       train as many steps as the new rows allow (passes x rows / batch)
//	publish     make the trained network the next generation; write checkpoint and manifest
//	measure     compute losses on held-out rows; now and then play ladder and gate
//	report      write metrics, progress.png, and a summary: "is it getting better?"
//
// At the end of the run a new network learns the window from zero and plays the run's own network.
// The winner is the run's best network. The same may happen in the middle of the run, which then
// goes on with the winner.
package learner
