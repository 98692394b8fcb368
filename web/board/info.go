package board

import (
	"net/http"

	"damier/engine"
	"damier/rules"
	"damier/web"
)

// variantInfo is what the page needs to know of a variant.
type variantInfo struct {
	web.Variant
	Models []string `json:"models,omitempty"` // names in the library
	NNUE   string   `json:"nnue,omitempty"`   // its network's name, if not that of the program
	Elo    eloInfo  `json:"elo,omitempty"`
}

// info answers with the variants, the levels and the efforts of a review.
func (s *Server) info(w http.ResponseWriter, _ *http.Request) {
	var variants []variantInfo
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			panic("web: rules.Lookup does not know a name of rules.Names")
		}
		if name == s.config.Variant.Name {
			v = s.config.Variant
		}
		variants = append(variants, variantInfo{
			Variant: web.Describe(v),
			Models:  s.config.Others(v),
			NNUE:    s.config.Own(v),
			Elo:     s.elo(v),
		})
	}
	web.WriteJSON(w, 200, web.Encode(map[string]any{
		"variants": variants,
		"variant":  s.config.Variant.Name,
		"levels":   levelInfos(),
		"level":    engine.DefaultLevel,
		"efforts":  efforts,
		"effort":   defaultEffort,
	}))
}
