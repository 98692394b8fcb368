// Package learner is the loop of a run: generations of self-play and training, checkpoints, the gate, the
// evaluation against a frozen ladder, the refit at the end, and what a person sees of it.
//
// What a run trains and how that plays is no part of the loop: a [Method] is handed over with the settings
// ([Sources]), and the loop knows no network, no trainer and no search but through it.
//
// A run is a directory ([Open]); its manifest run.json is the only truth about its state and is replaced
// atomically at the end of every generation, when everything it names is on disk. A process may be killed at
// any time; the next one goes on from there. What is lost is the work since the last checkpoint and the games
// that were under way or finished since the last shard, a few seconds' worth.
//
// One generation, in order, each phase on all cores (phases that alternate do not contend for them):
//
//	adopt       whole shards of other workers that appeared in games/ join the window
//	play        the actors play until there are enough new rows, those of others counted; finished games go to
//	            a shard every few seconds and into the replay window, one in forty to the held-out rows instead
//	learn       as many steps as the new rows have earned (passes x rows / batch)
//	publish     what has been learnt becomes the next generation; checkpoint, manifest
//	measure     losses on held-out rows; now and then games against the ladder and the gate
//	report      a line of metrics, progress.png, and a summary that answers "is it getting better?"
//
// When the run is over, a new network learns the window from nothing and plays the run's own: the better one is
// the run's best.
package learner
