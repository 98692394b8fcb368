package engine

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"damier/rules"
)

var update = flag.Bool("update", false, "write levels.json and docs/levels.md anew from the reports in docs/experiments/levels")

// A report of evaluate tournament, as scripts/levels.sh makes it: rank, player, Elo, interval,
// games. The players are n-LEVEL, the NNUE, a-LEVEL, the alpha-beta, and m-LEVEL, the tree search
// over the NNUE.
var reported = regexp.MustCompile(`(?m)^ *\d+  ([amn])-(\d+) +([+-]\d+) +([+-]\d+) to ([+-]\d+) +(\d+) `)

// readReport returns the levels that a report rates, by engine and number.
func readReport(t *testing.T, text string) map[string]map[int]Elo {
	t.Helper()
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	engines := map[string]map[int]Elo{}
	for _, m := range reported.FindAllStringSubmatch(text, -1) {
		engine := map[string]string{"n": "nnue", "a": "alphabeta", "m": "tree"}[m[1]]
		if engines[engine] == nil {
			engines[engine] = map[int]Elo{}
		}
		engines[engine][int(number(m[2]))] = Elo{
			Rating: number(m[3]), Margin: math.Round((number(m[5]) - number(m[4])) / 2), Games: int(number(m[6])),
		}
	}
	return engines
}

// The ratings of the NNUE in levels.json are those of the report of each variant.
func TestReports(t *testing.T) {
	const folder = "../docs/experiments/levels"
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reports in %s: %v", folder, err)
	}
	held, err := readTable(measured)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		variant := strings.TrimSuffix(filepath.Base(file), ".txt")
		seen[variant] = true
		if !strings.HasPrefix(string(text), variant) {
			t.Errorf("%s is a report of another variant: %.40q", file, text)
		}
		said := readReport(t, string(text))
		if len(said["nnue"]) < 8 {
			t.Errorf("%s rates %d levels of the NNUE", file, len(said["nnue"]))
		}
		for engine, levels := range said {
			if *update {
				if held[variant] == nil {
					held[variant] = map[string]map[int]Elo{}
				}
				held[variant][engine] = levels
				continue
			}
			if got := held[variant][engine]; fmt.Sprint(got) != fmt.Sprint(levels) {
				t.Errorf("%s, %s: levels.json has %v, the report %v; go test ./engine -update writes it anew", variant, engine, got, levels)
			}
		}
	}
	for variant, engines := range held {
		if len(engines["nnue"]) > 0 && !seen[variant] {
			t.Errorf("%s has levels of the NNUE and no report", variant)
		}
	}
	if *update {
		if err := os.WriteFile("levels.json", writeTable(t, held), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// writeTable is the text of levels.json: variants in their order, a line for each level.
func writeTable(t *testing.T, table map[string]map[string]map[int]Elo) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("{")
	comma := func(i int) string { return map[bool]string{true: ",\n", false: "\n"}[i > 0] }
	for i, variant := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "%s  %q: {", comma(i), variant)
		for j, engine := range slices.Sorted(maps.Keys(table[variant])) {
			fmt.Fprintf(&b, "%s    %q: {", comma(j), engine)
			levels := table[variant][engine]
			for k, n := range slices.Sorted(maps.Keys(levels)) {
				e := levels[n]
				fmt.Fprintf(&b, `%s      "%d": {"elo": %g, "pm": %g, "games": %d}`, comma(k), n, e.Rating, e.Margin, e.Games)
			}
			b.WriteString("\n    }")
		}
		b.WriteString("\n  }")
	}
	b.WriteString("\n}\n")
	if !json.Valid(b.Bytes()) {
		t.Fatalf("not JSON:\n%s", b.Bytes())
	}
	return b.Bytes()
}

// The tables in docs/levels.md hold the same numbers.
func TestLevelsDocument(t *testing.T) {
	const file = "../docs/levels.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// Not the embedded copy, because -update may just have changed the file.
	numbers, err := os.ReadFile("levels.json")
	if err != nil {
		t.Fatal(err)
	}
	held, err := readTable(numbers)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []struct{ name, words string }{{"nnue", "NNUE"}, {"alphabeta", "alpha-beta"}} {
		var want strings.Builder
		fmt.Fprintf(&want, "| %s |", engine.words)
		for n := 1; n <= Levels(); n++ {
			fmt.Fprintf(&want, " %d |", n)
		}
		fmt.Fprintf(&want, "\n|%s\n", strings.Repeat("---|", Levels()+1))
		for _, variant := range slices.Sorted(slices.Values(rules.Names())) {
			levels := held[variant][engine.name]
			if len(levels) == 0 {
				continue
			}
			fmt.Fprintf(&want, "| %s |", variant)
			for n := 1; n <= Levels(); n++ {
				if e, ok := levels[n]; ok {
					fmt.Fprintf(&want, " %g ± %g", e.Rating, e.Margin)
				}
				want.WriteString(" |")
			}
			want.WriteString("\n")
		}
		start, end, found := strings.Cut(string(text), "| "+engine.words+" |")
		table, rest, closed := strings.Cut(end, "\n\n")
		if !found || !closed {
			t.Fatalf("%s has no table that begins with %q", file, engine.words)
		}
		if "| "+engine.words+" |"+table+"\n" == want.String() {
			continue
		}
		if !*update {
			t.Errorf("%s, %s: go test ./engine -update writes\n%s", file, engine.words, want.String())
			continue
		}
		text = []byte(start + want.String() + "\n" + rest)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
