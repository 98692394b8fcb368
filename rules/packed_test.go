package rules

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// Every field of the positions of random games survives packing, in every variant; and a field
// that is added to Position must be packed too.
func TestPack(t *testing.T) {
	if fields := reflect.TypeFor[Position]().NumField(); fields != 12 {
		t.Errorf("Position has %d fields; Pack knows 12", fields)
	}
	if size := reflect.TypeFor[Packed]().Size(); size != 32 {
		t.Errorf("a Packed takes %d bytes", size)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range Names() {
		v, err := Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := NewGame(v)
		for !g.Over() && g.Ply() < 150 {
			if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
				t.Fatal(err)
			}
			p := g.Position()
			packed, high := p.Pack()
			if v.Board.Squares() <= 64 && high != (HighWords{}) {
				t.Fatalf("%s: the second words of %+v are %v", name, p, high)
			}
			if got := packed.Unpack(high); got != p {
				t.Fatalf("%s: %+v packed and unpacked is %+v", name, p, got)
			}
		}
	}
	full := Position{
		white: 1, black: 2, kings: 3, whiteHi: 4, blackHi: 5, kingsHi: 6, Turn: Black, Quiet: 7,
		Endgame: 8, Road: 9, lastKing: [2]Square{10, 11}, kingMoves: [2]uint8{12, 13},
	}
	packed, high := full.Pack()
	if got := packed.Unpack(high); got != full {
		t.Errorf("%+v packed and unpacked is %+v", full, got)
	}
}
