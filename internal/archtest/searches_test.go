package archtest

import (
	"strings"
	"testing"
)

// searchers lists the packages that may import the two searches, each with its reason. All other
// packages use an engine.Engine.
var searchers = map[string]map[string]string{
	"mcts": {
		"engine":           "makes engines of it",
		"engine/open":      "reads its settings",
		"web/page":         "makes its engine where the package engine/open does not build",
		"net/nnue":         "its evaluator, one ply ahead, and the constants tuned for it",
		"selfplay":         "plays games for training by it",
		"learner":          "who judges positions for an onlooker",
		"learner/settings": "the keys of its configuration",
		"learner/sparse":   "plays and judges in a run by it",
		"web/webtest":      "a network of even values, for tests of the pages",
		"web/dashboard":    "the dashboard asks the network of a run about a position",
		"drill":            "gives it hostile inputs",
		"command/selfplay": "measures its speed",
		"command/train":    "hands its evaluator to the dashboard",
	},
	"alphabeta": {
		"engine":      "makes engines of it",
		"engine/open": "reads its settings",
		"web/page":    "makes its engine where the package engine/open does not build",
		"net/nnue":    "is its evaluation",
		"arena":       "makes balanced openings by it",
		"learner":     "the ladder's baseline",
		"selfplay":    "plays games for training by it",
	},
}

// TestSearchesAreBehindEngine forbids the imports that searchers does not list, and entries
// without one.
func TestSearchesAreBehindEngine(t *testing.T) {
	seen := map[string]map[string]bool{"mcts": {}, "alphabeta": {}}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, path := range p.Imports {
			search := strings.TrimPrefix(path, module+"/")
			allowed, is := searchers[search]
			if !is {
				continue
			}
			seen[search][name] = true
			if allowed[name] == "" {
				t.Errorf("%s imports %s: hold an engine.Engine instead", name, search)
			}
		}
	}
	for search, allowed := range searchers {
		for name := range allowed {
			if !seen[search][name] {
				t.Errorf("%s may import %s and does not: strike it off the list", name, search)
			}
		}
	}
}
