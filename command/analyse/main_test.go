package analyse

import (
	"os"
	"testing"

	"damier/internal/cli"
	"damier/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "analyse", func() { os.Exit(cli.Main(New())) }) }

// TestScripts runs the command as a user does. Each script finds ten composed games of four
// variants in games.pdn.
func TestScripts(t *testing.T) {
	games, err := os.ReadFile("testdata/games.pdn")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Run(t, map[string][]byte{"games.pdn": games})
}
