package hub

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"damier/notation"
	"damier/rules"
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		text string
		want Line
	}{
		{"", Line{}},
		{" \t \r\n", Line{}},
		{"ping", Line{Command: "ping"}},
		{"ping\r\n", Line{Command: "ping"}},
		{"go think", Line{Command: "go", Args: []Arg{{Name: "think"}}}},
		{"\tlevel  depth=3\tnodes = 40 ", Line{Command: "level", Args: []Arg{{"depth", "3", true}, {"nodes", "40", true}}}},
		{`pos pos=W moves="32-28 19x23"`, Line{Command: "pos", Args: []Arg{{"pos", "W", true}, {"moves", "32-28 19x23", true}}}},
		{`set-param name=book value=""`, Line{Command: "set-param", Args: []Arg{{"name", "book", true}, {"value", "", true}}}},
		{`a b="=" c`, Line{Command: "a", Args: []Arg{{"b", "=", true}, {Name: "c"}}}},
		{`id author="Zoë"`, Line{Command: "id", Args: []Arg{{"author", "Zoë", true}}}},
	} {
		got, err := ParseLine(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"=":              "a command is missing at byte 0",
		`"go"`:           "a command is missing at byte 0",
		"go =":           "an argument is missing at byte 3",
		`go "think"`:     "an argument is missing at byte 3",
		"level depth=":   "the value of depth is missing",
		"level depth==1": "the value of depth is missing",
		`pos moves="32`:  "no closing quote",
		"pi\x00ng":       "control character 0x00 at byte 2",
	} {
		if got, err := ParseLine(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
}

func TestLineString(t *testing.T) {
	l := Line{Command: "error"}.with("message", `a "quoted" thing`+"\nand a line").with("n", "1").with("e", "").with("q", "a=b")
	if got, want := l.String(), `error message="a 'quoted' thing and a line" n=1 e="" q="a=b"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzParseLine(f *testing.F) {
	for _, s := range []string{"ping", `pos pos=W moves="32-28"`, "level depth = 3", "=", `a="`, "\x00", "a=b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLine(text)
		if err != nil {
			return
		}
		if n := strings.Count(l.String(), "\n"); n > 0 {
			t.Fatalf("%q is written on %d lines", text, n+1)
		}
		again, err := ParseLine(l.String())
		if err != nil || again.String() != l.String() || len(again.Args) != len(l.Args) {
			t.Fatalf("%q is %+v, written %q, read %+v, %v", text, l, l.String(), again, err)
		}
	})
}

func TestPlan(t *testing.T) {
	start := rules.International.Start()
	for _, c := range []struct {
		level        string
		should, must time.Duration
	}{
		{"level move-time=1", 950 * time.Millisecond, 950 * time.Millisecond},
		{"level move-time=0.1", 90 * time.Millisecond, 90 * time.Millisecond},
		{"level time=300", 10 * time.Second, 40 * time.Second},
		{"level time=0 inc=2", 1900 * time.Millisecond, 1900 * time.Millisecond},
		{"level time=30 inc=1", 2 * time.Second, 8 * time.Second},
		{"level moves=1 time=10", 9900 * time.Millisecond, 9900 * time.Millisecond},
		{"level moves=2 time=10", 5 * time.Second, 5 * time.Second},
		{"level moves=0 time=300", 10 * time.Second, 40 * time.Second},
		{"level time=0.15 inc=0.02", 25 * time.Millisecond, 85 * time.Millisecond},
		{"level moves=40 time=80 inc=1", 3 * time.Second, 12 * time.Second},
		{"level time=0", time.Millisecond, 0},
		{"level time=-3", time.Millisecond, 0},
		{"level time=300 move-time=1", 950 * time.Millisecond, 950 * time.Millisecond},
	} {
		line, err := ParseLine(c.level)
		if err != nil {
			t.Fatal(err)
		}
		var l level
		if err := l.add(line); err != nil {
			t.Fatal(err)
		}
		if should, must, ok := l.plan(start); !ok || should != c.should || must != c.must {
			t.Errorf("%s: %v, %v, want %v, %v", c.level, should, must, c.should, c.must)
		}
	}
	if _, _, ok := (&level{depth: 3}).plan(start); ok {
		t.Error("a depth is no time")
	}
}

