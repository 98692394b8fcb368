package settings

import (
	"testing"
)

// A setting that depends on the variant has the variant's value unless somebody sets it.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		set     map[string]string
		opening int
		plies   int
	}{
		{map[string]string{"variant": "international"}, 12, 400},
		{map[string]string{"variant": "russian"}, 8, 256},
		{map[string]string{"variant": "canadian"}, 18, 576},
		{map[string]string{"variant": "canadian", "selfplay.max_plies": "300"}, 18, 300},
		{map[string]string{"variant": "canadian", "selfplay.opening_plies": "7"}, 7, 576},
	} {
		r, err := Resolve(widths{}, Sources{Set: c.set})
		if err != nil || r.SelfPlay.OpeningPlies != c.opening || r.SelfPlay.MaxPlies != c.plies {
			t.Errorf("%v: %d opening plies, %d plies, %v; want %d and %d", c.set, r.SelfPlay.OpeningPlies, r.SelfPlay.MaxPlies, err, c.opening, c.plies)
		}
		if r.Net.Width != 32 || r.Origin["net.width"] != "network" {
			t.Errorf("%v: width %d (%s), want that of the method", c.set, r.Net.Width, r.Origin["net.width"])
		}
	}
}
