package main

import (
	"testing"

	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "selfplay", main) }

func TestScripts(t *testing.T) { clitest.Run(t, nil) }
