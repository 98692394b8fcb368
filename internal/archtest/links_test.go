package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	unsaid  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the fragments that code hosts make for the headings of a page.
func anchors(page string) map[string]bool {
	said := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := linked.ReplaceAllString(m[1], "$1")
		name := strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(text), ""), " ", "-")
		for n, first := 1, name; said[name]; n++ {
			name = fmt.Sprintf("%s-%d", first, n)
		}
		said[name] = true
	}
	return said
}

// deadLinks returns the links in the pages below a folder whose file, folder or heading does not
// exist.
func deadLinks(root string) (pages int, dead []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "runs") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		pages++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			file, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue // a link out of the project
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				dead = append(dead, fmt.Sprintf("%s: %s is not there", path, m[1]))
				continue
			}
			if fragment == "" || filepath.Ext(target) != ".md" {
				continue
			}
			there, err := os.ReadFile(target)
			if err != nil {
				return err
			}
			if !anchors(string(there))[fragment] {
				dead = append(dead, fmt.Sprintf("%s: %s has no heading %q", path, target, fragment))
			}
		}
		return nil
	})
	return pages, dead, err
}

// Every link of a page within the project has a target.
func TestLinks(t *testing.T) {
	pages, dead, err := deadLinks("../..")
	if err != nil {
		t.Fatal(err)
	}
	if pages < 10 {
		t.Errorf("only %d pages were found", pages)
	}
	for _, d := range dead {
		t.Error(d)
	}
}

// deadLinks finds each dead link of a page.
func TestDeadLinks(t *testing.T) {
	dir := t.TempDir()
	page := "# Here, and *there*\n\n## Twice\n\n## Twice\n\n[a](#here-and-there) [b](#twice-1) [c](page.md#twice) [d](https://example.org/x.md#y)\n" +
		"[e](#twice-2) [f](none.md) [g](page.md#none)\n\n```\n[h](none.md)\n# no heading\n```\n"
	if err := os.WriteFile(filepath.Join(dir, "page.md"), []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	_, dead, err := deadLinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(dead) != 3 || !strings.Contains(dead[0], "twice-2") || !strings.Contains(dead[1], "none.md") || !strings.Contains(dead[2], `"none"`) {
		t.Errorf("dead: %q", dead)
	}
}
