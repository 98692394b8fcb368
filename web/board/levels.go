package board

import (
	"damier/engine"
	"damier/rules"
	"damier/web/searches"
)

// levelInfo is what the page shows of a level.
type levelInfo struct {
	Visits  int  `json:"visits"`
	Depth   int  `json:"depth"`
	Careful bool `json:"careful"` // a tree search of this level plays no known blunder
}

func levelInfos() []levelInfo {
	list := make([]levelInfo, engine.Levels())
	for i := range list {
		l := engine.LevelOf(i + 1)
		list[i] = levelInfo{l.Visits, l.Depth, l.BlunderFree()}
	}
	return list
}

// eloInfo holds the measured Elo of levels, by engine and level. Levels without a measurement are
// missing.
type eloInfo map[string]map[int]engine.Elo

// elo returns the Elo measured in v of the engines that come with the program.
func (s *Server) elo(v *rules.Variant) eloInfo {
	found := eloInfo{}
	for _, player := range []string{searches.TreeSearch, searches.Trained, searches.AlphaBeta} {
		if player != searches.AlphaBeta && s.config.Own(v) != "" {
			continue
		}
		for n := 1; n <= engine.Levels(); n++ {
			if e, ok := engine.Measured(v.Name, player, n); ok {
				if found[player] == nil {
					found[player] = map[int]engine.Elo{}
				}
				found[player][n] = e
			}
		}
	}
	return found
}
