// Package learn trains a model of package nnue from nothing but the rules.
//
// A [Run] plays games by an alpha-beta search over the model itself, learns from their positions, and plays on with what it
// has learnt. The first games are random moves to their ends, which teach what a man is worth. Then both sides search a
// few plies deep, a game begins with random moves, and now and then one is played in its middle, so that the model sees
// what it would never have come to.
//
// A position in which the side to move has no capture to make, for others are never evaluated, is learnt towards the
// result of its game mixed with the score of its search. A window holds the newest positions, and every one is learnt a
// few times on average, half of the times mirrored where the rules know no left and right. The window is short: what
// weaker networks thought of their games holds a stronger one back (docs/experiments/nnue.md). When a run is over a new model
// learns the window from nothing, and if it beats the one that has learnt all the time it is what a player loads.
//
// A run lives in a directory: checkpoint.safetensors (weights, the solver's state, the configuration), model.nnue (what
// a player loads), the window in a Parquet file for each generation, metrics.jsonl, a line for every generation, and
// progress.png, drawn from it with every measurement.
package learn
