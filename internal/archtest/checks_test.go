package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	checked  = regexp.MustCompile("`(?:[A-Z_]+=\\S+ )?go test ((?:-\\S+ |\\./\\S+ ?)+?)(?:-run '?([^ '`]+)'?[^`]*)?`")
	testName = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
)

// TestChecks checks that every package and every test that docs/checks.md names exists.
func TestChecks(t *testing.T) {
	text, err := os.ReadFile("../../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range checked.FindAllStringSubmatch(string(text), -1) {
		found++
		names := ""
		for _, word := range strings.Fields(m[1]) {
			if !strings.HasPrefix(word, "./") {
				continue
			}
			folder, all := strings.CutSuffix(filepath.Join("../..", word), "/...")
			err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
				switch {
				case err != nil:
					return err
				case d.IsDir() && path != folder && !all:
					return filepath.SkipDir
				case !strings.HasSuffix(path, "_test.go"):
					return nil
				}
				code, err := os.ReadFile(path)
				for _, n := range testName.FindAllStringSubmatch(string(code), -1) {
					names += n[1] + "\n"
				}
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", m[0], err)
			}
			if names == "" {
				t.Errorf("%s: %s has no tests", m[0], word)
			}
		}
		for _, run := range strings.FieldsFunc(m[2], func(c rune) bool { return c == '|' }) {
			name, _, _ := strings.Cut(run, "/")
			if !regexp.MustCompile(name).MatchString(names) {
				t.Errorf("%s: there is no test %s", m[0], name)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands are found", found)
	}
}