// Whatever the clock, a move that takes all it may still leaves time, to the end of the game.
func TestPlanNeverOverruns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		control := rng.IntN(2) * (1 + rng.IntN(40))
		l := level{clock: true, time: time.Duration(rng.Int64N(int64(time.Minute))), inc: time.Duration(rng.Int64N(int64(time.Second))), moves: control}
		for move := 0; move < 200; move++ {
			should, must, ok := l.plan(rules.International.Start())
			if !ok || should <= 0 || should > max(must, time.Millisecond) || must > l.time+l.inc {
				t.Fatalf("%+v: should %v, must %v", l, should, must)
			}
			l.time += l.inc - must
			if control > 0 {
				if l.moves--; l.moves == 0 {
					l.moves, l.time = control, l.time+time.Minute
				}
			}
		}
		if l.time < 0 {
			t.Fatalf("overrun by %v", -l.time)
		}
	}
}

func TestDialogue(t *testing.T) {
	e := newPlayer(1)
	d := talk(t, t.Context(), e)
	d.say("ping")
	d.expect("pong")
	d.say("go think")
	d.expect(`error message="go before init`)
	d.say("hub")
	for _, want := range []string{
		`id name="test engine" version=1 author="A. U. Thor"`,
		"param name=variant value=normal type=enum values=normal",
		"param name=visits value=100 type=int min=1 max=1000",
		"param name=noise value=0.5 type=real min=0 max=1",
		"param name=book value=false type=bool",
		`param name=network value="" type=string`,
		"wait",
	} {
		if got := d.hear(); got != want {
			t.Fatalf("heard %q, expected %q", got, want)
		}
	}
	d.say("set-param name=visits value=0")
	d.expect(`error message="parameter visits=0: write a number from 1 to 1000"`)
	d.say("set-param name=visits value=1.5")
	d.expect("error")
	d.say("set-param name=noise value=NaN")
	d.expect("error")
	d.say("set-param name=book value=yes")
	d.expect("error")
	d.say("set-param name=variant value=frisian")
	d.expect("error")
	d.say("set-param name=no value=1")
	d.expect(`error message="unknown parameter no"`)
	d.say("set-param name=visits")
	d.expect("error")
	d.say(`set-param name=network value="/no model/x"`)
	d.expect(`error message="no model at /no model/x"`)
	d.say("set-param name=visits value=7\r")
	d.say("init")
	d.expect("ready")
	if e.visits != "7" || e.inits != 1 {
		t.Errorf("visits %s, %d inits", e.visits, e.inits)
	}

	// A position of two moves, a level, and a search.
	d.say("new-game")
	d.say("pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww moves=\"32-28 19-23\"")
	d.say("level depth=3")
	d.say("level nodes=1000 unknown=1 strange")
	d.say("go think")
	d.expect("done move=28x19x23") // the only move: not searched
	d.say("pos start moves=\"32-28 19-23 28x19x23\"")
	d.say("level depth=3")
	d.say("level nodes=1000 unknown=1 strange")
	d.say("go think")
	d.expect("done move=")
	if e.limits != (Limits{Depth: 3, Nodes: 1000}) {
		t.Errorf("limits %+v", e.limits)
	}
	d.say("go think") // a level holds for one go
	d.expect("done move=")
	if e.limits != (Limits{}) {
		t.Errorf("limits %+v", e.limits)
	}

	for level, whole := range map[string]bool{"level move-time=1": true, "level time=300": false, "level time=300 move-time=1": false} {
		d.say(level)
		d.say("go think")
		d.expect("done move=")
		if e.limits.Whole != whole || e.limits.Time == 0 {
			t.Errorf("%s: limits %+v, want Whole %t", level, e.limits, whole)
		}
	}

	// Rubbish changes nothing.
	for _, rubbish := range []string{
		"xyzzy", "=", "pos", "pos pos=W", "pos pos=Xbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
		"pos start moves=\"32-27 19-23 1-2\"", "pos start moves=\"rubbish\"", "pos start moves=\"32x28x19\"",
		"level depth=x", "level depth=-1", "level time=soon", "level nodes=1.5", "level move-time=NaN", "go away",
		"pos pos=\"", "\x01\x02", strings.Repeat("x", maxLine+10),
	} {
		d.say("%s", rubbish)
		d.expect("error message=")
	}
	d.say("  ")
	d.say("pos start moves=\"32-28 19-23 28x19\"") // the captured squares may be left out
	d.say("pos start moves=\"32-28 19-23 28x19x24\"")
	if got := d.hear(); !strings.Contains(got, "illegal move 28x19x24") || !strings.Contains(got, "move 3 of the list") {
		t.Errorf("heard %q", got)
	}
	d.say("go think")
	if got := d.hear(); !strings.Contains(got, "x19") { // Black takes back: the last good position
		t.Errorf("heard %q", got)
	}

	// Analysis and infinite levels go on until stop, and answer ping meanwhile.
	for _, start := range []string{"go analyze", "go ponder", "level infinite\ngo think"} {
		d.say("pos start")
		d.say("%s", start)
		d.say("ping")
		d.expect("pong")
		d.say("pos start")
		d.expect(`error message="pos during a search`)
		d.say("go think")
		d.expect(`error message="go during a search`)
		d.say("stop")
		d.expect("done move=")
		d.say("stop") // crossed the done: no answer
		d.say("ponder-hit")
		d.say("ping")
		d.expect("pong")
	}

	// A pondering search that ends by itself waits for its ponder-hit.
	d.say("pos start")
	d.say("level nodes=5")
	d.say("go ponder")
	d.say("ping")
	d.expect("pong")
	d.say("ponder-hit")
	d.expect("done move=")
	d.say("pos start")
	d.say("level move-time=0.02")
	d.say("go ponder")
	d.say("ping")
	d.expect("pong")
	d.say("ponder-hit")
	d.expect("done move=")
	d.say("pos start")
	d.say("go ponder")
	d.say("ponder-hit") // nothing bounds it
	d.expect("done move=")

	// A position without a move is not searched.
	d.say("pos pos=W%s", "b"+strings.Repeat("e", 49))
	d.say("go think")
	if got := d.hear(); got != "done" {
		t.Errorf("heard %q", got)
	}
	// A draw by repetition is, for the interface has not claimed it.
	d.say("pos pos=W%s moves=\"50-44 1-7 44-50 7-1 50-44 1-7 44-50 7-1 50-44 1-7 44-50 7-1\"", "B"+strings.Repeat("e", 48)+"W")
	d.say("go think")
	d.expect("done move=")

	d.say("quit")
	if err := <-d.end; err != nil {
		t.Errorf("after quit: %v", err)
	}
	if e.games != 1 {
		t.Errorf("%d new games", e.games)
	}
}

