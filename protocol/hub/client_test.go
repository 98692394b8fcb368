package hub_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"damier/arena"
	"damier/notation"
	"damier/protocol/hub"
	"damier/rules"
)

// TestMain runs the test binary as a Hub program when its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "hub-program" {
		program(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// engine is a Hub engine that plays at random, in every variant.
type engine struct {
	v, next *rules.Variant
	p       *arena.Random
}

func (e *engine) ID() hub.ID              { return hub.ID{Name: "fake", Version: "1"} }
func (e *engine) Variant() *rules.Variant { return e.v }
func (e *engine) Init() error             { e.v = e.next; return nil }
func (e *engine) NewGame()                {}

func (e *engine) Params() []hub.Param {
	return []hub.Param{hub.VariantParam(e.next, hub.Variants()...), {Name: "seed", Value: "1", Type: hub.Int, Min: 0, Max: 9}}
}

func (e *engine) SetParam(name, value string) error {
	for _, v := range hub.Variants() {
		if name == "variant" && hub.VariantName(v) == value {
			e.next = v
		}
	}
	return nil
}

func (e *engine) Search(ctx context.Context, g *rules.Game, l hub.Limits, info func(hub.Info)) (hub.Result, error) {
	m, err := e.p.Play(context.Background(), g)
	info(hub.Info{Depth: 1, PV: []rules.Move{m}})
	return hub.Result{Move: m}, err
}

// program is a Hub program with a fault, or "good" without one.
func program(fault string, args []string) {
	if fault == "good" {
		fmt.Println("a line of chat before anything = \"else")
		hub.Serve(context.Background(), os.Stdin, os.Stdout, &engine{v: rules.International, next: rules.International, p: arena.NewRandom(1)})
		return
	}
	if fault == "mute" {
		time.Sleep(time.Minute)
	}
	v := rules.International
	g := rules.NewGame(v)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line, err := hub.ParseLine(in.Text())
		if err != nil {
			os.Exit(9)
		}
		moves, _ := line.Get("moves")
		switch line.Command {
		case "hub":
			fmt.Println("id name=faulty")
			if fault != "no variant" {
				fmt.Println(`param name=variant value=normal type=enum values="normal killer"`)
			}
			fmt.Println("param name=book value=true type=bool")
			if fault == "dies at once" {
				fmt.Fprintln(os.Stderr, "no data\ndirectory")
				os.Exit(3)
			}
			fmt.Println("wait")
		case "set-param":
			if fault == "deaf" {
				time.Sleep(time.Minute)
			}
		case "init":
			fmt.Println("init eval\nready")
		case "pos":
			g = rules.NewGame(v)
			for _, text := range strings.Fields(moves) {
				m, err := notation.ParseHub(v, g.Position(), text)
				if err != nil {
					os.Exit(8)
				}
				g.Play(m)
			}
		case "go":
			if g.Ply() < 4 || fault == "no variant" {
				fmt.Println("info depth=1\ndone move=" + notation.FormatHub(v, g.Legal()[0]))
				continue
			}
			switch fault {
			case "crash":
				fmt.Fprintln(os.Stderr, "segmentation fault")
				os.Exit(5)
			case "silent":
				time.Sleep(time.Minute)
			case "slow":
				time.Sleep(400 * time.Millisecond)
				fmt.Println("done move=" + notation.FormatHub(v, g.Legal()[0]))
			case "illegal":
				fmt.Println(`error message="what position"` + "\ndone move=1-50")
			case "rubbish":
				fmt.Println("done move=cheese")
			case "bare":
				fmt.Println("done")
			case "long line":
				fmt.Println(strings.Repeat("x", 2<<20))
				time.Sleep(time.Minute)
			case "flood":
				for {
					if _, err := fmt.Println("info depth=1 pv=\"" + strings.Repeat("32-28 ", 50) + "\""); err != nil {
						os.Exit(1)
					}
				}
			}
		case "quit":
			if fault == "stays" {
				time.Sleep(time.Minute)
			}
			return
		}
	}
}

