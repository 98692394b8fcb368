package web_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"damier/notation"
	"damier/rules"
	"damier/web"
)

// messageFolders are the packages whose errors reach a page.
var messageFolders = []string{"rules", "notation", "web", "book/played"}

// makers are the functions that make a message, by name, with the position of the format.
var makers = map[string]int{"Messagef": 0, "SayNow": 0, "Refuse": 2, "errorf": 2, "fail": 1}

// formats returns the formats of all messages in the code, with the place of each. A format that is
// no constant is an error, unless the function is a maker itself.
func formats(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	set := token.NewFileSet()
	for _, folder := range messageFolders {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				within := ""
				if f, ok := d.(*ast.FuncDecl); ok {
					within = f.Name.Name
				}
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					name := ""
					switch f := call.Fun.(type) {
					case *ast.Ident:
						name = f.Name
					case *ast.SelectorExpr:
						name = f.Sel.Name
					}
					at, is := makers[name]
					if !is || at >= len(call.Args) {
						return true
					}
					text, literal := call.Args[at].(*ast.BasicLit)
					if _, maker := makers[within]; !literal && !maker {
						t.Errorf("%s: the format of %s is no constant", set.Position(call.Pos()), name)
					}
					if literal && text.Kind == token.STRING {
						format, err := strconv.Unquote(text.Value)
						if err != nil {
							t.Fatal(err)
						}
						found[format] = set.Position(call.Pos()).String()
					}
					return true
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

var (
	verb        = regexp.MustCompile(`%(?:\.[0-9]+)?[a-z]`)
	placeholder = regexp.MustCompile(`\{[0-9]+\}`)
)

// TestMessages: every message of the rules, the notation and the servers has a text in each
// language, with the same values, and there is no text for anything else.
func TestMessages(t *testing.T) {
	all := formats(t)
	if len(all) < 100 {
		t.Errorf("only %d messages are found", len(all))
	}
	for _, language := range []string{"fr", "nl"} {
		text, err := fs.ReadFile(web.Common, "said/"+language+".json")
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(text, &texts); err != nil {
			t.Fatalf("said/%s.json: %v", language, err)
		}
		for format, place := range all {
			words := strings.ContainsFunc(verb.ReplaceAllString(format, ""), func(c rune) bool { return c >= 'a' && c <= 'z' })
			said, there := texts[format]
			switch {
			case !words:
				continue // it only joins other messages
			case !there:
				t.Errorf("%s: said/%s.json has no text for %q", place, language, format)
			}
			if !there {
				continue
			}
			got := placeholder.FindAllString(said, -1)
			slices.Sort(got)
			got = slices.Compact(got)
			var want []string
			for i := range verb.FindAllString(format, -1) {
				want = append(want, "{"+strconv.Itoa(i)+"}")
			}
			if !slices.Equal(got, want) {
				t.Errorf("said/%s.json: the text for %q has the values %v, want %v", language, format, got, want)
			}
		}
		for format := range texts {
			if all[format] == "" {
				t.Errorf("said/%s.json: nothing says %q", language, format)
			}
		}
	}
	if name := os.Getenv("DAMIER_MESSAGES"); name != "" { // a list for translators
		keys := []string{}
		for format := range all {
			keys = append(keys, format)
		}
		slices.Sort(keys)
		list, err := json.MarshalIndent(keys, "", " ")
		if err == nil {
			err = os.WriteFile(name, list, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSaidWhole: of errors that arise in all variants nothing stays English: every part has a
// translation, and the values are squares, moves, names of variants and options, and what the
// person wrote.
func TestSaidWhole(t *testing.T) {
	text, err := fs.ReadFile(web.Common, "said/nl.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	names := rules.Names()
	english := regexp.MustCompile(`[a-z]{3,}`)
	var check func(whole string, s web.Said)
	check = func(whole string, s web.Said) {
		words := english.MatchString(verb.ReplaceAllString(s.Say, ""))
		if s.Say == "" || words && texts[s.Say] == "" {
			t.Errorf("%q: %q is not translated", whole, s.Text)
		}
		for _, value := range s.Values {
			switch value := value.(type) {
			case web.Said:
				check(whole, value)
			case string:
				for _, word := range english.FindAllString(value, -1) {
					quoted, option := strings.HasPrefix(value, `"`), strings.Contains(value, "=")
					if !quoted && !option && !slices.Contains(names, word) {
						t.Errorf("%q: the value %q is not translated", whole, value)
						break
					}
				}
			}
		}
	}
	said := map[string]bool{}
	see := func(err error) {
		if err == nil || said[err.Error()] {
			return
		}
		said[err.Error()] = true
		check(err.Error(), web.Say(err))
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, name := range names {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(v)
		for range 40 {
			if g.Over() {
				g.Reset(v.Start())
			}
			legal := g.Legal()
			if err := g.Play(legal[random.IntN(len(legal))]); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				n := v.Board.Squares()
				from, to := rules.Square(1+random.IntN(n)), rules.Square(1+random.IntN(n))
				if why := notation.Why(v, g.Position(), from, to); why != nil {
					see(why)
				}
			}
			for _, text := range []string{"", "x", "1", "1-", "1-99", "1+2", "1x2-3", "32x23<24", "a1b2", "z9-z8", "20-24x30"} {
				_, err := notation.ParseMove(v, g.Position(), text)
				see(err)
			}
			fen := []byte(v.FEN(g.Position()))
			for range 10 {
				fen[random.IntN(len(fen))] = "WB:,K0123456789-?.Hx+ "[random.IntN(22)]
				_, err := rules.ParseFEN(v, string(fen))
				see(err)
			}
		}
		for _, pdn := range []string{
			"1. 1-50 *", "[GameType \"99\"] 1. 32-28 *", "[GameType \"x\"] 1. 32-28 *", "[Variant \"english\"] 1. 32-28 *",
			"( *", ") *", "{ *", "[Event *", "[Event \"x *", "$x *", "[FEN \"W:W1:B1\"] *", "@", "1. 32-28 (", "[VariantOptions \"x=y\"] 1. 32-28 *",
		} {
			_, err := notation.Parse(v, pdn)
			see(err)
		}
		_, err = rules.Lookup(name, rules.Options{"x": "y"})
		see(err)
	}
	if len(said) < 1000 {
		t.Errorf("only %d errors have arisen", len(said))
	}
}
