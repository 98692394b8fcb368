package data

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"damier/rules"
)

// A game that was sent equals the game that a shard would have stored, bit for bit.
func TestWireIsWhatAShardKeeps(t *testing.T) {
	for _, name := range rules.Names() {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(7, 8))
		var games []Game
		for len(games) < 3 {
			if g := randomGame(rng, v, string(rune('a'+len(games))), 60); g.Outcome != rules.Ongoing {
				games = append(games, g)
			}
		}
		dir := t.TempDir()
		if _, err := WriteShard(dir, "a"+Extension, v, games); err != nil {
			t.Fatal(err)
		}
		kept, err := ReadShard(filepath.Join(dir, "a"+Extension), v)
		if err != nil {
			t.Fatal(err)
		}
		d := NewWireDecoder(v)
		var sent []Game
		for i := range games {
			b := AppendGame(nil, v, &games[i])
			g, err := d.Game(b)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if again := AppendGame(nil, v, &g); !bytes.Equal(again, b) {
				t.Errorf("%s: a game that was read is written in another way", name)
			}
			sent = append(sent, g)
		}
		if diff := equalGames(kept, sent); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// For cut or changed input the decoder returns an error or a legal game.
func TestWireDamaged(t *testing.T) {
	v := rules.International
	rng := rand.New(rand.NewPCG(3, 4))
	g := randomGame(rng, v, "a", 60)
	for g.Outcome == rules.Ongoing {
		g = randomGame(rng, v, "a", 60)
	}
	whole, d := AppendGame(nil, v, &g), NewWireDecoder(v)
	for n := range whole {
		if _, err := d.Game(whole[:n]); !errors.Is(err, ErrIllegal) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, err := d.Game(append(bytes.Clone(whole), 0)); !errors.Is(err, ErrIllegal) {
		t.Errorf("a byte too many: %v", err)
	}
	for range 2000 {
		b := bytes.Clone(whole)
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		checkWire(t, d, b)
	}
}

// checkWire checks that a shard accepts what the decoder returns.
func checkWire(t *testing.T, d *WireDecoder, b []byte) {
	g, err := d.Game(b)
	if err != nil {
		if !errors.Is(err, ErrIllegal) {
			t.Fatal(err)
		}
		return
	}
	if err := newChecker(rules.International).checkGame(&g); err != nil {
		t.Fatal(err)
	}
}

func FuzzWire(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 4 {
		g := randomGame(rng, rules.International, "a", 30)
		f.Add(AppendGame(nil, rules.International, &g))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkWire(t, NewWireDecoder(rules.International), b) })
}

func BenchmarkWireDecode(b *testing.B) {
	games := randomGames(1, 20, 80)
	var all [][]byte
	for i := range games {
		if games[i].Outcome != rules.Ongoing {
			all = append(all, AppendGame(nil, rules.International, &games[i]))
		}
	}
	d := NewWireDecoder(rules.International)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := d.Game(all[i%len(all)]); err != nil {
			b.Fatal(err)
		}
	}
}
