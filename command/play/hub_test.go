package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"damier/engine"
	"damier/notation"
	"damier/protocol/hub"
	"damier/rules"
)

// In every variant that has a Hub name, the engine plays at every kind of level, ponders, analyses
// and reports several lines: with the model that comes with the program, or else with the
// alpha-beta search.
func TestHubEveryVariant(t *testing.T) {
	s := newHubSide(t, &options{})
	say := func(format string, args ...any) { fmt.Fprintf(s.in, format+"\n", args...) }
	say("set-param name=tt-size value=12")
	say("set-param name=threads value=1")
	say("set-param name=multi-pv value=2")
	for _, v := range hub.Variants() {
		say("set-param name=variant value=%s", hub.VariantName(v))
		say("init")
		s.hear("ready")
		say("new-game")
		g := rules.NewGame(v)
		var moves []string
		answer := func(what string) {
			t.Helper()
			done := s.hear("done")
			text, _ := done.Get("move")
			m, err := notation.ParseHub(v, g.Position(), text)
			if err != nil {
				t.Fatalf("%s, %s: %v", v.Name, what, err)
			}
			if err := g.Play(m); err != nil {
				t.Fatal(err)
			}
			moves = append(moves, text)
		}
		position := func() { say(`pos pos=%s moves="%s"`, v.HubString(v.Start()), strings.Join(moves, " ")) }
		for _, level := range []string{"depth=2", "nodes=40", "move-time=0.02", "time=2", "time=1 inc=0.01", "moves=8 time=1", "infinite", "nodes=40 move-time=1 depth=9"} {
			position()
			say("level %s", level)
			say("go think")
			if level == "infinite" {
				s.hear("info")
				say("ping")
				s.hear("pong")
				say("stop")
			}
			answer(level)
		}
		position()
		say("level time=1")
		say("go ponder")
		if len(g.Legal()) > 1 {
			s.hear("info")
		}
		say("ponder-hit")
		answer("ponder-hit")
		position()
		say("go ponder")
		say("stop")
		answer("ponder, stop")
		position()
		say("go analyze")
		if len(g.Legal()) > 1 {
			line := s.hear("info")
			if rank, _ := line.Get("multi-pv"); rank != "2" {
				t.Errorf("%s: the first of two lines is %s", v.Name, line)
			}
		}
		say("stop")
		answer("analyze")
	}
	say("quit")
	if err := <-s.end; err != nil {
		t.Error(err)
	}
}

// The program announces the parameters of its engine with their present values. If an interface
// sends all of them back unchanged, the engine stays the same. If it sets visits, the tree search
// with the network plays, because only that search counts visits.
func TestHubKeepsItsEngine(t *testing.T) {
	e, err := newHubEngine(options{}, rules.International)
	if err != nil {
		t.Fatal(err)
	}
	set := func(name, value string) {
		t.Helper()
		if err := e.SetParam(name, value); err != nil {
			t.Fatal(err)
		}
		if err := e.Init(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range e.Params() {
		if p.Name == "tt-size" {
			p.Value = "12" // as if a person had changed the value
		}
		set(p.Name, p.Value)
	}
	if a, ok := e.Engine.(*engine.AlphaBeta); !ok || a.Settings().TableBits != 12 || e.Own().Time == 0 {
		t.Errorf("with its own parameters it is %T with %+v", e.Engine, e.Own())
	}
	set("visits", "30")
	if e.Counts() != "visits" || e.Own().Nodes != 30 {
		t.Errorf("with visits it is %T with %+v", e.Engine, e.Own())
	}
	set("visits", "0")
	if e.Own().Nodes != 0 || e.Own().Time == 0 {
		t.Errorf("without visits again it has %+v", e.Own())
	}
	set("search", "alphabeta")
	if a, ok := e.Engine.(*engine.AlphaBeta); !ok || a.Settings().Evaluator == nil || a.Settings().TableBits != 12 {
		t.Errorf("with the other search it is %T", e.Engine)
	}
}

func TestHubParams(t *testing.T) {
	names := func(e *hubEngine) (all []string) {
		for _, p := range e.Params() {
			all = append(all, p.Name+"="+p.Value)
		}
		return all
	}
	for _, c := range []struct {
		player string
		want   string
	}{
		{"", "variant=normal network= search=alphabeta visits=0 batch=0 egdb=off book=false book-ply=0 book-margin=0 threads=%d tt-size=20 multi-pv=1"},
		{"alphabeta:depth=3", "variant=normal egdb=off book=false book-ply=0 book-margin=0 threads=%d tt-size=20 multi-pv=1"},
		{"random", "variant=normal"},
	} {
		e, err := newHubEngine(options{player: c.player}, rules.International)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(strings.Replace(c.want, "%d", fmt.Sprint(engine.Cores()), 1))
		if got := names(e); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.player, got, want)
		}
		if c.player != "alphabeta:depth=3" {
			continue
		}
		if err := e.SetParam("tt-size", "9"); err != nil {
			t.Fatal(err)
		}
		if err := e.SetParam("threads", "1"); err != nil {
			t.Fatal(err)
		}
		if err := e.Init(); err != nil {
			t.Fatal(err)
		}
		if c := e.Engine.(*engine.AlphaBeta).Settings(); c.TableBits != 9 || c.Cores != 1 {
			t.Errorf("%+v", c)
		}
	}
}

// A forced move is answered at once, at every level.
func TestHubForcedMove(t *testing.T) {
	s := newHubSide(t, &options{player: "alphabeta"})
	fmt.Fprintln(s.in, `pos start moves="32-28 19-23"`)
	fmt.Fprintln(s.in, "level move-time=60\ngo think")
	began := time.Now()
	if line := s.hear("done"); line.String() != "done move=28x19x23" || time.Since(began) > 10*time.Second {
		t.Errorf("%s after %s", line, time.Since(began))
	}
	fmt.Fprintln(s.in, "quit")
	<-s.end
}

// A level searches no deeper by Hub than it does on the board, even if there is time left.
func TestHubLevel(t *testing.T) {
	s := newHubSide(t, &options{player: "nnue:level=7"})
	fmt.Fprintln(s.in, `pos start moves="32-28 18-23"`)
	fmt.Fprintln(s.in, "level move-time=60\ngo think")
	for want := 1; want <= 4; want++ {
		line := s.hear("info", "done")
		if depth, _ := line.Get("depth"); depth != fmt.Sprint(want) {
			t.Fatalf("%s, want depth %d", line, want)
		}
	}
	began := time.Now()
	if s.hear("done"); time.Since(began) > 10*time.Second {
		t.Errorf("it went on thinking for %s", time.Since(began))
	}
	fmt.Fprintln(s.in, "quit")
	<-s.end
}

// TestHubTree: the search that the parameter of Hub selects is the one that thinks, and it counts
// its simulations as nodes.
func TestHubTree(t *testing.T) {
	s := newHubSide(t, &options{})
	for _, search := range []string{"tree", "alphabeta", "tree"} {
		fmt.Fprintf(s.in, "set-param name=search value=%s\ninit\n", search)
		s.hear("ready")
		fmt.Fprint(s.in, "pos start\nlevel nodes=2000\ngo think\n")
		most := 0
		for {
			line := s.hear("info", "done")
			if line.Command == "done" {
				break
			}
			text, _ := line.Get("nodes")
			n, _ := strconv.Atoi(text)
			most = max(most, n)
		}
		if most < 100 {
			t.Errorf("%s: %d nodes of 2000", search, most)
		}
	}
	fmt.Fprintln(s.in, "quit")
	if err := <-s.end; err != nil {
		t.Error(err)
	}
}
