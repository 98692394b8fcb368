package train

import (
	"os"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "train", func() { os.Exit(cli.Main(New())) }) }

// TestScripts runs the scripts, which find the example in Python that reads what they print.
func TestScripts(t *testing.T) {
	example, err := os.ReadFile("../../examples/python/run.py")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, map[string][]byte{"run.py": example})
}
