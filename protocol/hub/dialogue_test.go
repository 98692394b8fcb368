package hub

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

// dialogue talks to an engine line by line.
type dialogue struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func talk(t *testing.T, ctx context.Context, e Engine) *dialogue {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	d := &dialogue{t: t, in: toEngine, out: bufio.NewScanner(fromEngine), end: make(chan error, 1)}
	d.out.Buffer(nil, 1<<22)
	go func() {
		err := Serve(ctx, in, out, e)
		out.Close()
		in.Close()
		d.end <- err
	}()
	return d
}

func (d *dialogue) say(format string, args ...any) {
	d.t.Helper()
	if _, err := fmt.Fprintf(d.in, format+"\n", args...); err != nil {
		d.t.Fatalf("saying %q: %v", format, err)
	}
}

// hear returns the next line that is no info.
func (d *dialogue) hear() string {
	d.t.Helper()
	for d.out.Scan() {
		if !strings.HasPrefix(d.out.Text(), "info ") {
			return d.out.Text()
		}
	}
	d.t.Fatalf("the engine fell silent: %v", d.out.Err())
	return ""
}

// expect hears a line that begins so.
func (d *dialogue) expect(prefixes ...string) {
	d.t.Helper()
	for _, p := range prefixes {
		if got := d.hear(); !strings.HasPrefix(got, p) {
			d.t.Fatalf("heard %q, expected %q", got, p)
		}
	}
}

// drain hears everything from now on.
func (d *dialogue) drain() {
	for d.out.Scan() {
	}
}

func (d *dialogue) handshake() {
	d.t.Helper()
	d.say("hub")
	d.expect("id ", "param name=variant", "param name=visits", "param name=noise", "param name=book", "param name=network", "wait")
	d.say("init")
	d.expect("ready")
}
