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
// in model.nnue, and the NNUE of Russian draughts in own.nnue.
func TestScripts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.nnue")
	if err := nnue.New(rules.International, 32, 1).SaveFile(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("../../models/russian.nnue")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, map[string][]byte{"model.nnue": text, "own.nnue": own})
}
