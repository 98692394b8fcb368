package web

import (
	"damier/rules"
	"damier/strength"
)

// levelInfo is what the page tells of a level.
type levelInfo struct {
	Visits  int  `json:"visits"`
	Depth   int  `json:"depth"`
	Careful bool `json:"careful"` // a model of this level gives nothing away knowingly
}

func levelInfos() []levelInfo {
	list := make([]levelInfo, strength.Count())
	for i := range list {
		l := strength.Of(i + 1)
		list[i] = levelInfo{l.Visits, l.Depth, l.BlunderFree()}
	}
	return list
}

// eloInfo is the Elo measured of the levels, by engine and number; what was not measured is not there.
type eloInfo map[string]map[int]strength.Elo

// elo returns what was measured in v of the engines as they come with the program.
func (s *Server) elo(v *rules.Variant) eloInfo {
	found := eloInfo{}
	for _, engine := range []string{model, trained, alphaBeta} {
		if engine == model && s.modelFirst(v) || engine == trained && s.ownNNUE(v) != "" {
			continue
		}
		for n := 1; n <= strength.Count(); n++ {
			if e, ok := strength.Measured(v.Name, engine, n); ok {
				if found[engine] == nil {
					found[engine] = map[int]strength.Elo{}
				}
				found[engine][n] = e
			}
		}
	}
	return found
}
