package player

import (
	"slices"
	"testing"
	"time"

	"damier/arena"
	"damier/mcts"
	"damier/net"
	"damier/rules"
)

func TestNetworkKeepsTheContract(t *testing.T) {
	for _, c := range []Config{
		{Visits: 16},
		{Visits: 40, Leaves: 8, Noise: 1, Search: mcts.Config{Root: mcts.PUCT}},
		{Visits: 30, Search: mcts.Config{Reuse: true}},
	} {
		err := arena.TestPlayer(t.Context(), rules.International, func() (arena.Player, error) {
			return New(rules.International, &fake{}, c)
		})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestNetworkOfRealModel(t *testing.T) {
	m, err := net.NewModel(rules.International, net.Config{Arch: "mlp"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	es, err := Evaluators(m, net.Float32, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBatcher(es, 16)
	defer b.Close()
	network := func() (arena.Player, error) { return New(rules.International, b, Config{Visits: 16}) }
	random := func() (arena.Player, error) { return arena.NewRandom(1), nil }
	match := arena.Match{Variant: rules.International, A: network, B: random, Games: 8, Concurrency: 8, MaxPlies: 40}
	first, err := match.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := match.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first.Pairs != second.Pairs || first.Plies != second.Plies || first.Games() != 8 {
		t.Errorf("%+v, then %+v: not the same match", first, second)
	}
}

func TestNetworkTimeLimit(t *testing.T) {
	n, err := New(rules.International, &fake{}, Config{Time: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	for range 4 {
		r, err := n.Think(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Moves) > 1 && (r.Simulations < 1 || r.Raw == (rules.WDL{})) {
			t.Fatalf("%d simulations, root %v", r.Simulations, r.Raw)
		}
		if err := g.Play(r.Moves[r.Best]); err != nil {
			t.Fatal(err)
		}
	}
	// Too little time for anything: there is still a move chosen by an evaluation.
	n.SetLimits(0, 1)
	g = rules.NewGame(rules.International)
	r, err := n.Think(t.Context(), g)
	if err != nil || r.Raw == (rules.WDL{}) {
		t.Fatalf("result %+v, error %v", r, err)
	}
}

// TestNetworkParallel: with a limit of time all evaluators are used, with one of visits only the first.
func TestNetworkParallel(t *testing.T) {
	evs := []*fake{{}, {}, {}}
	g := rules.NewGame(rules.International)
	think := func(c Config) mcts.Result {
		t.Helper()
		n, err := NewParallel(rules.International, []mcts.Evaluator{evs[0], evs[1], evs[2]}, c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := n.Think(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	think(Config{Visits: 200})
	if evs[0].calls == 0 || evs[1].calls+evs[2].calls != 0 {
		t.Errorf("a search that visits end evaluated %d, %d and %d leaves", evs[0].calls, evs[1].calls, evs[2].calls)
	}
	idle := func() bool { return slices.ContainsFunc(evs, func(e *fake) bool { return e.calls == 0 }) }
	for begun := time.Now(); ; { // on a busy machine a goroutine may sleep through a search
		for _, root := range []mcts.Root{mcts.Gumbel, mcts.PUCT} {
			r := think(Config{Time: 50 * time.Millisecond, Search: mcts.Config{Root: root}})
			visits := int32(0)
			for _, n := range r.Visits {
				visits += n
			}
			if r.Simulations == 0 || int(visits) != r.Simulations {
				t.Errorf("%s: %d simulations, %d visits", root, r.Simulations, visits)
			}
		}
		if !idle() || time.Since(begun) > 20*time.Second {
			break
		}
	}
	for i, e := range evs {
		if e.calls == 0 {
			t.Errorf("evaluator %d did nothing", i)
		}
	}
}

// TestNetworkCache: a player finds the same with a cache, and asks its evaluator for less.
func TestNetworkCache(t *testing.T) {
	plain, cached := &fake{}, &fake{}
	a, err := New(rules.International, plain, Config{Visits: 100})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(rules.International, cached, Config{Visits: 100, Cache: mcts.NewCache(1 << 14)})
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	for range 12 {
		want, err := a.Think(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Think(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Visits, want.Visits) || !slices.Equal(got.Policy, want.Policy) || got.Best != want.Best {
			t.Fatalf("ply %d: visits %v, want %v", g.Ply(), got.Visits, want.Visits)
		}
		if err := g.Play(want.Moves[want.Best]); err != nil {
			t.Fatal(err)
		}
	}
	if cached.calls >= plain.calls*9/10 {
		t.Errorf("%d leaves evaluated with a cache, %d without", cached.calls, plain.calls)
	}
}

func TestLeavesFor(t *testing.T) {
	for arch, want := range map[string]int{"mlp": 8, "lattice": 1, "": 1} {
		m, err := net.NewModel(rules.International, net.Config{Arch: arch, Channels: 8, Layers: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := LeavesFor(m); got != want {
			t.Errorf("%q: %d leaves together, want %d", arch, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []Config{{}, {Visits: -1}, {Time: -1}, {Visits: 1, Leaves: -1}, {Visits: 1, Search: mcts.Config{Root: "x"}}} {
		if _, err := New(rules.International, &fake{}, c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}
