package command

import (
	"os"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "damier", func() { os.Exit(cli.Main(New())) }) }

// TestScripts runs damier as a user does.
func TestScripts(t *testing.T) { clitest.Run(t, nil) }