func TestInfo(t *testing.T) {
	d := talk(t, t.Context(), newPlayer(1))
	d.handshake()
	d.say("pos pos=W%s", "B"+strings.Repeat("e", 48)+"W")
	d.say("level nodes=1")
	d.say("go think")
	d.out.Scan()
	if got := d.out.Text(); !strings.HasPrefix(got, "info depth=1 score=0.25 nodes=10 time=0.002 nps=0.005 pv=50-") {
		t.Errorf("heard %q", got)
	}
	d.expect("done")
	d.in.Close()
	<-d.end
	if s := (Info{Score: Won(3)}).line(rules.International).String(); s != "info score=99.97" {
		t.Errorf("won: %s", s)
	}
}

func TestEndOfInput(t *testing.T) {
	e := newPlayer(1)
	d := talk(t, t.Context(), e)
	d.handshake()
	d.say("pos start")
	d.say("go analyze")
	go d.drain()
	d.in.Close() // also during a search
	if err := <-d.end; err != nil {
		t.Errorf("at the end of input: %v", err)
	}

	d = talk(t, t.Context(), newPlayer(1))
	if _, err := io.WriteString(d.in, "ping"); err != nil { // without a line break
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- d.in.Close() }()
	d.expect("pong")
	<-closed
	if err := <-d.end; err != nil {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := talk(t, ctx, newPlayer(1))
	d.handshake()
	d.say("go analyze")
	go d.drain()
	cancel()
	if err := <-d.end; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestClosedOutput(t *testing.T) {
	in, toEngine := io.Pipe()
	defer toEngine.Close()
	go io.WriteString(toEngine, "ping\n")
	err := Serve(t.Context(), in, closed{}, newPlayer(1))
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestBrokenEngine(t *testing.T) {
	e := newPlayer(1)
	d := talk(t, t.Context(), e)
	d.handshake()
	e.broken = errors.New("no memory")
	d.say("pos start")
	d.say("go think")
	d.expect(`error message="the search failed: no memory`, "done move=31-26")
	d.say("init")
	d.expect(`error message="no memory"`)
	d.say("quit")
	<-d.end
}

// Deadlines and ponder clocks are kept to the microsecond, in the false time of a bubble.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newPlayer(1)
		d := talk(t, t.Context(), e)
		d.handshake()
		took := func() time.Duration {
			start := time.Now()
			d.expect("done")
			return time.Since(start)
		}
		d.say("pos start")
		d.say("level time=300")
		d.say("go think")
		if got := took(); got != 10*time.Second {
			t.Errorf("300 s for the game: %v", got)
		}
		d.say("pos start")
		d.say("level time=300")
		d.say("go ponder")
		time.Sleep(time.Hour)
		d.say("ponder-hit")
		if got := took(); got != 10*time.Second {
			t.Errorf("after the ponder-hit: %v", got)
		}
		d.say("quit")
		<-d.end
	})
}

