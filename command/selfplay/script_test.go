package selfplay

import (
	"os"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "selfplay", func() { os.Exit(cli.Main(New())) }) }

func TestScripts(t *testing.T) { clitest.Run(t, nil) }
