package evaluate

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"damier/arena"
	"damier/notation"
	"damier/protocol/dxp"
	"damier/protocol/hub"
	"damier/rules"
)

// hubProgram is a Hub program that plays at random. With the parameter dies it exits after 20
// plies of a game.
type hubProgram struct {
	v    *rules.Variant
	dies string
	arena.Random
}

func (h *hubProgram) ID() hub.ID              { return hub.ID{Name: "other"} }
func (h *hubProgram) Variant() *rules.Variant { return h.v }
func (h *hubProgram) Init() error             { return nil }
func (h *hubProgram) NewGame()                {}

func (h *hubProgram) Params() []hub.Param {
	return []hub.Param{
		hub.VariantParam(rules.International, rules.International, rules.Frisian),
		{Name: "dies", Value: h.dies, Type: hub.Bool},
	}
}

func (h *hubProgram) SetParam(name, value string) error {
	switch {
	case name == "dies":
		h.dies = value
	case value == "frisian":
		h.v = rules.Frisian
	}
	return nil
}

func (h *hubProgram) Search(_ context.Context, g *rules.Game, _ hub.Limits, _ func(hub.Info)) (hub.Result, error) {
	if h.dies == "true" && g.Ply() > 20 {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
	}
	m, err := h.Play(context.Background(), g)
	return hub.Result{Move: m}, err
}

// serveHub turns the test binary into a Hub program.
func serveHub() {
	hub.Serve(context.Background(), os.Stdin, os.Stdout, &hubProgram{v: rules.International, dies: "false", Random: *arena.NewRandom(1)})
	os.Exit(0)
}

// evaluate runs the command and returns what it prints.
func evaluate(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c := newCommand()
	c.SilenceErrors, c.SilenceUsage = true, true // as cli.Main sets it
	var o, e strings.Builder
	c.SetOut(&o)
	c.SetErr(&e)
	c.SetArgs(args)
	err = c.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

func TestHubPlayer(t *testing.T) {
	program := fmt.Sprintf(`hub:"'%s' hub-program"`, os.Args[0])
	file := filepath.Join(t.TempDir(), "games.pdn")
	out, stderr, err := evaluate(t, "--a", "alphabeta:depth=1", "--b", program+",depth=3", "--games", "4", "--pdn", file)
	if err != nil || stderr != "" || !strings.Contains(out, "B               other:depth=3\n") || !strings.Contains(out, "games           4: +4 =0 -0") {
		t.Errorf("%s%s%v", out, stderr, err)
	}
	if games, err := notation.ReadFile(rules.International, file); err != nil || len(games) != 4 {
		t.Errorf("%d games, %v", len(games), err)
	}
	out, stderr, err = evaluate(t, "--variant", "frisian", "--a", "random", "--b", program, "--time", "1s", "--games", "2", "--max-plies", "40")
	if err != nil || stderr != "" || !strings.Contains(out, "other:time=1s") {
		t.Errorf("%s%s%v", out, stderr, err)
	}
	// A program that exits loses its game, and the match is still played to its end.
	out, stderr, err = evaluate(t, "--a", "random", "--b", program+",dies=true,nodes=1", "--games", "4", "--concurrency", "1")
	if err != nil || !strings.Contains(out, "lost by failure A 0, B 4\n") || strings.Count(stderr, "the program talks no more: exit status 7; out of memory\n") != 4 {
		t.Errorf("%s%s%v", out, stderr, err)
	}
	for _, c := range []struct{ want, args string }{
		{"has no limit", "--b\n" + program},
		{"does not play russian: it names normal, frisian", "--variant\nrussian\n--b\n" + program + ",depth=1"},
		{"the program has no parameter threads", "--b\n" + program + ",depth=1,threads=3"},
		{"no-such-program", "--b\nhub:./no-such-program,depth=1"},
		{"a single quote is not closed", "--b\nhub:it's,depth=1"},
	} {
		_, _, err := evaluate(t, append([]string{"--a", "random", "--games", "2"}, strings.Split(c.args, "\n")...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
}

func TestDXPPlayer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := dxp.NewSession(c, dxp.Follower, dxp.Config{Variant: rules.International, Chat: func(text string) { said <- text }})
			if err != nil {
				return
			}
			p := arena.NewRandom(1)
			for err == nil {
				if _, err = s.Await(context.Background(), nil); err == nil {
					_, err = s.Play(context.Background(), func(ctx context.Context, g *rules.Game, _ dxp.Clock) (rules.Move, error) { return p.Play(ctx, g) })
				}
			}
			s.Close()
		}
	}()
	address := "dxp:" + l.Addr().String()
	out, stderr, err := evaluate(t, "--a", "alphabeta:depth=1", "--b", address+",time=1m,say=console depth 6", "--games", "4")
	if err != nil || stderr != "" || !strings.Contains(out, "games           4: +4 =0 -0") || !strings.Contains(out, address+",time=1m0s\n") {
		t.Errorf("%s%s%v", out, stderr, err)
	}
	if text := <-said; text != "console depth 6" {
		t.Errorf("printed %q", text)
	}
	for _, c := range []struct{ want, args string }{
		{"international draughts only, not frisian", "--variant frisian --b " + address},
		{"plays one game at a time", "--concurrency 2 --b " + address},
		{"whole minutes", "--b " + address + ",time=61s"},
		{"not HOST:PORT", "--b dxp:a:b:c"},
		{"is a DXP program listening there", "--b dxp:127.0.0.1:1"},
	} {
		_, _, err := evaluate(t, append([]string{"--a", "random", "--games", "2"}, strings.Fields(c.args)...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	l.Close()
	<-done
}
