// Package journal is what a run writes down of its progress: metrics.jsonl, a line of JSON for each
// [Event]. It also reads what a journal says: the Elo of the networks that were measured ([Rate]),
// whether the run gets better ([Trend]), and the curves ([Plot]).
//
// The scale is the ladder: the frozen baseline at fixed depths, whose Elo is known in every variant
// ([Marks]).
package journal
