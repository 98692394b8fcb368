package board

import (
	"damier/engine"
	"damier/rules"
	"damier/web/searches"
)

// levelInfo is what the page tells of a level.
type levelInfo struct {
	Visits  int  `json:"visits"`
	Depth   int  `json:"depth"`
	Careful bool `json:"careful"` // a tree search of this level gives nothing away knowingly
}

func levelInfos() []levelInfo {
	list := make([]levelInfo, engine.Levels())
	for i := range list {
		l := engine.LevelOf(i + 1)
		list[i] = levelInfo{l.Visits, l.Depth, l.BlunderFree()}
	}
	return list
}

// eloInfo is the Elo measured of the levels, by engine and number; what was not measured is not there.
type eloInfo map[string]map[int]engine.Elo

// elo returns what was measured in v of the engines as they come with the program.
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
