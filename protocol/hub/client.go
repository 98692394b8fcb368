package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
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

// PlayerConfig holds the settings of a Player. The zero value of an optional field means its
// default.
type PlayerConfig struct {
	Variant *rules.Variant
	Command []string // the program and its arguments
	Dir     string   // its working directory; the present one if empty
	Params  []Arg    // parameters to set before the first game, in this order

	// Limits of each move: Depth, Nodes or Time must be set.
	Limits Limits

	// Grace is the time by which a move may exceed Time before the game is lost: half a second if
	// zero. It is also the time limit for the answer to a stop.
	Grace time.Duration

	// Longest is the time limit for a move without Time: five minutes if zero.
	Longest time.Duration

	// Patience is the time limit for the program to start and to become ready: 30 seconds if zero.
	Patience time.Duration
}

// Player is a Hub program as a player. It starts the program again if it has died. It has the
// methods of the players of package arena, and ends its games by errors as they may. Only one
// goroutine may use it.
type Player struct {
	config PlayerConfig
	run    *process // nil if none is running
	name   string
	fresh  bool   // the program does not know about the present game yet
	clock  *Clock // of the next move, in a match by the clock; nil otherwise
}

// lost is the error of a player that has lost its game.
type lost struct {
	reason rules.Reason
	err    error
}

func (l *lost) Error() string        { return l.err.Error() }
func (l *lost) Unwrap() error        { return l.err }
func (l *lost) Ending() rules.Reason { return l.reason }

// NewPlayer starts the program and makes it ready. The error says what is wrong: the program does
// not exist, does not speak Hub, does not play the variant, or has no such parameter.
func NewPlayer(ctx context.Context, c PlayerConfig) (*Player, error) {
	if len(c.Command) == 0 {
		return nil, errors.New("the program is missing")
	}
	if c.Limits.Depth <= 0 && c.Limits.Nodes <= 0 && c.Limits.Time <= 0 {
		return nil, errors.New("a limit is missing: depth, nodes or time")
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&c.Grace, 500 * time.Millisecond}, {&c.Longest, 5 * time.Minute}, {&c.Patience, 30 * time.Second}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	p := &Player{config: c}
	if err := p.start(ctx); err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", c.Command[0], err)
	}
	p.name = p.run.client.ID().Name
	if p.name == "" {
		p.name = c.Command[0]
	}
	var limits []string
	for _, a := range c.Limits.line().Args {
		limits = append(limits, strings.TrimPrefix(a.Name, "move-")+"="+a.Value)
	}
	if c.Limits.Time > 0 {
		limits[len(limits)-1] = "time=" + c.Limits.Time.String()
	}
	p.name += ":" + strings.Join(limits, ",")
	return p, nil
}

// start starts the program and makes it ready.
func (p *Player) start(ctx context.Context) error {
	var err error
	if p.run, err = startProcess(p.config.Command, p.config.Dir); err != nil {
		return err
	}
	p.fresh = true
	c, patience := p.run.client, p.config.Patience
	if err := c.Hello(ctx, patience); err != nil {
		return p.run.explain(err)
	}
	if err := c.SetVariant(p.config.Variant); err != nil {
		return err
	}
	for _, a := range p.config.Params {
		if err := c.SetParam(a.Name, a.Value); err != nil {
			return err
		}
	}
	if err := c.Init(ctx, patience); err != nil {
		return p.run.explain(err)
	}
	return nil
}

// Name returns the name that the program gives itself, with the limits.
func (p *Player) Name() string { return p.name }

// MoveTime returns the time limit for a move, 0 for none.
func (p *Player) MoveTime() time.Duration { return p.config.Limits.Time }

// SetLimits sets the time limit for the next moves, as a match by the clock does. It ignores
// visits.
func (p *Player) SetLimits(_ int, limit time.Duration) { p.config.Limits.Time = limit }

// SetClock makes the program plan its own time for the next moves: it gets the time left on its
// clock, the increment after every move, and the number of moves for that time, 0 for the rest of
// the game. Limits.Time then does not apply.
func (p *Player) SetClock(left, increment time.Duration, moves int) {
	// The time left already contains the increment of the last move, and none at first: the engine
	// may never use more.
	increment = min(increment, left)
	p.clock = &Clock{Time: left - increment, Inc: increment, Moves: moves}
}

