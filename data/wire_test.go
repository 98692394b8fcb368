package data

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"damier/rules"
)

// wide are limits beyond all games of these tests.
var wide = WireLimits{Plies: 1000, Positions: 1000}

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
			g, err := d.Game(b, wide)
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
		if _, err := d.Game(whole[:n], wide); !errors.Is(err, ErrIllegal) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, err := d.Game(append(bytes.Clone(whole), 0), wide); !errors.Is(err, ErrIllegal) {
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
	g, err := d.Game(b, wide)
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

// A game with more plies or tree positions than its limits is refused before it takes memory. The
// searches before a ply count, because a tree may be kept from one to the next.
func TestWireLimits(t *testing.T) {
	v := rules.International
	rng := rand.New(rand.NewPCG(9, 10))
	g := randomGame(rng, v, "a", 60)
	for g.Outcome == rules.Ongoing {
		g = randomGame(rng, v, "a", 60)
	}
	searches := 0
	var last *Ply // the last ply with a search
	for i := range g.Plies {
		p := &g.Plies[i]
		if p.Tree = nil; len(p.Visits) > 0 {
			searches++
			last = p
		}
	}
	d := NewWireDecoder(v)
	game := func(positions int) []byte {
		last.Tree = slices.Repeat([]Node{{Line: []uint8{0}, Value: 0.5}}, positions)
		return AppendGame(nil, v, &g)
	}
	const each = 3
	limits := WireLimits{Plies: len(g.Plies), Positions: each}
	if read, err := d.Game(game(searches*each), limits); err != nil || len(read.Plies) != len(g.Plies) {
		t.Errorf("a game within its limits: %d plies, %v", len(read.Plies), err)
	}
	for what, c := range map[string]struct {
		b      []byte
		limits WireLimits
	}{
		"a position too many":  {game(searches*each + 1), limits},
		"a million positions":  {game(1 << 20), limits},
		"a tree by alpha-beta": {game(1), WireLimits{Plies: len(g.Plies)}},
		"a ply too many":       {game(0), WireLimits{len(g.Plies) - 1, each}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.Game(c.b, c.limits)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrIllegal) {
			t.Errorf("%s: %v", what, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
			t.Errorf("%s: it took %d bytes", what, taken)
		}
	}
	if id, err := WireID(game(0)); id != g.ID || err != nil {
		t.Errorf("the id is %q, %v", id, err)
	}
	if _, err := WireID([]byte{5, 'a'}); !errors.Is(err, ErrIllegal) {
		t.Errorf("an id that is cut short: %v", err)
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
		if _, err := d.Game(all[i%len(all)], wide); err != nil {
			b.Fatal(err)
		}
	}
}
