package settings

import (
	"strings"
	"testing"
)

// TestRecipe: a recipe restores the settings it was made from, and contains no more than is
// needed.
func TestRecipe(t *testing.T) {
	for _, c := range []struct {
		sources Sources
		preset  string
		set     string // joined by spaces
	}{
		{Sources{}, "hour", ""},
		{Sources{Preset: "quick", Set: map[string]string{"variant": "turkish", "minutes": "0", "cpu_minutes": "30"}}, "quick", ""},
		{Sources{Preset: "day", Set: map[string]string{"variant": "canadian", "seed": "3"}}, "day", "seed=3"},
		{Sources{Preset: "tiny", Set: map[string]string{"evaluation.rungs": "random,alphabeta:depth=1", "generations": "7"}}, "tiny", "evaluation.rungs=random,alphabeta:depth=1"},
		{Sources{Preset: "tiny", Set: map[string]string{"variant": "russian", "selfplay.visits": "0:16,1000:64", "net.width": "96"}},
			"tiny", "net.width=96 selfplay.visits=0:16,1000:64"},
		{Sources{Preset: "day", Set: map[string]string{"variant": "frisian", "selfplay.search": "alphabeta", "selfplay.depth": "4"}}, "day", "selfplay.depth=4 selfplay.search=alphabeta"},
		{Sources{Preset: "week", Set: map[string]string{"options": "draws=immediate"}}, "week", "options=draws=immediate"},
	} {
		want, err := Resolve(widths{}, c.sources)
		if err != nil {
			t.Fatal(err)
		}
		r, err := want.Recipe(widths{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Set, " "); r.Preset != c.preset || got != c.set {
			t.Errorf("%+v: preset %s and %q, want %s and %q", c.sources, r.Preset, got, c.preset, c.set)
		}
		again := Sources{Preset: r.Preset, Set: map[string]string{"variant": r.Variant}}
		for _, kv := range r.Set {
			k, v, _ := strings.Cut(kv, "=")
			again.Set[k] = v
		}
		for _, k := range []string{"minutes", "cpu_minutes", "generations"} {
			again.Set[k] = flatten(&want.Config)[k].text()
		}
		got, err := Resolve(widths{}, again)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := flatten(&want.Config), flatten(&got.Config); len(a) > 0 {
			for k := range a {
				if a[k].String() != b[k].String() {
					t.Errorf("%+v: made again, %s is %s, was %s", c.sources, k, b[k], a[k])
				}
			}
		}
	}
}

func TestRecipeCommand(t *testing.T) {
	r := Recipe{Variant: "russian", Preset: "quick", Set: []string{"seed=3", "evaluation.rungs=random,alphabeta:depth=1", "options=a b'c"}}
	want := `train --variant russian --preset quick --cpu-minutes 30.5 --set seed=3 --set evaluation.rungs=random,alphabeta:depth=1 --set 'options=a b'\''c'`
	if got := r.Command(30.5); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
