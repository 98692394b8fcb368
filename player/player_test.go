package player

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"damier/arena"
	"damier/mcts"
	"damier/net"
	"damier/nnue"
	"damier/rules"
	"damier/strength"
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

func TestParseSpec(t *testing.T) {
	tree := mcts.Config{Share: true, Reuse: true} // what a Tree has without settings
	for text, want := range map[string]Spec{
		"random":                         {Kind: Random},
		"model:runs/a:b/gen.safetensors": {Kind: Model, File: "runs/a:b/gen.safetensors"},
		"model:a, b.safetensors":         {Kind: Model, File: "a, b.safetensors"},
		"model:a,root=puct,candidates=8,c_scale=1,c_puct=0.7,fpu=0.2,visits=400": {
			Kind: Model, File: "a", Visits: 400,
			Search: mcts.Config{Root: mcts.PUCT, Candidates: 8, CScale: 1, CPuct: 0.7, FPU: 0.2},
		},
		"model:a,fpu=0,forcing=0,reuse=true,max_nodes=99,repetition_draw=3,c_visit=5,time=1s": {
			Kind: Model, File: "a", Time: time.Second,
			Search: mcts.Config{FPU: -1, Forcing: -1, Reuse: true, MaxNodes: 99, RepetitionDraw: 3, CVisit: 5},
		},
		"model:a,level=3,root=puct": {Kind: Model, File: "a", Level: 3, Search: mcts.Config{Root: mcts.PUCT}},
		"alphabeta:level=10":        {Kind: AlphaBeta, Level: 10},
		"alphabeta":                 {Kind: AlphaBeta},
		"alphabeta:depth=6":         {Kind: AlphaBeta, Depth: 6},
		"alphabeta:time=0.1s":       {Kind: AlphaBeta, Time: 100 * time.Millisecond},
		"nnue":                      {Kind: NNUE},
		"nnue:time=1s,cores=2":      {Kind: NNUE, Time: time.Second, Cores: 2},
		"nnue:a,b.nnue,depth=4":     {Kind: NNUE, File: "a,b.nnue", Depth: 4},
		`hub:"./scan hub"`:          {Kind: Hub, Program: "./scan hub"},
		`hub:scan hub`:              {Kind: Hub, Program: "scan hub"},
		`hub:"scan --x=1,y=2",time=1s,dir=/opt/a b,bb-size=0,book=false`: {
			Kind: Hub, Program: "scan --x=1,y=2", Time: time.Second, Dir: "/opt/a b", Params: "bb-size=0,book=false"},
		`hub:scan,depth=3,nodes=10`:           {Kind: Hub, Program: "scan", Depth: 3, Nodes: 10},
		`dxp:localhost:27531`:                 {Kind: DXP, Address: "localhost:27531"},
		`dxp:[::1]:5,time=3m,say=a, b=c`:      {Kind: DXP, Address: "[::1]:5", Time: 3 * time.Minute, Say: "a, b=c"},
		`dxp:h,say=console depth 6,time=500s`: {Kind: DXP, Address: "h", Time: 500 * time.Second, Say: "console depth 6"},
		"alphabeta-1:nodes=5000,depth=9":      {Kind: AlphaBeta, Version: "alphabeta-1", Nodes: 5000, Depth: 9},
		"model:a,precision=int8,visits=80":    {Kind: Model, File: "a", Visits: 80, Precision: net.Int8},
		"model:a,precision=float32":           {Kind: Model, File: "a"},
		"model:a,leaves=4,time=0.5s,cores=2":  {Kind: Model, File: "a", Time: time.Second / 2, Leaves: 4, Cores: 2},
		"model:a,best=0.5,share=true":         {Kind: Model, File: "a", Search: mcts.Config{Best: 0.5, Share: true}},
		"tree":                                {Kind: Tree, Search: tree},
		"tree:a:b, c.nnue":                    {Kind: Tree, File: "a:b, c.nnue", Search: tree},
		"tree:visits=200":                     {Kind: Tree, Visits: 200, Search: tree},
		"tree:a.nnue,time=0.1s,cores=2":       {Kind: Tree, File: "a.nnue", Time: 100 * time.Millisecond, Cores: 2, Search: tree},
		"tree:level=3":                        {Kind: Tree, Level: 3, Search: tree},
		"tree:scout=0,visits=5":               {Kind: Tree, Visits: 5, Search: mcts.Config{Share: true, Reuse: true, Scout: -1}},
		"tree:share=false,visits=5":           {Kind: Tree, Visits: 5, Search: mcts.Config{Reuse: true}},
		"tree:a,root=gumbel,reuse=false,best=0.3,temperature=0.5": {
			Kind: Tree, File: "a", Temperature: 0.5,
			Search: mcts.Config{Root: mcts.Gumbel, Best: 0.3, Share: true},
		},
	} {
		got, err := ParseSpec(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
		prefix := map[Kind]string{Model: "model:x", Tree: "tree:x"}[got.Kind]
		if prefix == "" {
			continue
		}
		settings := got.Settings()
		again, err := ParseSpec(prefix + settings)
		got.File, got.Visits, got.Time, got.Level = "x", 0, 0, 0
		if err != nil || again != got {
			t.Errorf("%q: the settings %q are read as %+v, %v", text, settings, again, err)
		}
	}
	for _, text := range []string{
		"", "Random", "random:1", "model", "model:", "alphabeta:", "alphabeta:depth", "alphabeta:depth=0",
		"alphabeta:depth=101", "alphabeta:nodes=-1", "alphabeta:time=5", "alphabeta:time=-1s", "alphabeta:ply=3",
		"model:,root=puct", "model:a,root=best", "model:a,visits=0", "model:a,c_puct=0", "model:a,c_puct=NaN", "model:a,fpu=2",
		"model:a,depth=3", "model:a,visits=5,visits=6", "model:a,visits=5,time=1s", "model:a,candidates=300", "model:a,reuse=maybe",
		"model:a,visits=5,", "model:a,time=0s", "model:a,repetition_draw=7",
		"hub", "hub:", `hub:""`, `hub:"a`, `hub:"a"b`, `hub:"a",b`, "hub:it's", "hub:a,time=5", "hub:a,x=1,2", "hub:a,depth=0",
		"dxp", "dxp:", "dxp:,time=3m", "dxp:h,depth=3", "dxp:h,time=0", "dxp:h,threads=1",
		"model:a,level=0", "model:a,level=11", "model:a,level=3,visits=9", "model:a,time=1s,level=2", "alphabeta:level=3,depth=2", "alphabeta:level=x",
		"nnue:", "nnue:depth=4,cores=2", "alphabeta:level=3,cores=2", "alphabeta:time=1s,cores=0",
		"tree:", "tree:,visits=5", "tree:visits=5,", "tree:visits=5,visits=6", "tree:visits=5,time=1s", "tree:level=3,visits=9",
		"tree:level=3,cores=2", "tree:visits=9,cores=2", "tree:depth=3", "tree:precision=int8", "tree:a,best=2", "tree:a,share=no-one",
		"tree:temperature=0", "tree:level=11", "tree:time=1", "trees", "model:a,temperature=1",
		"model:a,leaves=0", "model:a,precision=int4", "model:a,precision=", "model:a,cores=0", "model:a,visits=9,cores=2",
	} {
		if s, err := ParseSpec(text); err == nil {
			t.Errorf("%q is taken as %+v", text, s)
		}
	}
}

// What is wrong with a description of a tree is named.
func TestTreeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"tree:":                 `player "tree:": the file of the network is missing`,
		"tree:,time=1s":         "the file of the network is missing",
		"tree:a.nnue,depth=3":   `"depth" is not a setting of a tree; there are level, visits, time, `,
		"tree:precision=int8":   "precision is of a model",
		"tree:visits=0":         `visits "0" is not a number above 0`,
		"tree:time=soon":        `time "soon" is not a duration such as 0.1s`,
		"tree:level=3,time=1s":  "a level has its visits",
		"tree:visits=5,cores=2": "cores goes with time",
		"tree:root=ucb":         `root "ucb" is neither gumbel nor puct`,
	} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// A Tree searches with the constants of play, where nothing else was said.
