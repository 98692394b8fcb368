package evaluate

import (
	"os"
	"path/filepath"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
	"damier/net"
	"damier/rules"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hub-program" {
		serveHub()
	}
	clitest.Main(m, "evaluate", func() { os.Exit(cli.Main(newCommand())) })
}

// TestScripts runs the command as a user does. Each script finds a small model with random weights in
// model.safetensors, and in own.nnue the NNUE of Russian draughts.
func TestScripts(t *testing.T) {
	m, err := net.NewModel(rules.International, net.Config{Arch: "mlp"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.SaveFile(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("../../../models/russian.nnue")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, map[string][]byte{"model.safetensors": text, "own.nnue": own})
}