func playerConfig(fault string) hub.PlayerConfig {
	return hub.PlayerConfig{
		Variant: rules.International, Command: []string{os.Args[0], "hub-program", fault},
		Limits: hub.Limits{Time: 200 * time.Millisecond}, Grace: 100 * time.Millisecond, Patience: 2 * time.Second,
	}
}

func factory(t testing.TB, c hub.PlayerConfig) arena.Factory {
	return func() (arena.Player, error) {
		p, err := hub.NewPlayer(context.Background(), c)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { p.Close() })
		return p, nil
	}
}

func random() (arena.Player, error) { return arena.NewRandom(1), nil }

func TestPlayerKeepsTheContract(t *testing.T) {
	if err := arena.TestPlayer(t.Context(), rules.International, factory(t, playerConfig("good"))); err != nil {
		t.Error(err)
	}
}

// More than a hundred games against our own side of the protocol, in every variant, without a
// fault.
func TestPlayerEveryVariant(t *testing.T) {
	for _, v := range hub.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			c := playerConfig("good")
			c.Variant, c.Limits = v, hub.Limits{Nodes: 10}
			c.Params = []hub.Arg{{Name: "seed", Value: "4", HasValue: true}}
			openings, err := arena.Openings(v)
			if err != nil {
				t.Fatal(err)
			}
			m := arena.Match{Variant: v, Games: 6, Concurrency: 1, MaxPlies: 150, Openings: openings, A: factory(t, c), B: random}
			r, err := m.Play(t.Context())
			if err != nil || r.Games() != 6 || r.Failures != [2]int{} || r.Illegal != [2]int{} || r.Forfeits != [2]int{} {
				t.Errorf("%+v, %v", r, err)
			}
			if r.A != "fake:nodes=10" {
				t.Errorf("the name is %q", r.A)
			}
		})
	}
}

// Every kind of failure loses the game in time and with a named reason, and the next game is
// played.
func TestPlayerFailures(t *testing.T) {
	for _, c := range []struct {
		fault  string
		reason rules.Reason
		says   string
	}{
		{"crash", rules.PlayerFailure, "the program talks no more: exit status 5; segmentation fault"},
		{"silent", rules.TimeForfeit, "no done within 300ms"},
		{"slow", rules.TimeForfeit, "no answer: no done within 300ms"},
		{"flood", rules.TimeForfeit, "no done within 300ms"},
		{"illegal", rules.IllegalMove, "illegal move 1-50: "},
		{"illegal", rules.IllegalMove, "before, it said: what position"},
		{"rubbish", rules.PlayerFailure, `"cheese"`},
		{"bare", rules.PlayerFailure, "done without a move in "},
		{"long line", rules.PlayerFailure, "token too long"},
		{"stays", rules.NoReason, ""},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			games := 0
			config := playerConfig(c.fault)
			config.Patience = time.Minute
			if c.fault == "long line" { // a busy machine must not turn it into another fault
				config.Limits.Time = time.Minute
			}
			m := arena.Match{
				Variant: rules.International, Games: 2, Concurrency: 1, MaxPlies: 8,
				A: factory(t, config), B: random,
				OnGame: func(g arena.GameRecord) error {
					games++
					if c.fault == "stays" {
						return nil
					}
					o, reason := g.Game.Outcome()
					if o != rules.Win(g.A.Opponent()) || reason != c.reason || !strings.Contains(g.Fault, c.says) || g.Game.Ply() < 4 {
						t.Errorf("game %d: %s, %q after %d plies, fault %q; want %q, %q", g.Number, o, reason, g.Game.Ply(), g.Fault, c.reason, c.says)
					}
					return nil
				},
			}
			if _, err := m.Play(t.Context()); c.fault != "stays" && err != nil {
				t.Errorf("%d games, %v", games, err)
			}
		})
	}
}

