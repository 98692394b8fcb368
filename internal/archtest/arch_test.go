package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// floors says on which floor each package stands.
var floors = map[string]int{
	"rules":         0,
	"internal/simd": 0,
	"internal/cli":  0,

	"internal/standby": 0,
	"internal/usage":   0,
	"internal/shell":   0,
	"internal/clitest": 0,
	"internal/publish": 0,
	"internal/files":   0,
	"internal/plain":   0,
	"internal/chart":   0,

	"internal/licences": 0,

	"mcts":                1,
	"alphabeta":           1,
	"data":                1,
	"notation":            1,
	"protocol/hub":        1,
	"protocol/lidraughts": 1,
	"protocol/dxp":        1,

	"net":       2,
	"net/train": 2,
	"selfplay":  2,
	"arena":     2,
	"engine":    2,
	"tactics":   2,
	"net/nnue":  2,
	"egdb":      2,
	"book":      2,
	"web":       2,

	"arena/tournament":  2,
	"notation/gamefile": 2,

	"models":           3,
	"book/played":      3,
	"engine/open":      3,
	"net/onnx":         3,
	"review":           3,
	"learner":          3,
	"learner/sparse":   3,
	"learner/settings": 3,
	"learner/journal":  2,
	"cluster":          3,

	"web/searches":  3,
	"web/tactics":   3,
	"web/board":     3,
	"web/dashboard": 3,
	"web/webtest":   3,
	"web/page":      3,

	"web/page/build": 4,

	"tui":       3,
	"tui/quiet": 3,
	"tui/watch": 3,

	"command/train":    4,
	"command/selfplay": 4,
	"command/play":     4,
	"command/evaluate": 4,
	"command/egdb":     4,
	"command/book":     4,
	"command/analyse":  4,
	"command/export":   4,
	"command/version":  4,

	"command": 5,

	"cmd/damier":   6,
	"cmd/train":    6,
	"cmd/selfplay": 6,
	"cmd/play":     6,
	"cmd/evaluate": 6,
	"cmd/egdb":     6,

	"drill": 4,
}

// neighbours lists the allowed imports within a floor, with the reason.
var neighbours = map[string]bool{
	"internal/cli > internal/plain":     true, // errors quote text from outside
	"web/board > review":                true, // it shows reviews
	"internal/cli > rules":              true, // the flag that names a variant
	"tactics > engine":                  true, // an engine rates the difficulty
	"arena/tournament > arena":          true, // results of its matches
	"engine/open > models":              true, // the networks that come with the program
	"net/train > net":                   true, // trains it
	"net/train > net/nnue":              true, // trains this network
	"net/nnue > net":                    true, // its files
	"protocol/hub > notation":           true, // moves as text
	"web/tactics > web/searches":        true, // its searches run there
	"web/board > web/searches":          true, // the same
	"web/webtest > web/searches":        true, // networks for the tests of those who search there
	"web/board > web/tactics":           true, // serves the page of tactics too
	"tui > tui/quiet":                   true, // must be initialised before the library
	"web/page > models":                 true, // the networks that come with the program
	"tui/watch > tui":                   true, // the same screen
	"cluster > learner":                 true, // uses the settings of a run
	"learner/sparse > learner":          true, // the method implements the loop's interfaces
	"learner > learner/settings":        true, // the settings of its runs
	"learner/sparse > learner/settings": true, // the settings that the method prefers
	"cluster > learner/settings":        true, // the settings of a run
}

// only lists the packages whose imports from the module are fixed: the boundaries of the design.
var only = map[string][]string{
	"rules":               {},
	"internal/simd":       {},
	"mcts":                {"rules", "internal/simd", "internal/standby"},
	"alphabeta":           {"rules", "internal/simd"},
	"data":                {"rules", "internal/simd", "internal/publish", "internal/files"},
	"notation":            {"rules"},
	"protocol/hub":        {"rules", "notation", "internal/plain"},
	"protocol/dxp":        {"rules"},
	"protocol/lidraughts": {"rules", "internal/plain"},
	"net/onnx":            {"rules", "net/nnue"},
	"selfplay":            {"rules", "mcts", "alphabeta", "data"},
	"learner": {"rules", "mcts", "alphabeta", "engine", "data", "notation", "selfplay", "arena", "egdb", "learner/settings", "learner/journal",
		"internal/publish", "internal/files", "internal/chart", "internal/usage", "internal/shell"},
	"learner/journal":   {"rules", "internal/files", "internal/publish", "internal/chart"},
	"learner/settings":  {"rules", "mcts", "data", "selfplay", "arena", "internal/files", "internal/usage", "internal/shell"},
	"internal/shell":    {},
	"arena":             {"rules", "alphabeta", "notation"},
	"arena/tournament":  {"rules", "notation", "arena", "internal/publish", "internal/files", "internal/chart"},
	"engine":            {"rules", "mcts", "alphabeta"},
	"tactics":           {"rules", "engine", "notation"},
	"net/nnue":          {"rules", "alphabeta", "mcts", "net", "internal/publish", "internal/files", "internal/simd"},
	"egdb":              {"rules", "internal/publish", "internal/files"},
	"command/egdb":      {"rules", "egdb", "internal/cli"},
	"book":              {"rules", "internal/publish", "internal/files"},
	"book/played":       {"rules", "notation", "book", "internal/files"},
	"command":           {"internal/cli", "command/train", "command/selfplay", "command/evaluate", "command/play", "command/egdb", "command/book", "command/analyse", "command/export", "command/version"},
	"notation/gamefile": {"notation", "internal/publish", "internal/files"},
	"cmd/damier":        {"internal/cli", "command"},
	"web":               {"rules", "notation"},
	"web/searches":      {"rules", "engine"},
	"web/tactics":       {"rules", "engine", "notation", "tactics", "web", "web/searches"},
	"web/board":         {"rules", "engine", "notation", "web", "web/searches", "web/tactics", "review"},
	"web/dashboard":     {"rules", "mcts", "notation", "web"},
	"web/page":          {"rules", "mcts", "alphabeta", "engine", "net/nnue", "models", "web"},
	"web/page/build":    {"internal/publish", "web/page"},
	"web/webtest":       {"rules", "mcts", "engine", "web", "web/searches"},
	"review":            {"rules", "engine", "notation", "tactics"},
	"tui":               {"rules", "notation", "tui/quiet"},
	"tui/quiet":         {},
}