func TestTreeConstants(t *testing.T) {
	usual := TreeSearch(mcts.Config{})
	for text, change := range map[string]func(*mcts.Config){
		"tree":                        func(*mcts.Config) {},
		"tree:level=9":                func(*mcts.Config) {},
		"tree:level=2":                func(c *mcts.Config) { c.Root = mcts.Gumbel }, // it draws its moves
		"tree:level=2,root=puct":      func(*mcts.Config) {},
		"tree:share=false":            func(c *mcts.Config) { c.Share = false },
		"tree:reuse=false,c_puct=0.5": func(c *mcts.Config) { c.Reuse, c.CPuct = false, 0.5 },
	} {
		want := usual
		change(&want)
		p, err := ParseSpec(text)
		if got := p.TreeSearch(); err != nil || got != want {
			t.Errorf("%q searches by %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// A player by tree search over an NNUE plays a legal game at a number of visits, at a level and by time, and bears its
// name; by visits it always plays the same.
func TestNewTree(t *testing.T) {
	e := nnue.New(rules.English, 64, 1).Evaluator()
	game := func(c Config) []rules.Move {
		c.Search, c.Name = TreeSearch(c.Search), "tree"
		n, err := NewTree(rules.English, e, 1, nnue.OnePlyConfig{}, c)
		if err != nil {
			t.Fatal(err)
		}
		g := rules.NewGame(rules.English)
		for g.Ply() < 6 {
			m, err := n.Play(t.Context(), g)
			if err == nil {
				err = g.Play(m)
			}
			if err != nil {
				t.Fatalf("%s: %v", n.Name(), err)
			}
		}
		return g.Moves()
	}
	if a, b := game(Config{Visits: 50}), game(Config{Visits: 50}); !slices.Equal(a, b) {
		t.Errorf("50 visits play %v and %v", a, b)
	}
	game(Config{Level: 1})
	game(Config{Time: time.Millisecond})
}

// A player of a level has its visits and its name, and draws its moves: different games, the same for the same seed.
func TestNetworkLevel(t *testing.T) {
	game := func(level int, seed uint64) []rules.Move {
		n, err := New(rules.International, &fake{}, Config{Name: "x", Level: level})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("x:level=%d", level); n.Name() != want {
			t.Errorf("name %q, want %q", n.Name(), want)
		}
		n.Seed(seed)
		g := rules.NewGame(rules.International)
		for range 6 {
			m, err := n.Play(t.Context(), g)
			if err == nil {
				err = g.Play(m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := n.Last().Simulations; got > strength.Of(level).Visits {
			t.Errorf("level %d searched %d simulations", level, got)
		}
		return g.Moves()
	}
	differ := false
	for seed := range uint64(5) {
		a := game(2, seed)
		if !slices.Equal(a, game(2, seed)) {
			t.Error("the same seed plays two games")
		}
		differ = differ || !slices.Equal(a, game(2, seed+10))
	}
	if !differ {
		t.Error("level 2 always plays the same game")
	}
	if !slices.Equal(game(7, 1), game(7, 2)) {
		t.Error("level 7 draws its moves")
	}
	if _, err := New(rules.International, &fake{}, Config{Level: 11}); err == nil {
		t.Error("level 11 is taken")
	}
}

func TestLabel(t *testing.T) {
	for file, want := range map[string]string{
		"runs/x/models/gen-000012.safetensors": "gen-000012", "runs/russian-nnue/model.nnue": "russian-nnue",
		"model.nnue": "model", "/model.nnue": "model",
	} {
		if got := Label(file); got != want {
			t.Errorf("%s is called %q, want %q", file, got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	for text, want := range map[string][]string{
		"a": {"a"}, " a  b\tc ": {"a", "b", "c"}, "'a b' c'd e'f ''": {"a b", "cd ef", ""},
	} {
		if got, err := (Spec{Program: text}).Command(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}
