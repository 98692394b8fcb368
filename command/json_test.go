package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"damier/internal/clitest"
)

// noTable names the commands without --json and says why they need none. A new command is named
// here, or has --json.
var noTable = map[string]string{
	"evaluate openings": "writes a file of openings",
	"export":            "writes a network",
	"lidraughts":        "a bot",
	"man":               "writes man pages",
	"play":              "a game",
	"play dxp":          "a game",
	"play hub":          "a protocol",
	"play lidraughts":   "a bot",
	"play moves":        "always JSON",
	"play perft":        "always JSON",
	"play terminal":     "a game",
	"play tui":          "a game",
	"play web":          "prints an address",
	"selfplay":          "records games",
	"train":             "trains",
	"train bench":       "always JSON",
	"train best":        "prints the name of a file",
	"train card":        "prints a page in Markdown",
	"train dashboard":   "prints an address",
	"train fit":         "always JSON",
	"train games":       "always JSON, or PDN",
	"train nnue":        "says what has taken its place",
	"train plot":        "prints the name of a file",
	"train watch":       "a screen",
}

// withJSON are the arguments with which each command that has --json is tried, in the order of the
// names. They find the files of a game and of a combination, and a run, in the present folder.
var withJSON = map[string]string{
	"analyse":                "game.pdn --player alphabeta:nodes=100",
	"book build":             "--variant english --out made.book --positions 3 --player alphabeta --nodes 50",
	"book probe":             "--variant english",
	"book show":              "--variant english",
	"book verify":            "--variant english",
	"egdb build":             "--variant english --pieces 2 --egdb tables",
	"egdb list":              "--egdb tables",
	"egdb probe":             "--variant english --egdb tables --fen W:WK1:BK32",
	"egdb verify":            "--variant english --egdb tables",
	"evaluate":               "--a random --b random --games 2 --time 1s",
	"evaluate tactics":       "--check one.txt",
	"evaluate tactics solve": "--player random one.txt",
	"evaluate tournament":    "--player a=random --player b=random --games 2 --control 1s --out tournament",
	"selfplay benchmark":     "--seconds 0.000001 --width 32",
	"train cluster status":   "", // needs a hub; package cluster tests it
	"train config":           "--preset day",
	"train verify":           "--run run",
	"version":                "",
}

// walk calls visit with every command that does something, and its name without damier.
func walk(c *cobra.Command, visit func(name string, c *cobra.Command)) {
	for _, sub := range c.Commands() {
		walk(sub, visit)
		if sub.Runnable() && sub.Name() != "help" && !isGroup(sub) {
			visit(strings.TrimPrefix(sub.CommandPath(), c.Root().Name()+" "), sub)
		}
	}
}

// isGroup reports whether a command only holds others.
func isGroup(c *cobra.Command) bool {
	return c.HasSubCommands() && !c.Flags().HasAvailableFlags() && !c.PersistentFlags().HasAvailableFlags()
}

// Every command that prints a table or a report has --json. Others are named in noTable.
func TestJSONIsThere(t *testing.T) {
	var met []string
	walk(New(), func(name string, c *cobra.Command) {
		met = append(met, name)
		has := c.Flags().Lookup("json") != nil
		_, tried := withJSON[name]
		switch why := noTable[name]; {
		case has && why != "":
			t.Errorf("%s has --json, but is said to need none: %s", name, why)
		case has && !tried:
			t.Errorf("%s has --json; say in withJSON how to try it", name)
		case !has && why == "":
			t.Errorf("%s has no --json; if it prints no table, say so in noTable", name)
		}
	})
	for _, names := range []map[string]string{noTable, withJSON} {
		for name := range names {
			if !slices.Contains(met, name) {
				t.Errorf("there is no command %q", name)
			}
		}
	}
}

// What the commands print with --json is JSON and nothing else.
func TestJSONIsJSON(t *testing.T) {
	dir := t.TempDir()
	collection, err := os.ReadFile("../tactics/tactics.txt")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(collection), "\n")
	i := strings.Index(rest, "english\t")
	one, _, _ := strings.Cut(rest[i:], "\n")
	for name, text := range map[string]string{
		"game.pdn": "[GameType \"20\"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n",
		"one.txt":  head + "\n" + one + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(line string) []byte {
		t.Helper()
		c := clitest.Command(t, "damier", strings.Fields(line)...)
		c.Dir = dir
		c.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir)
		var talk bytes.Buffer
		c.Stderr = &talk
		out, err := c.Output()
		if err != nil {
			t.Errorf("damier %s: %v\n%s", line, err, talk.Bytes())
		}
		return out
	}
	run("train --preset tiny --generations 1 --run run --quiet")
	for _, name := range slices.Sorted(maps.Keys(withJSON)) {
		if name == "train cluster status" {
			continue
		}
		line := name + " --json " + withJSON[name]
		out := run(line)
		values := json.NewDecoder(bytes.NewReader(out))
		n := 0
		for ; ; n++ {
			var v any
			if err := values.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("damier %s: %v in\n%s", line, err, out)
				break
			}
		}
		if n == 0 {
			t.Errorf("damier %s prints nothing", line)
		}
	}
}
