package rules

import "testing"

// Every variant has a tuning, every tuning a variant, and what it names is there.
func TestTuningNamesVariants(t *testing.T) {
	for name, tuning := range tunings {
		if _, err := Lookup(name, nil); err != nil {
			t.Errorf("tuning of %q: %v", name, err)
		}
		if tuning.StandIn != "" {
			if _, err := Lookup(tuning.StandIn, nil); err != nil {
				t.Errorf("stand-in of %q: %v", name, err)
			}
		}
	}
	orders := map[int]string{}
	for _, name := range Names() {
		v, err := Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tunings[name]; !ok {
			t.Errorf("%s has no tuning", name)
		}
		tuning := v.Tuning()
		if tuning.Search != TreeSearch && tuning.Search != AlphaBetaSearch {
			t.Errorf("%s: search %q", name, tuning.Search)
		}
		if n := tuning.HubOrder; n > 0 {
			if orders[n] != "" {
				t.Errorf("%s and %s both have place %d of Hub", name, orders[n], n)
			}
			orders[n] = name
		}
	}
}
