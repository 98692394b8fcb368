package mcts

import "damier/rules"

// Proof is the proved result of a position or a move for the side to move, when both sides play
// their best: by the rules of the game or by a [Prober], not by an evaluator (Winands et al.,
// Monte-Carlo Tree Search Solver, 2008). A draw that the search assumes after a second occurrence
// is not proved.
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

// wdl returns the proved result.
func (p Proof) wdl() rules.WDL {
	switch p {
	case ProvedLoss:
		return rules.WDL{Loss: 1}
	case ProvedWin:
		return rules.WDL{Win: 1}
	}
	return rules.WDL{Draw: 1}
}

// proofOf returns the proof of a final result.
func proofOf(w rules.WDL) Proof {
	switch {
	case w.Win == 1:
		return ProvedWin
	case w.Loss == 1:
		return ProvedLoss
	}
	return ProvedDraw
}
