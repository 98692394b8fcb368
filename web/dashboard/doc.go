// Package dashboard is a training run in the browser. A [Dashboard] knows it as a [Run]: its metrics as
// they grow, its games under way, and what its networks say of a position. The page asks for what is new,
// and nothing is looked at while no page asks.
package dashboard
