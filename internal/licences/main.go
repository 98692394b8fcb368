// Licences writes THIRD_PARTY.md: every module that is linked into the programs, on any of the
// systems that are released, with its licence. A text that several modules share is printed once.
//
//	go run ./internal/licences          # writes THIRD_PARTY.md in the present folder
//	go run ./internal/licences --check  # says whether it is as it should be; exit code 1 if not
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const file = "THIRD_PARTY.md"

// systems are those that are released.
var systems = []string{"linux", "windows", "darwin"}

func main() {
	text, err := page()
	if err == nil && len(os.Args) > 1 && os.Args[1] == "--check" {
		var is []byte
		if is, err = os.ReadFile(file); err == nil && !bytes.Equal(is, text) {
			err = errors.New(file + " is not what is linked in; go run ./internal/licences writes it")
		}
	} else if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// module is one that is linked in.
type module struct{ path, version, dir string }

// modules returns those of all programs, by their paths.
func modules() ([]module, error) {
	all := map[string]module{}
	for _, system := range systems {
		c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}", "./cmd/...")
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for _, line := range strings.Split(string(out), "\n") {
			if f := strings.Split(line, "\t"); len(f) == 3 && f[1] != "" {
				all[f[0]] = module{f[0], f[1], f[2]}
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b module) int { return cmp.Compare(a.path, b.path) }), nil
}

// texts returns the licence of a module: the files in its folder that are named as one, or what
// its README says.
func (m module) texts() ([]string, error) {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !e.Type().IsRegular() || !slices.ContainsFunc([]string{"licen", "copying", "notice"}, func(s string) bool { return strings.HasPrefix(name, s) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(texts) > 0 {
		return texts, nil
	}
	readme, err := os.ReadFile(filepath.Join(m.dir, "README.md"))
	_, said, ok := strings.Cut(string(readme), "\n## License\n")
	if err != nil || !ok {
		return nil, fmt.Errorf("%s %s tells no licence in its folder", m.path, m.version)
	}
	return []string{"From its README.md:\n\n## License\n" + strings.TrimRight(said, "\n")}, nil
}

// page returns what THIRD_PARTY.md holds.
func page() ([]byte, error) {
	all, err := modules()
	if err != nil {
		return nil, err
	}
	var w, appendix bytes.Buffer
	io.WriteString(&w, "# What is linked into Damier\n\nThe programs contain these modules besides the standard library of Go (BSD, the Go Authors). `go run ./internal/licences` writes this page; CI checks it.\n\n| module | version | licence below |\n|---|---|---|\n")
	numbers := map[[32]byte]int{}
	for _, m := range all {
		texts, err := m.texts()
		if err != nil {
			return nil, err
		}
		var places []string
		for _, text := range texts {
			sum := sha256.Sum256([]byte(text))
			n, known := numbers[sum]
			if !known {
				n = len(numbers) + 1
				numbers[sum] = n
				fmt.Fprintf(&appendix, "\n## Licence %d\n\n```text\n%s\n```\n", n, strings.ReplaceAll(text, "```", "'''"))
			}
			places = append(places, fmt.Sprintf("[%d](#licence-%d)", n, n))
		}
		fmt.Fprintf(&w, "| `%s` | %s | %s |\n", m.path, m.version, strings.Join(places, ", "))
	}
	w.Write(appendix.Bytes())
	return w.Bytes(), nil
}
