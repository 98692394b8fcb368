package main

import (
	"os"
	"regexp"
	"testing"
)

// The script that builds a release twice has the linker set what the configuration of the releases
// sets: variables of this package. That the program then tells them is checked by the script.
func TestLinkerFlags(t *testing.T) {
	set := regexp.MustCompile(`-X main\.(\w+)=`)
	for _, name := range []string{"../../.goreleaser.yaml", "../../scripts/reproducible.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]*string{"version": &version, "commit": &commit}
		for _, m := range set.FindAllSubmatch(text, -1) {
			if values[string(m[1])] == nil {
				t.Errorf("%s sets main.%s, which is not there", name, m[1])
			}
			delete(values, string(m[1]))
		}
		for left := range values {
			t.Errorf("%s does not set main.%s", name, left)
		}
	}
}
