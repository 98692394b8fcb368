package open

import (
	"slices"
	"strings"
	"testing"
	"time"

	"damier/engine"
	"damier/mcts"
	"damier/net/nnue"
	"damier/rules"
)

func TestParseSpec(t *testing.T) {
	tree := mcts.Config{Share: true, Reuse: true} // what a Tree has without settings
	for text, want := range map[string]Spec{
		"random":                             {Kind: Random},
		"alphabeta:level=10":                 {Kind: AlphaBeta, Level: 10},
		"alphabeta":                          {Kind: AlphaBeta},
		"alphabeta:depth=6":                  {Kind: AlphaBeta, Depth: 6},
		"alphabeta:time=0.1s":                {Kind: AlphaBeta, Time: 100 * time.Millisecond},
		"nnue":                               {Kind: NNUE},
		"nnue:time=1s,cores=2":               {Kind: NNUE, Time: time.Second, Cores: 2},
		"nnue:a,version=alphabeta-1,nodes=9": {Kind: NNUE, File: "a", Version: "alphabeta-1", Nodes: 9},
		"nnue:a,b.nnue,depth=4":              {Kind: NNUE, File: "a,b.nnue", Depth: 4},
		`hub:"./scan hub"`:                   {Kind: Hub, Program: "./scan hub"},
		`hub:scan hub`:                       {Kind: Hub, Program: "scan hub"},
		`hub:"scan --x=1,y=2",time=1s,dir=/opt/a b,bb-size=0,book=false`: {
			Kind: Hub, Program: "scan --x=1,y=2", Time: time.Second, Dir: "/opt/a b", Params: "bb-size=0,book=false"},
		`hub:scan,depth=3,nodes=10`:           {Kind: Hub, Program: "scan", Depth: 3, Nodes: 10},
		`dxp:localhost:27531`:                 {Kind: DXP, Address: "localhost:27531"},
		`dxp:[::1]:5,time=3m,say=a, b=c`:      {Kind: DXP, Address: "[::1]:5", Time: 3 * time.Minute, Say: "a, b=c"},
		`dxp:h,say=console depth 6,time=500s`: {Kind: DXP, Address: "h", Time: 500 * time.Second, Say: "console depth 6"},
		"alphabeta-1:nodes=5000,depth=9":      {Kind: AlphaBeta, Version: "alphabeta-1", Nodes: 5000, Depth: 9},
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
		prefix := map[Kind]string{Tree: "tree:x"}[got.Kind]
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
		"nnue:", "nnue:,depth=3", "tree:,visits=3", "nnue:depth=4,cores=2", "nnue:version=", "nnue:version=alphabeta-9", "alphabeta:version=alphabeta-1", "alphabeta:level=3,cores=2", "alphabeta:time=1s,cores=0",
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

// The error about a wrong description of a tree names the mistake.
func TestTreeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"model:a.safetensors":   "tree:FILE plays a network",
		"tre:a.nnue":            `did you mean "tree"?`,
		"tree:visit=3":          `did you mean "visits"?`,
		"tree:":                 `player "tree:": the file of the network is missing`,
		"tree:,time=1s":         "the file of the network is missing",
		"tree:a.nnue,depth=3":   `"depth" is not a setting of a tree; there are level, visits, time, `,
		"tree:precision=int8":   "computed in integers",
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

// A Tree searches with the constants of play unless its description sets others.
func TestTreeConstants(t *testing.T) {
	usual := TreeSearch(mcts.Config{})
	for text, change := range map[string]func(*mcts.Config){
		"tree":                        func(*mcts.Config) {},
		"tree:level=9":                func(*mcts.Config) {},
		"tree:level=2":                func(c *mcts.Config) { c.Root = mcts.Gumbel }, // a level draws its moves at random
		"tree:level=2,root=puct":      func(*mcts.Config) {},
		"tree:share=false":            func(c *mcts.Config) { c.Share = false },
		"tree:reuse=false,c_puct=0.5": func(c *mcts.Config) { c.Reuse, c.CPuct = false, 0.5 },
		"tree:c_puct_growth=0.2":      func(c *mcts.Config) { c.CPuctGrowth = 0.2 },
		"tree:c_puct_growth=0":        func(c *mcts.Config) { c.CPuctGrowth = -1 },
	} {
		want := usual
		change(&want)
		p, err := ParseSpec(text)
		if got := p.TreeSearch(); err != nil || got != want {
			t.Errorf("%q searches by %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// A player by tree search over an NNUE plays a legal game with a number of visits, at a level and
// with a time per move, and has the name of its description. With visits it always plays the same
// game.
func TestNewTree(t *testing.T) {
	e := nnue.New(rules.English, 64, 1).Evaluator()
	game := func(l engine.Limits, level int) []rules.Move {
		n, err := engine.NewTreePlayer(rules.English, engine.TreeConfig{
			Name: "tree", Evaluators: lookers(e, Spec{}, 1), Search: TreeSearch(mcts.Config{}), Own: l,
		}, level)
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
	visits := engine.Limits{Nodes: 50}
	if a, b := game(visits, 0), game(visits, 0); !slices.Equal(a, b) {
		t.Errorf("50 visits play %v and %v", a, b)
	}
	game(engine.Limits{}, 1)
	game(engine.Limits{Time: time.Millisecond}, 0)
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
