package play

import (
	"os"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "play", func() { os.Exit(cli.Main(New())) }) }

func TestScripts(t *testing.T) {
	own, err := os.ReadFile("../../models/russian.nnue")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, map[string][]byte{"own.nnue": own})
}
