package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// root returns a command whose argument selects what it does.
func root() *cobra.Command {
	c := &cobra.Command{Use: "tool WHAT", Args: Args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, args []string) error {
		switch args[0] {
		case "fail":
			return errors.New("it failed")
		case "damaged":
			return fmt.Errorf("reading: %w", WithCode(Damaged, errors.New("it is damaged")))
		case "no":
			return WithCode(No, errors.New(""))
		case "usage":
			return Usagef("--x %d is wrong", 3)
		case "wait": // until its context ends
			fmt.Println("waiting")
			<-c.Context().Done()
			return fmt.Errorf("waiting: %w", c.Context().Err())
		case "deaf":
			fmt.Println("waiting")
			<-c.Context().Done()
			fmt.Println("not yet")
			time.Sleep(time.Minute)
		case "pipe":
			_, err := io.WriteString(os.Stdout, "text")
			return err
		}
		return nil
	}}
	c.Flags().Int("x", 0, "a number")
	c.Flags().Int("width", 0, "another number")
	return c
}

func TestMain(m *testing.M) {
	if os.Args[0] == "tool" {
		os.Exit(Main(root()))
	}
	os.Exit(m.Run())
}

func tool(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path)
	c.Args = append([]string{"tool"}, args...)
	return c
}

func TestMainCodes(t *testing.T) {
	for _, c := range []struct {
		args  string
		code  int
		texts string
	}{
		{"fine", OK, ""},
		{"fail", Failure, "tool: it failed\n"},
		{"damaged", Damaged, "tool: reading: it is damaged\n"},
		{"no", No, ""},
		{"usage", Usage, "tool: --x 3 is wrong\nTry 'tool --help'.\n"},
		{"fine --x=many", Usage, "tool: --x \"many\" is not a whole number\nTry"},
		{"fine --wide=3", Usage, "tool: unknown flag: --wide (did you mean \"--width\"?)\nTry"},
		{"fine --y", Usage, "tool: unknown flag: --y\nTry 'tool --help'.\n"},
		{"", Usage, "tool: accepts 1 arg(s), received 0\nTry"},
	} {
		p := tool(t, strings.Fields(c.args)...)
		var talk strings.Builder
		p.Stderr = &talk
		if err := p.Run(); p.ProcessState == nil || p.ProcessState.ExitCode() != c.code {
			t.Errorf("%s: %v, want code %d", c.args, err, c.code)
		}
		if got := talk.String(); !strings.HasPrefix(got, c.texts) || c.texts == "" && got != "" {
			t.Errorf("%s: said %q, want %q", c.args, got, c.texts)
		}
	}
	out, err := tool(t, "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), "tool version ") || !strings.Contains(string(out), "go1") {
		t.Errorf("%q, %v", out, err)
	}
}

// The first signal stops cleanly, the second at once; the exit code names the signal.
func TestSignals(t *testing.T) {
	// Where the tests run under nohup, a child would ignore SIGHUP, too, if it were not caught
	// here.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, c := range []struct {
		what    string
		signals []os.Signal
		code    int
	}{
		{"wait", []os.Signal{os.Interrupt}, Interrupted},
		{"wait", []os.Signal{syscall.SIGTERM}, Terminated},
		{"wait", []os.Signal{syscall.SIGHUP}, HungUp},
		{"deaf", []os.Signal{os.Interrupt, os.Interrupt}, Interrupted},
		{"deaf", []os.Signal{os.Interrupt, syscall.SIGTERM}, Terminated},
	} {
		p := tool(t, c.what)
		out, err := p.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var talk strings.Builder
		p.Stderr = &talk
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		for _, s := range c.signals {
			if _, err := out.Read(make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			if err := p.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
		io.Copy(io.Discard, out)
		p.Wait()
		if got := p.ProcessState.ExitCode(); got != c.code || talk.String() != "" {
			t.Errorf("%s, %v: code %d, %q", c.what, c.signals, got, talk.String())
		}
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	p := tool(t, "pipe")
	var talk strings.Builder
	p.Stdout, p.Stderr = w, &talk
	p.Run()
	if p.ProcessState.ExitCode() != OK || talk.String() != "" {
		t.Errorf("%v, %q", p.ProcessState, talk.String())
	}
}

func TestCode(t *testing.T) {
	if WithCode(Damaged, nil) != nil || Code(nil) != OK {
		t.Error("nothing is an error")
	}
	inner := errors.New("inner")
	err := WithCode(Inconclusive, inner)
	if Code(err) != Inconclusive || !errors.Is(err, inner) || err.Error() != "inner" || Code(context.Canceled) != Failure {
		t.Errorf("%v has code %d", err, Code(err))
	}
}
