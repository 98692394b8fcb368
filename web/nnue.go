package web

import (
	"math"
	"runtime"

	"damier/alphabeta"
	"damier/rules"
)

// trained is the engine that searches as the alpha-beta does and judges by Config.NNUE.
const trained = "nnue"

// hasNNUE reports whether there is a trained evaluation for v.
func (s *Server) hasNNUE(v *rules.Variant) bool {
	return s.config.NNUE != nil && s.config.NNUE(v) != nil
}

// ownNNUE returns the name of the NNUE of v if it does not come with the program, else "".
func (s *Server) ownNNUE(v *rules.Variant) string {
	if v.String() != s.config.Variant.String() {
		return ""
	}
	return s.config.OwnNNUE
}

// depthFirst is an alpha-beta search with what its scores are worth.
type depthFirst struct {
	*alphabeta.Engine
	points float64 // the score that is a logit of 1
}

// handPoints is the score of the evaluation made by hand that is a logit of 1: a man ahead is 0.73, as in its Hub reports.
const handPoints = 100

// depthFirst makes the search of an engine that is no model. Where it is to judge by what was trained and nothing was for v, it
// judges by hand. It searches on all cores where time alone ends a search: there is one search at a time.
func (w *worker) depthFirst(v *rules.Variant, engine string, c alphabeta.Config) (depthFirst, error) {
	points := float64(handPoints)
	if engine == trained && w.nnue != nil {
		if e := w.nnue(v); e != nil {
			c.Evaluator, c.Name, points = e, trained, w.points
		}
	}
	c.Cores = min(runtime.GOMAXPROCS(0), alphabeta.MaxCores)
	ab, err := alphabeta.New(v, c)
	return depthFirst{ab, points}, err
}

// expected turns a score into an expected score in [0,1].
func (d depthFirst) expected(s alphabeta.Score) float64 {
	switch {
	case s > alphabeta.MateBound:
		return 1
	case s < -alphabeta.MateBound:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(s)/d.points))
}
