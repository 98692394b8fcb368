// Package settings is the configuration of a run: every key with its default, the presets, and the
// sources that override them, weakest first: a preset, a file, the environment, the command line.
//
// [Resolve] puts them together, checks the result, and remembers where every value comes from. It
// does not know the learner, nor what is trained: it asks a [Method] for the values that depend on
// the network.
package settings
