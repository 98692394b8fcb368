package engine

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Elo is the measured strength of a level.
type Elo struct {
	Rating float64 `json:"elo"`   // relative to the others of the same measurement
	Margin float64 `json:"pm"`    // half of the 95 % interval
	Games  int     `json:"games"` // games of the level in that measurement
}

// measured is the text of levels.json: Elo by variant, by engine ("tree" and "nnue" search over
// the network that comes with the program, "alphabeta" is the baseline), by number of the level.
// go test -update writes the results of scripts/levels.sh for a variant; the others were copied by
// hand from the ratings of evaluate tournament. docs/levels.md has the commands.
//
//go:embed levels.json
var measured []byte

var table = func() map[string]map[string]map[int]Elo {
	t, err := readTable(measured)
	if err != nil {
		panic("engine: levels.json is damaged")
	}
	return t
}()

func readTable(text []byte) (map[string]map[string]map[int]Elo, error) {
	t := map[string]map[string]map[int]Elo{}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("engine: levels.json: %w", err)
	}
	for variant, engines := range t {
		for engine, list := range engines {
			if engine != "tree" && engine != "nnue" && engine != "alphabeta" {
				return nil, fmt.Errorf("engine: levels.json: %s: %q is no engine", variant, engine)
			}
			for n, e := range list {
				if n < 1 || n > Levels() || e.Games < 1 || e.Margin <= 0 {
					return nil, fmt.Errorf("engine: levels.json: %s, %s: level %d was not measured", variant, engine, n)
				}
			}
		}
	}
	return t, nil
}

// Measured returns the measured Elo of a level in the variant with the given name; false if there
// is none.
func Measured(variant, engine string, n int) (Elo, bool) {
	e, ok := table[variant][engine][n]
	return e, ok
}
