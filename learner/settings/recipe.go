package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"damier/internal/shell"
)

// budgetKeys are the keys that set the length of a run.
var budgetKeys = map[string]bool{"minutes": true, "cpu_minutes": true, "generations": true}

// Recipe describes the settings of a run: the preset nearest to them, and the differences from it.
type Recipe struct {
	Variant string
	Preset  string
	Set     []string // KEY=VALUE, ascending, without the length of the run
}

// Recipe returns the shortest recipe for the settings of a run of the method, without the length
// of the run.
func (c Config) Recipe(m Method) (Recipe, error) {
	var best Recipe
	want := flatten(&c)
	for _, name := range PresetNames() {
		r, err := Resolve(m, Sources{Preset: name, Set: map[string]string{"variant": c.Variant, "selfplay.search": c.SelfPlay.Search}})
		if err != nil {
			return Recipe{}, err
		}
		is := flatten(&r.Config)
		set := []string{}
		if c.SelfPlay.Search != Default().SelfPlay.Search {
			set = append(set, "selfplay.search="+c.SelfPlay.Search)
		}
		for _, k := range sortedKeys(want) {
			if !budgetKeys[k] && want[k].String() != is[k].String() {
				set = append(set, k+"="+want[k].text())
			}
		}
		slices.Sort(set)
		if best.Preset == "" || len(set) < len(best.Set) {
			best = Recipe{c.Variant, name, set}
		}
	}
	return best, nil
}

// Command returns the train command that follows the recipe with a budget of CPU time.
func (r Recipe) Command(cpuMinutes float64) string {
	words := []string{"train", "--variant", r.Variant, "--preset", r.Preset, "--cpu-minutes", strconv.FormatFloat(cpuMinutes, 'g', -1, 64)}
	for _, kv := range r.Set {
		words = append(words, "--set", shell.Word(kv))
	}
	return strings.Join(words, " ")
}

// Asked returns the settings that come from a file, the environment or a flag, as values for a
// flag.
func (r *Resolved) Asked() map[string]string {
	asked := map[string]string{}
	for k, v := range flatten(&r.Config) {
		for _, from := range []string{"flag", "environment ", "file "} {
			if strings.HasPrefix(r.Origin[k], from) {
				asked[k] = v.text()
			}
		}
	}
	return asked
}

// text returns the value as [key.set] reads it.
func (k key) text() string {
	if list, ok := k.v.Interface().([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(k.v.Interface())
}
