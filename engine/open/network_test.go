package open

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"damier/internal/cli"
	"damier/models"
	"damier/net/nnue"
	"damier/rules"
)

// A network with one changed bit, or without its end, is refused with the exit code of a damaged
// file. Only bits without meaning may change: the date and the system in the header of a gzip
// stream (RFC 1952, 2.3.1). The weights are then the same.
func TestDamagedNetworks(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 13))
	file := filepath.Join(t.TempDir(), "damaged.nnue")
	check := func(what string, whole, content []byte) {
		t.Helper()
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Network(nil, file)
		if err == nil {
			want, err := nnue.Load(bytes.NewReader(whole), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Metadata(), want.Metadata()) || !reflect.DeepEqual(got.Tensors(), want.Tensors()) {
				t.Errorf("%s: a changed network is accepted", what)
			}
		} else if cli.Code(err) != cli.Damaged {
			t.Errorf("%s: exit code %d, want %d: %v", what, cli.Code(err), cli.Damaged, err)
		}
	}
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := models.NNUEContent(v)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			at, bit := rng.IntN(len(whole)), byte(1)<<rng.IntN(8)
			changed := slices.Clone(whole)
			changed[at] ^= bit
			check(fmt.Sprintf("%s, bit of byte %d", name, at), whole, changed)
		}
		check(name+" cut short", whole, whole[:rng.IntN(len(whole))])
	}
}