// NewGame says that another game begins.
func (p *Player) NewGame() { p.fresh = true }

// Play has the program choose a move.
func (p *Player) Play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if err := ctx.Err(); err != nil {
		return rules.Move{}, err
	}
	m, err := p.play(ctx, g)
	if err == nil {
		return m, nil
	}
	if cause := ctx.Err(); cause != nil {
		p.stop()
		return m, cause
	}
	failure := &lost{rules.PlayerFailure, err}
	switch {
	case errors.Is(err, rules.ErrIllegalMove):
		failure.reason = rules.IllegalMove
	case errors.Is(err, ErrSilent):
		failure.reason = rules.TimeForfeit
	}
	if errors.Is(err, ErrEnded) {
		p.stop()
	}
	return m, failure
}

func (p *Player) play(ctx context.Context, g *rules.Game) (rules.Move, error) {
	if p.run == nil {
		if err := p.start(ctx); err != nil {
			return rules.Move{}, fmt.Errorf("%w: started again: %w", ErrEnded, err)
		}
	}
	c := p.run.client
	if p.fresh {
		if err := c.Send(Line{Command: "new-game"}); err != nil {
			return rules.Move{}, p.run.explain(err)
		}
		p.fresh = false
	}
	limits, limit := p.config.Limits, p.config.Longest
	switch {
	case p.clock != nil:
		limits.Time, limits.Clock = 0, p.clock
		limit = p.clock.Time + p.clock.Inc + p.config.Grace // the match keeps the clock
	case limits.Time > 0:
		limit = limits.Time + p.config.Grace
	}
	done, err := c.Think(ctx, g, limits, limit, p.config.Grace, nil)
	if err != nil {
		return rules.Move{}, p.run.explain(err)
	}
	text, ok := done.Get("move")
	if !ok {
		return rules.Move{}, fmt.Errorf("done without a move in %s", g.Variant().HubString(g.Position()))
	}
	m, err := notation.ParseHub(g.Variant(), g.Position(), text)
	if err != nil && c.last != "" {
		err = fmt.Errorf("%w; before, it said: %s", err, clip(c.last))
	}
	return m, err
}

// stop ends the program.
func (p *Player) stop() {
	if p.run != nil {
		p.run.stop()
	}
	p.run = nil
}

// Close ends the program: with quit, and if that does not help by force.
func (p *Player) Close() error {
	p.stop()
	return nil
}

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	client *Client
	in     io.Closer
	talk   *tail
	dead   chan struct{}
	err    error // how the program ended, once dead is closed
}

// quitTime is the time that a program has to end after quit.
const quitTime = 500 * time.Millisecond

func startProcess(command []string, dir string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	p := &process{cmd: cmd, talk: &tail{}, dead: make(chan struct{})}
	cmd.Stderr = p.talk
	ownGroup(cmd)
	cmd.WaitDelay = quitTime // a child process of it may keep the pipes open
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe, because Wait would close it before everything is read.
	out, w := io.Pipe()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.in = in
	p.client = NewClient(out, in)
	go func() {
		p.err = cmd.Wait()
		w.Close()
		close(p.dead)
	}()
	go func() { // so that a program that still writes does not block for ever
		<-p.client.closed
		out.Close()
	}()
	return p, nil
}

// explain adds to an error how the program ended, and its last line of output.
func (p *process) explain(err error) error {
	if !errors.Is(err, ErrEnded) {
		return err
	}
	select {
	case <-p.dead:
	case <-time.After(2 * quitTime):
		return err // it still runs
	}
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	if last := p.talk.last(); last != "" {
		how += "; " + last
	}
	return fmt.Errorf("%w: %s", err, how)
}

// stop asks the program to end, and kills it if it does not.
func (p *process) stop() {
	p.client.drop()
	asked := make(chan struct{})
	go func() { // the write may block if it does not read
		defer close(asked)
		p.client.Send(Line{Command: "quit"})
		p.in.Close()
	}()
	select {
	case <-p.dead:
	case <-time.After(quitTime):
		killGroup(p.cmd.Process)
		<-p.dead
	}
	<-asked
}

// tail keeps the end of the text written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailLength = 4096

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if extra := len(t.text) - tailLength; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(text), nil
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.FieldsFunc(string(t.text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return clip(plain.Line(lines[len(lines)-1]))
}
