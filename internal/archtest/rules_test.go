package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// sources calls visit with every file of the program, tests left out.
func sources(t *testing.T, visit func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == "testdata" {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		seen++
		visit(path, set, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Fatalf("only %d files of the program were found", seen)
	}
}

// calls returns the calls in a file of functions of packages, as "path.Name", with their places.
func calls(file *ast.File) map[token.Pos]string {
	imports := map[string]string{}
	for _, i := range file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = path
	}
	found := map[token.Pos]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
				found[s.Pos()] = imports[x.Name] + "." + s.Sel.Name
			}
		}
		return true
	})
	return found
}

// TestNoPathIsAPattern forbids glob functions in the program: a path that a person gives may hold
// any character, and a pattern made of it has once deleted the files of another run.
// internal/files.List reads a folder.
func TestNoPathIsAPattern(t *testing.T) {
	forbidden := map[string]bool{"path/filepath.Glob": true, "io/fs.Glob": true, "path/filepath.Match": true, "os.DirFS": true}
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		for at, name := range calls(file) {
			if forbidden[name] {
				t.Errorf("%s: %s takes a path for a pattern; list the folder with internal/files.List", set.Position(at), name)
			}
		}
	})
}
