package mcts

import "damier/rules"

// Proof says what is proved of a position or a move, for the side to move: its result when both play their best from
// there on, by the referee's rules or by a [Prober], and not by an evaluator's opinion
// (Winands et al., Monte-Carlo Tree Search Solver, 2008). A draw for which the search takes a second occurrence is none.
type Proof uint8

// The proofs.
const (
	NotProved Proof = iota
	ProvedLoss
	ProvedDraw
	ProvedWin
)

// flip returns p for the other side.
func (p Proof) flip() Proof {
	switch p {
	case ProvedLoss:
		return ProvedWin
	case ProvedWin:
		return ProvedLoss
	}
	return p
}

// wdl returns the result that is proved.
func (p Proof) wdl() rules.WDL {
	switch p {
	case ProvedLoss:
		return rules.WDL{Loss: 1}
	case ProvedWin:
		return rules.WDL{Win: 1}
	}
	return rules.WDL{Draw: 1}
}

// proofOf returns the proof that a final result is.
func proofOf(w rules.WDL) Proof {
	switch {
	case w.Win == 1:
		return ProvedWin
	case w.Loss == 1:
		return ProvedLoss
	}
	return ProvedDraw
}