// Two engines play whole games with clocks; the interface between them keeps the rules, the clocks
// and the protocol.
func TestGames(t *testing.T) {
	for seed := range uint64(3) {
		synctest.Test(t, func(t *testing.T) {
			v := rules.International
			g := rules.NewGame(v)
			var sides [2]*dialogue
			clocks := [2]time.Duration{20 * time.Second, 20 * time.Second}
			const inc = 50 * time.Millisecond
			for i := range sides {
				sides[i] = talk(t, t.Context(), newPlayer(2*seed+uint64(i)))
				sides[i].handshake()
				sides[i].say("new-game")
			}
			var moves []string
			for !g.Over() && g.Ply() < 400 {
				turn := g.Position().Turn
				d := sides[turn]
				d.say("pos pos=%s moves=\"%s\"", v.HubString(v.Start()), strings.Join(moves, " "))
				d.say("level time=%f inc=%f", clocks[turn].Seconds(), inc.Seconds())
				start := time.Now()
				d.say("go think")
				line, err := ParseLine(d.hear())
				if clocks[turn] += inc - time.Since(start); clocks[turn] < 0 {
					t.Fatalf("%s lost on time at ply %d", turn, g.Ply())
				}
				text, ok := line.Get("move")
				if err != nil || line.Command != "done" || !ok {
					t.Fatalf("heard %v, %v", line, err)
				}
				m, err := notation.ParseHub(v, g.Position(), text)
				if err != nil {
					t.Fatal(err)
				}
				if err := g.Play(m); err != nil {
					t.Fatal(err)
				}
				moves = append(moves, text)
			}
			for _, d := range sides {
				d.say("quit")
				if err := <-d.end; err != nil {
					t.Error(err)
				}
			}
			outcome, reason := g.Outcome()
			t.Logf("%v by %q after %d plies; clocks %v", outcome, reason, g.Ply(), clocks)
			if !g.Over() {
				t.Error("the game did not end")
			}
		})
	}
}

// Serve answers any input with whole lines, and comes to an end.
func FuzzServe(f *testing.F) {
	f.Add("hub\ninit\npos start\nlevel depth=1\ngo think\nstop\nping\nquit\n")
	f.Add("init\ngo ponder\nponder-hit\ngo analyze\nstop\npos start moves=\"32-28\"\n")
	f.Add("init\nlevel time=0\ngo\n=\n\x00\npos pos=W moves=\"1-2\"")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "time") {
			return // no waiting
		}
		var out strings.Builder
		if err := Serve(t.Context(), strings.NewReader(text), &out, newPlayer(1)); err != nil {
			t.Fatal(err)
		}
		if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
			t.Fatalf("%q: an unfinished line in %q", text, s)
		}
		for line := range strings.Lines(out.String()) {
			if _, err := ParseLine(line); err != nil {
				t.Fatalf("%q: answered %q: %v", text, line, err)
			}
		}
	})
}

func TestSecondsAreBounded(t *testing.T) {
	for text, want := range map[string]time.Duration{"1.5": 1500 * time.Millisecond, "-1": 0, "1e300": 365 * 24 * time.Hour, "+Inf": 365 * 24 * time.Hour} {
		if got, err := seconds(Arg{"time", text, true}); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if n, err := count(Arg{"nodes", "1e30", true}, math.MaxInt64); err != nil || n != math.MaxInt64 {
		t.Errorf("%d, %v", n, err)
	}
}
