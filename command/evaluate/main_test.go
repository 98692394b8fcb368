package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
	"damier/net/nnue"
	"damier/rules"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hub-program" {
		serveHub()
	}
	clitest.Main(m, "evaluate", func() { os.Exit(cli.Main(newCommand())) })
}

// TestScripts runs the command as a user does. Each script has a small model with random weights
// in model.nnue, the NNUE of Russian draughts in own.nnue and that of Frysk! in frysk.nnue.
func TestScripts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.nnue")
	if err := nnue.New(rules.International, 32, 1).SaveFile(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string][]byte{"model.nnue": text}
	for name, variant := range map[string]string{"own.nnue": "russian", "frysk.nnue": "frysk"} {
		if given[name], err = os.ReadFile("../../models/" + variant + ".nnue"); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Run(t, given)
}
