package play

import (
	"path/filepath"
	"testing"

	"damier/egdb"
	"damier/engine/open"
	"damier/net/nnue"
	"damier/rules"
	"damier/tui"
)

// The NNUE of a file evaluates positions of its variant instead of the program's own NNUE.
func TestShelfOfOwnNNUE(t *testing.T) {
	russian, err := rules.Lookup("russian", nil)
	if err != nil {
		t.Fatal(err)
	}
	own := nnue.New(russian, 32, 7)
	file := filepath.Join(t.TempDir(), "own.nnue")
	if err := own.SaveFile(file); err != nil {
		t.Fatal(err)
	}
	s, program := newNetworkShelf(russian), newNetworkShelf(russian)
	score := func(s *networkShelf, p rules.Position) int {
		t.Helper()
		e, err := s.evaluator(russian, "")
		if err != nil || e == nil {
			t.Fatalf("no network: %v", err)
		}
		return int(e.Score(p))
	}
	if err := s.choose(file); err != nil {
		t.Fatal(err)
	}
	position := russian.Play(russian.Start(), russian.AppendMoves(nil, russian.Start())[0])
	want, other := int(own.Evaluator().Score(position)), score(program, position)
	if got := score(s, position); got != want || got == other {
		t.Errorf("the score of a position is %d, by the file %d, by the program's own %d", got, want, other)
	}
	if name, ok := s.network(russian); name != "own" || !ok {
		t.Errorf("it is called %q, %v", name, ok)
	}
	if name, ok := s.network(rules.International); name != "" || !ok {
		t.Errorf("in another variant: %q, %v", name, ok)
	}
	for _, player := range []string{"tree", "nnue"} {
		if e, err := s.open(russian, player, ""); err != nil || e.Variant() != russian {
			t.Errorf("%s: %v", player, err)
		}
	}
	if _, err := s.open(russian, "tree", "none"); err == nil {
		t.Error("a network that is not there is opened")
	}
}

// The page gets the verdict of the tables of --egdb on each move, in any variant, and no verdicts
// without tables.
func TestVerdictsForThePage(t *testing.T) {
	for _, setting := range []string{"", egdb.Off} {
		if verdicts(setting) != nil {
			t.Errorf("there are tables with %q", setting)
		}
	}
	dir := t.TempDir()
	judge := verdicts(dir)
	for name, fens := range map[string][]string{
		"english": {"W:WK18,K19:BK1", "B:W30:BK1,2"},
		"russian": {"W:WK1,K2:BK32", "W:W21,22,23:B1,2,3"},
	} {
		v, err := rules.Lookup(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := open.Tables(t.Context(), v, dir)
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for _, fen := range fens {
			p, err := rules.ParseFEN(v, fen)
			if err != nil {
				t.Fatal(err)
			}
			got, err := judge(t.Context(), v, p)
			if err != nil {
				t.Fatal(err)
			}
			want, err := tables.Verdicts(t.Context(), p, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) || len(got) == 0 {
				t.Fatalf("%s, %s: %d moves, want %d", name, fen, len(got), len(want))
			}
			for i, x := range want {
				sign := func(r egdb.Result) int {
					return map[string]int{"win": 1, "loss": -1}[r.String()]
				}
				g := got[i]
				if g.Known {
					known++
				}
				if g.Move != x.Move || g.Known != x.Known || g.Result != sign(x.Result) || g.Theory != sign(x.Theory) ||
					g.Plies != x.Plies || g.Sure != x.Sure || g.Forbidden != x.Forbidden {
					t.Errorf("%s, %s: %+v, the tables say %+v", name, fen, g, x)
				}
			}
		}
		if known == 0 {
			t.Errorf("%s: the tables know nothing", name)
		}
	}
}

// A hint on the terminal's screen carries the verdict of the tables on its move. A played move, or
// a hint without tables, carries none.
func TestVerdictOfHint(t *testing.T) {
	v, err := rules.Lookup("english", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := rules.ParseFEN(v, "W:WK18,11:BK17")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tables, err := open.Tables(t.Context(), v, dir)
	if err != nil {
		t.Fatal(err)
	}
	words := map[rules.Move]string{}
	verdicts, err := tables.Verdicts(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range verdicts {
		words[x.Move] = x.String()
	}
	for _, c := range []struct {
		setting string
		task    tui.Task
		judged  bool
	}{{dir, tui.Advise, true}, {dir, tui.Play, false}, {egdb.Off, tui.Advise, false}} {
		o := &options{game: variantFlags{name: "english"}, player: "alphabeta:depth=2", egdb: c.setting}
		e, _, err := o.screenEngine(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Think(t.Context(), rules.NewGameFrom(v, p), c.task, func(tui.Thought) {})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if c.judged {
			want = words[got.Lines[0].PV[0]]
		}
		if got.Verdict != want || c.judged && want == "" {
			t.Errorf("%q, task %d: the verdict is %q, want %q", c.setting, c.task, got.Verdict, want)
		}
	}
}