// outside lists the packages that alone may import a module from outside, by path prefix.
var outside = map[string][]string{
	"gorgonia.org/":                      {"net/train"},
	"github.com/parquet-go/":             {"data"},
	"github.com/schollz/progressbar":     {"internal/cli", "learner", "command/evaluate", "command/selfplay", "command/train", "command/play", "command/egdb", "command/book", "command/analyse"},
	"github.com/spf13/cobra":             {"internal/cli", "command", "command/train", "command/selfplay", "command/play", "command/evaluate", "command/egdb", "command/book", "command/analyse", "command/export", "command/version"},
	"github.com/rogpeppe/go-internal":    {"internal/clitest"},
	"gonum.org/v1/plot":                  {"internal/chart", "drill", "learner/journal", "arena/tournament"},
	"github.com/charmbracelet/":          {"tui", "tui/quiet", "tui/watch"},
	"github.com/muesli/termenv":          {"tui"},
	"github.com/nats-io/":                {"cluster"},
	"github.com/klauspost/compress":      {"cluster"},
	"unsafe":                             {"internal/simd"},
	"golang.org/x/sys/cpu":               {"internal/simd"},
	"go4.org/unsafe/assume-no-moving-gc": {},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

const module = "damier"

// packages returns all packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listed asks the go command once for all tests.
var listed = sync.OnceValues(func() (all []pkg, err error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
})

func TestImportsGoDown(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if name == "internal/archtest" {
			continue
		}
		floor, ok := floors[name]
		if !ok {
			t.Errorf("%s stands on no floor: give it a place in the drawing", name)
			continue
		}
		seen[name] = true
		for _, path := range p.Imports {
			other, inside := strings.CutPrefix(path, module+"/")
			if !inside {
				continue
			}
			if floors[other] > floor || floors[other] == floor && !neighbours[name+" > "+other] {
				t.Errorf("%s (floor %d) imports %s (floor %d)", name, floor, other, floors[other])
			}
			if allowed, limited := only[name]; limited && !contains(allowed, other) {
				t.Errorf("%s imports %s; it may know only %v", name, other, allowed)
			}
		}
	}
	for name := range floors {
		if !seen[name] {
			t.Errorf("%s is in the drawing and not in the module", name)
		}
	}
}

func TestOutsideImportsStayInTheirPlace(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, path := range p.Imports {
			for prefix, allowed := range outside {
				if strings.HasPrefix(path, prefix) && !contains(allowed, name) {
					t.Errorf("%s imports %s; only %v may", name, path, allowed)
				}
			}
			if name == "rules" && strings.Contains(path, ".") {
				t.Errorf("rules imports %s; it may import the standard library only", path)
			}
		}
	}
}

// TestMap checks docs/packages.md: it lists every package once, from the lowest floor up.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../../docs/packages.md")
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, ok := strings.Cut(string(text), "# The packages")
	if !ok {
		t.Fatal("docs/packages.md has no section about the packages")
	}
	last := 0
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if n := strings.Count(drawing, "| `"+name+"` |"); n != 1 {
			t.Errorf("docs/packages.md: %s stands in the map %d times, want once", name, n)
		}
	}
	for _, line := range strings.Split(drawing, "\n") {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` |")
		if floor, known := floors[name]; ok && known && strings.HasPrefix(line, "| `") {
			if floor < last {
				t.Errorf("docs/packages.md: %s (floor %d) stands above a package of floor %d", name, floor, last)
			}
			last = floor
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// TestFoldersFormNoCircle checks that the imports of the top folders form no cycle either, so that
// the folders can be read one after another, from the lowest up.
func TestFoldersFormNoCircle(t *testing.T) {
	imports := map[string]map[string]string{}
	for _, p := range packages(t) {
		from := folder(p.ImportPath)
		for _, path := range p.Imports {
			if to := folder(path); to != "" && to != from {
				if imports[from] == nil {
					imports[from] = map[string]string{}
				}
				imports[from][to] = p.ImportPath + " imports " + path
			}
		}
	}
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(string, []string)
	visit = func(name string, way []string) {
		state[name] = open
		for to, because := range imports[name] {
			switch way := append(way, because); state[to] {
			case open:
				t.Errorf("the folder %s imports itself: %s", to, strings.Join(way, ", "))
			case 0:
				visit(to, way)
			}
		}
		state[name] = done
	}
	for name := range imports {
		if state[name] == 0 {
			visit(name, nil)
		}
	}
}

// folder returns the first folder of the path of one of our packages, "" for others.
func folder(path string) string {
	inside, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return ""
	}
	first, _, _ := strings.Cut(inside, "/")
	return first
}
