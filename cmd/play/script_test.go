package main

import (
	"os"
	"testing"

	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "play", main) }

func TestScripts(t *testing.T) {
	own, err := os.ReadFile("../../models/russian.nnue")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, map[string][]byte{"own.nnue": own})
}
