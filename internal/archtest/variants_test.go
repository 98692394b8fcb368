package archtest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"damier/rules"
)

// namesVariants lists the files outside rules that may name a variant, each with the reason.
var namesVariants = map[string]string{
	"alphabeta/fitted.go": "weights of the frozen baseline, a table by variant",
	"drill/classes.go":    "hostile inputs, which name variants as users do",
	"drill/corpus.go":     "the same, for the corpora of fuzz tests",
	"drill/damage.go":     "the files that it damages are of some variant",
}

// TestVariantsAreNamedInRulesAlone forbids the name of a variant as a string, and the variable of
// a variant, outside rules: a variant is data, and what is special about it is in its fields and
// in its tuning. International draughts is the default of flags and the game of DXP, so it may be
// named.
func TestVariantsAreNamedInRulesAlone(t *testing.T) {
	known := map[string]bool{}
	for _, name := range rules.Names() {
		known[name] = true
	}
	common := rules.International.Name
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		name, err := filepath.Rel("../..", path)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(name, "rules/") || namesVariants[name] != "" {
			return
		}
		for at, called := range calls(file) {
			variable, ok := strings.CutPrefix(called, module+"/rules.")
			if ok && known[strings.ToLower(variable)] && strings.ToLower(variable) != common {
				t.Errorf("%s: rules.%s is a variant; say what is special about it in rules/tuning.go", set.Position(at), variable)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(l.Value); err == nil && known[text] && text != common {
				t.Errorf("%s: %q is a variant; say what is special about it in rules/tuning.go", set.Position(l.Pos()), text)
			}
			return true
		})
	})
}
