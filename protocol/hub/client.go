package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"damier/internal/plain"
	"damier/notation"
	"damier/rules"
)

// Client is the interface's side of a conversation with an engine. Only one goroutine may use it.
//
// It trusts the engine as little as possible. It skips lines that are no messages, and messages
// that it does not wait for, because some programs write other text to their standard output.
type Client struct {
	out    io.Writer
	lines  chan string
	ended  chan struct{} // closed when the engine's output has ended
	broken error         // the reason, once ended is closed; nil for a normal end
	closed chan struct{} // closed when the client needs no more lines
	close  sync.Once

	id     ID
	params []Param
	last   string // the last error message, or line that was not a message; "" for none
}

// NewClient returns a client that reads the engine's messages from in and writes to out. A
// goroutine reads in to its end.
func NewClient(in io.Reader, out io.Writer) *Client {
	c := &Client{out: out, lines: make(chan string, 64), ended: make(chan struct{}), closed: make(chan struct{})}
	go func() {
		defer close(c.ended)
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			select {
			case c.lines <- plain.Line(s.Text()): // made safe to print
			case <-c.closed:
				return
			}
		}
		c.broken = s.Err()
	}()
	return c
}

// drop stops reading.
func (c *Client) drop() { c.close.Do(func() { close(c.closed) }) }

// ErrEnded is wrapped by errors about an engine that sends no more messages.
var ErrEnded = errors.New("the program talks no more")

// ErrSilent is wrapped by errors about an engine that has not answered in time.
var ErrSilent = errors.New("no answer")

// Send writes a message.
func (c *Client) Send(l Line) error {
	if _, err := io.WriteString(c.out, l.String()+"\n"); err != nil {
		return fmt.Errorf("%w: sending %s: %w", ErrEnded, l.Command, err)
	}
	return nil
}

// receive waits for the next readable message of the engine.
func (c *Client) receive(ctx context.Context) (Line, error) {
	for {
		var text string
		select {
		case text = <-c.lines:
		case <-ctx.Done():
			return Line{}, context.Cause(ctx)
		case <-c.ended:
			select {
			case text = <-c.lines: // sent before the end
			default:
				if c.broken != nil {
					return Line{}, fmt.Errorf("%w: %w", ErrEnded, c.broken)
				}
				return Line{}, ErrEnded
			}
		}
		line, err := ParseLine(text)
		if err != nil {
			c.last = clip(text)
			continue
		}
		if line.Command == "error" {
			c.last, _ = line.Get("message")
		}
		return line, nil
	}
}

// wait waits for a message with that command. It calls seen, if not nil, with the other messages.
func (c *Client) wait(ctx context.Context, limit time.Duration, command string, seen func(Line)) (Line, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: no %s within %s", ErrSilent, command, limit))
	defer cancel()
	for {
		line, err := c.receive(ctx)
		switch {
		case err != nil && c.last != "":
			return line, fmt.Errorf("%w (the last it said: %s)", err, clip(c.last))
		case err != nil || line.Command == command:
			return line, err
		case seen != nil:
			seen(line)
		}
	}
}

// The largest greeting of an engine: number of lines, of parameters among them, and bytes of a
// parameter. Known engines have at most some fifty parameters.
const (
	maxGreeting   = 10_000
	maxParams     = 1000
	maxParamBytes = 1 << 14
)

// errTalks is wrapped by errors about an engine whose greeting is too long.
var errTalks = errors.New("its greeting is too long")