// An endless greeting is refused, whatever its content, and no raw text of it reaches a terminal.
func TestGreetingWithoutEnd(t *testing.T) {
	for name, line := range map[string]string{
		"parameters": "param name=p value=1 type=int min=0 max=9 values=\"" + strings.Repeat("v ", 3000) + "\"",
		"lines":      "info depth=1",
	} {
		t.Run(name, func(t *testing.T) {
			in, w := io.Pipe()
			defer in.Close()
			go func() {
				for {
					if _, err := fmt.Fprintln(w, line); err != nil {
						return
					}
				}
			}()
			c := hub.NewClient(in, io.Discard)
			err := c.Hello(t.Context(), time.Hour)
			if err == nil || !strings.Contains(err.Error(), "its greeting is too long") {
				t.Errorf("%v", err)
			}
			if n := len(c.Params()); n > 1000 {
				t.Errorf("%d parameters are kept", n)
			}
		})
	}
	c := hub.NewClient(strings.NewReader("id name=\"\x1b[2Jnice\x07\"\nwait\n"), io.Discard)
	if err := c.Hello(t.Context(), time.Minute); err != nil || c.ID().Name != "?[2Jnice?" {
		t.Errorf("%q, %v", c.ID().Name, err)
	}
}

// A wrong program is reported before the first game.
func TestNewPlayerErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*hub.PlayerConfig)
		want   string
	}{
		{func(c *hub.PlayerConfig) { c.Command = nil }, "the program is missing"},
		{func(c *hub.PlayerConfig) { c.Command = []string{"./no-such-program", "hub"} }, "no-such-program: "},
		{func(c *hub.PlayerConfig) { c.Limits = hub.Limits{} }, "a limit is missing"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "mute"; c.Patience = 50 * time.Millisecond }, "not a Hub engine: no answer: no wait within 50ms"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "dies at once" }, "not a Hub engine: the program talks no more: exit status 3; directory"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "deaf"; c.Patience = 2 * time.Second }, "no ready within 2s"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "bare"; c.Variant = rules.Frisian }, "does not play frisian: it names normal, killer"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "no variant"; c.Variant = rules.Russian }, "does not play russian: it names normal"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "bare"; c.Params = []hub.Arg{{Name: "threads", Value: "2"}} },
			"no parameter threads; it has variant, book"},
		{func(c *hub.PlayerConfig) { c.Command[2] = "bare"; c.Params = []hub.Arg{{Name: "book", Value: "2"}} },
			"parameter book=2: write true or false"},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel() // they mostly wait
			config := playerConfig("good")
			c.change(&config)
			if p, err := hub.NewPlayer(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v", p, err)
			}
		})
	}
}

