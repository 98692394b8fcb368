package evaluate

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"damier/internal/cli"
)

// The sequential test rejects a player with 25 visits against the same network with 100 visits
// within a hundred games. The test runs with DAMIER_LONG=1 only and takes half a minute on two
// cores.
func TestQuarterOfTheVisitsFails(t *testing.T) {
	if os.Getenv("DAMIER_LONG") != "1" {
		t.Skip("a match of up to 100 games; set DAMIER_LONG=1")
	}
	model := "tree:" + filepath.Join("..", "..", "..", "models", "international.nnue")
	out, stderr, err := evaluate(t, "--a", model+",visits=25", "--b", model+",visits=100", "--games", "100", "--sprt", "0,50")
	t.Log(out)
	found := regexp.MustCompile(`(?m)^games +([0-9]+):`).FindStringSubmatch(out)
	if err == nil || cli.Code(err) != cli.No || stderr != "" || found == nil {
		t.Fatalf("%v, %q", err, stderr)
	}
	if games, e := strconv.Atoi(found[1]); e != nil || games > 100 {
		t.Errorf("%d games", games)
	}
}