// Hello begins the conversation: the engine sends its identity and its parameters.
func (c *Client) Hello(ctx context.Context, limit time.Duration) error {
	if err := c.Send(Line{Command: "hub"}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := 0
	_, err := c.wait(ctx, limit, "wait", func(l Line) {
		if lines++; lines > maxGreeting {
			cancel(fmt.Errorf("%w: it says more than %d lines before wait", errTalks, maxGreeting))
			return
		}
		switch l.Command {
		case "id":
			c.id.Name, _ = l.Get("name")
			c.id.Version, _ = l.Get("version")
			c.id.Author, _ = l.Get("author")
			c.id.Country, _ = l.Get("country")
		case "param":
			if len(c.params) == maxParams {
				cancel(fmt.Errorf("%w: it has more than %d parameters", errTalks, maxParams))
				return
			}
			c.params = append(c.params, parseParam(l))
		}
	})
	if err != nil {
		return fmt.Errorf("not a Hub engine: %w", err)
	}
	return nil
}

// parseParam reads a param message. Without min and max there are no bounds.
func parseParam(l Line) Param {
	get := func(name string) string {
		value, _ := l.Get(name)
		// Cloned, so that it does not keep the line in memory.
		return strings.Clone(value[:min(len(value), maxParamBytes)])
	}
	p := Param{Name: get("name"), Value: get("value"), Type: Type(get("type")), Values: strings.Fields(get("values"))}
	for _, bound := range []struct {
		name string
		x    *float64
		none float64
	}{{"min", &p.Min, -1e300}, {"max", &p.Max, 1e300}} {
		x, err := strconv.ParseFloat(get(bound.name), 64)
		if err != nil {
			x = bound.none
		}
		*bound.x = x
	}
	return p
}

// ID returns the identity that the engine has sent.
func (c *Client) ID() ID { return c.id }

// Params returns the engine's parameters as they were at Hello.
func (c *Client) Params() []Param { return slices.Clone(c.params) }

// SetParam sets a parameter. It first checks that the engine has it and accepts the value.
func (c *Client) SetParam(name, value string) error {
	i := slices.IndexFunc(c.params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		var names []string
		for _, p := range c.params {
			names = append(names, p.Name)
		}
		return fmt.Errorf("the program has no parameter %s; it has %s", clip(name), strings.Join(names, ", "))
	}
	if err := c.params[i].check(value); err != nil {
		return err
	}
	return c.Send(Line{Command: "set-param"}.with("name", name).with("value", value))
}

// SetVariant sets the variant of the engine. An engine without such a parameter plays
// international draughts. An engine that offers Frisian draughts but not Frysk! can play Frysk!
// too, because it gets every position in full.
func (c *Client) SetVariant(v *rules.Variant) error {
	i := slices.IndexFunc(c.params, func(p Param) bool { return p.Name == "variant" })
	name, names := VariantName(v), []string{VariantName(rules.International)}
	if i >= 0 && len(c.params[i].Values) > 0 {
		names = c.params[i].Values
	}
	if other := v.Tuning().StandIn; other != "" && !slices.Contains(names, name) && slices.Contains(names, other) {
		name = other
	}
	if !slices.Contains(names, name) {
		return fmt.Errorf("the program does not play %s: it names %s", v.Name, strings.Join(names, ", "))
	}
	if i < 0 {
		return nil
	}
	return c.Send(Line{Command: "set-param"}.with("name", "variant").with("value", name))
}

// Init makes the engine ready to search.
func (c *Client) Init(ctx context.Context, limit time.Duration) error {
	if err := c.Send(Line{Command: "init"}); err != nil {
		return err
	}
	_, err := c.wait(ctx, limit, "ready", nil)
	return err
}

// Think makes the engine search the position of g, and returns its done message. It sends the
// limits and the moves since the start of the game. If done does not come within limit, it sends
// stop, and its error wraps ErrSilent. If done then comes within grace the conversation can
// continue; otherwise the error wraps ErrEnded too.
func (c *Client) Think(ctx context.Context, g *rules.Game, l Limits, limit, grace time.Duration, info func(Line)) (Line, error) {
	v := g.Variant()
	pos := Line{Command: "pos"}.with("pos", v.HubString(g.Start()))
	if moves := g.Moves(); len(moves) > 0 {
		texts := make([]string, len(moves))
		for i, m := range moves {
			texts[i] = notation.FormatHub(v, m)
		}
		pos = pos.with("moves", strings.Join(texts, " "))
	}
	c.last = ""
	for _, line := range []Line{pos, l.line(), {Command: "go", Args: []Arg{{Name: "think"}}}} {
		if err := c.Send(line); err != nil {
			return Line{}, err
		}
	}
	seen := func(l Line) {
		if l.Command == "info" && info != nil {
			info(l)
		}
	}
	line, err := c.wait(ctx, limit, "done", seen)
	if err == nil || errors.Is(err, ErrEnded) {
		return line, err
	}
	if e := c.Send(Line{Command: "stop"}); e != nil {
		return line, fmt.Errorf("%w, %w", err, e)
	}
	if _, e := c.wait(context.WithoutCancel(ctx), grace, "done", nil); e != nil {
		return line, fmt.Errorf("%w, nor after stop: %w", err, ErrEnded)
	}
	return line, err
}

// line returns the limits as a level message.
func (l Limits) line() Line {
	line := Line{Command: "level"}
	if l.Depth > 0 {
		line = line.with("depth", strconv.Itoa(l.Depth))
	}
	if l.Nodes > 0 {
		line = line.with("nodes", strconv.FormatInt(l.Nodes, 10))
	}
	if l.Time > 0 {
		line = line.with("move-time", number(l.Time.Seconds()))
	}
	if c := l.Clock; c != nil {
		if c.Moves > 0 {
			line = line.with("moves", strconv.Itoa(c.Moves))
		}
		line = line.with("time", number(c.Time.Seconds()))
		if c.Inc > 0 {
			line = line.with("inc", number(c.Inc.Seconds()))
		}
	}
	if len(line.Args) == 0 {
		line.Args = []Arg{{Name: "infinite"}}
	}
	return line
}