func TestPlayerInterrupted(t *testing.T) {
	c := playerConfig("silent")
	c.Limits = hub.Limits{Depth: 3}
	p, err := factory(t, c)()
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	for range 4 {
		g.Play(g.Legal()[0])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := p.Play(ctx, g); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 3*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

// The messages of a conversation, letter by letter.
func TestClient(t *testing.T) {
	in, toClient := io.Pipe()
	fromClient, out := io.Pipe()
	var heard []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		s := bufio.NewScanner(fromClient)
		for s.Scan() {
			heard = append(heard, s.Text())
			switch s.Text() {
			case "hub":
				fmt.Fprint(toClient, "noise\nid name=\"A B\" version=2\r\nparam name=variant value=normal type=enum values=\"normal bt\"\n"+
					"param name=hash size=\"\nparam name=size value=3 type=int min=1\nwait\n")
			case "init":
				fmt.Fprint(toClient, "ready\n")
			case "go think":
				fmt.Fprint(toClient, "info depth=3\ninfo depth=4\npong\ndone move=19-24 ponder=28-22\n")
			}
		}
	}()
	c := hub.NewClient(in, out)
	ctx := t.Context()
	if err := c.Hello(ctx, time.Second); err != nil || c.ID() != (hub.ID{Name: "A B", Version: "2"}) || len(c.Params()) != 2 {
		t.Fatalf("%v, %+v, %+v", err, c.ID(), c.Params())
	}
	if err := c.SetVariant(rules.Breakthrough); err != nil {
		t.Error(err)
	}
	if err := c.SetParam("size", "0"); err == nil {
		t.Error("a value below the least was sent")
	}
	if err := c.SetParam("size", "1000000"); err != nil {
		t.Error(err)
	}
	if err := c.Init(ctx, time.Second); err != nil {
		t.Error(err)
	}
	g := rules.NewGame(rules.International)
	for _, text := range []string{"32-28", "19-23", "28x19"} {
		m, err := notation.ParseMove(rules.International, g.Position(), text)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	infos := 0
	line, err := c.Think(ctx, g, hub.Limits{Depth: 9, Nodes: 1000, Time: 1500 * time.Millisecond}, time.Second, time.Second, func(hub.Line) { infos++ })
	if move, _ := line.Get("move"); err != nil || move != "19-24" || infos != 2 {
		t.Errorf("%v, %v, %d infos", line, err, infos)
	}
	if _, err := c.Think(ctx, g, hub.Limits{Depth: 5, Clock: &hub.Clock{Time: 90 * time.Second, Inc: 500 * time.Millisecond, Moves: 12}}, time.Second, time.Second, nil); err != nil {
		t.Error(err)
	}
	out.Close()
	<-done
	want := []string{
		"hub", "set-param name=variant value=bt", "set-param name=size value=1000000", "init",
		`pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww moves="32-28 19-23 28x19x23"`,
		"level depth=9 nodes=1000 move-time=1.5", "go think",
		`pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww moves="32-28 19-23 28x19x23"`,
		"level depth=5 moves=12 time=90 inc=0.5", "go think",
	}
	if !slices.Equal(heard, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(want, "\n"))
	}
}

// In a match by the clock the program gets the clock and plans its time itself. It is never given
// more time than is left.
func TestPlayerClock(t *testing.T) {
	c := playerConfig("good")
	p, err := hub.NewPlayer(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var _ arena.Clocked = p
	m := arena.Match{
		Variant: rules.International, Games: 2, Concurrency: 1, MaxPlies: 60, Clock: &arena.Control{Time: 30 * time.Second, Increment: time.Second},
		A: func() (arena.Player, error) { return p, nil }, B: random,
	}
	r, err := m.Play(t.Context())
	if err != nil || r.Forfeits != [2]int{} || r.Failures != [2]int{} {
		t.Errorf("%+v, %v", r, err)
	}
	// A silent program loses on time when its clock runs out, not when a limit per move ends.
	c = playerConfig("silent")
	c.Limits.Time = time.Hour
	slow, err := factory(t, c)()
	if err != nil {
		t.Fatal(err)
	}
	g := rules.NewGame(rules.International)
	for range 4 {
		g.Play(g.Legal()[0])
	}
	slow.(*hub.Player).SetClock(100*time.Millisecond, time.Minute, 3)
	var lost arena.Ending
	began := time.Now()
	if _, err := slow.Play(t.Context(), g); !errors.As(err, &lost) || lost.Ending() != rules.TimeForfeit || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

// The client terminates whatever a program sends.
func FuzzClient(f *testing.F) {
	for _, s := range []string{
		"id name=x\nparam name=variant value=normal type=enum values=normal\nwait\nready\ninfo depth=1\ndone move=32-28\n",
		"wait\nready\ndone\n", "error message=\"x\"\nwait", "param name=\"\nwait\nready\ndone move=31-26\n", "wait\r\nready\r\ndone move=28x19x23\r\n", "\x00\xff=",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		c := hub.NewClient(strings.NewReader(said), io.Discard)
		const limit = 5 * time.Second // the client ends long before, because no more input arrives
		if err := c.Hello(t.Context(), limit); err != nil {
			return
		}
		c.SetVariant(rules.International)
		for _, p := range c.Params() {
			c.SetParam(p.Name, p.Value)
		}
		if err := c.Init(t.Context(), limit); err != nil {
			return
		}
		g := rules.NewGame(rules.International)
		for range 3 {
			line, err := c.Think(t.Context(), g, hub.Limits{Depth: 1}, limit, limit, func(hub.Line) {})
			if errors.Is(err, hub.ErrSilent) {
				t.Fatal("it waits for what cannot come")
			}
			if err != nil {
				return
			}
			text, _ := line.Get("move")
			if m, err := notation.ParseHub(rules.International, g.Position(), text); err == nil {
				g.Play(m)
			}
		}
	})
}
