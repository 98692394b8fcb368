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

// Client is the interface's side of a conversation with an engine. It belongs to one goroutine.
//
// Of what an engine says it believes as little as it can: lines that are no messages, or none that is waited for, are
// passed over, as some programs chat on their standard output.
type Client struct {
	out    io.Writer
	lines  chan string
	ended  chan struct{} // closed when no more lines come
	broken error         // why, when ended is closed; nil at the end of the output
	closed chan struct{} // closed when nobody wants more
	close  sync.Once

	id     ID
	params []Param
	last   string // the last error message, or line that was not understood; "" for none
}

// NewClient returns a client that reads what the engine says from in and writes to out. in is read in a goroutine,
// until its end.
func NewClient(in io.Reader, out io.Writer) *Client {
	c := &Client{out: out, lines: make(chan string, 64), ended: make(chan struct{}), closed: make(chan struct{})}
	go func() {
		defer close(c.ended)
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			select {
			case c.lines <- plain.Line(s.Text()): // whatever becomes of it, it may be printed
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

// ErrEnded is wrapped by errors about an engine that nothing more can be heard of.
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

// receive waits for the next message of the engine that can be read.
func (c *Client) receive(ctx context.Context) (Line, error) {
	for {
		var text string
		select {
		case text = <-c.lines:
		case <-ctx.Done():
			return Line{}, context.Cause(ctx)
		case <-c.ended:
			select {
			case text = <-c.lines: // said before the end
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

// wait waits for a message of that command; others are handed to seen, if it is not nil.
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

// What an engine may say before it waits: lines, those among them that are parameters, and the bytes of one. The most
// that is known of is some fifty parameters.
const (
	maxGreeting   = 10_000
	maxParams     = 1000
	maxParamBytes = 1 << 14
)

// errTalks is wrapped by errors about an engine whose greeting has no end.
var errTalks = errors.New("its greeting is too long")

// Hello begins the conversation: the engine says who it is and which parameters it has.
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

// parseParam reads a param message. Bounds that are not given do not bind.
func parseParam(l Line) Param {
	get := func(name string) string {
		value, _ := l.Get(name)
		return strings.Clone(value[:min(len(value), maxParamBytes)]) // not with the rest of the line
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

// ID returns who the engine says it is.
func (c *Client) ID() ID { return c.id }

// Params returns the engine's parameters as they were at Hello.
func (c *Client) Params() []Param { return slices.Clone(c.params) }

// SetParam sets a parameter, after a look at whether the engine has it and can take the value.
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

// SetVariant tells the engine what is played. An engine without such a parameter plays international draughts; one that
// names Frisian draughts and not Frysk! plays that too, as it gets every position in full.
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

// Think has the engine search the game's position, with the limits and the moves since the start of the game, and
// returns its done message. When it does not come within the limit stop is sent and the error wraps
// ErrSilent; a done that follows within grace is read, so that the conversation can go on, and otherwise
// the error wraps ErrEnded as well.
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

// line writes limits as a level message.
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

// PlayerConfig says which program plays and how. The zero value of an optional field means its default.
type PlayerConfig struct {
	Variant *rules.Variant
	Command []string // the program and its arguments
	Dir     string   // where it runs; here when empty
	Params  []Arg    // set before the first game, in this order

	// Depth, Nodes and Time bound each move; one at least must be set.
	Limits Limits

	// Grace is how much longer than Time a move may take before the game is lost: half a second when zero. It
	// is also what the answer to a stop may take.
	Grace time.Duration

	// Longest is how long a move may take that no Time bounds: five minutes when zero.
	Longest time.Duration

	// Patience is how long the program may take to start, and to get ready: 30 seconds when zero.
	Patience time.Duration
}

// Player is a Hub program as a player, started anew when it has died. It has the methods of the players of package
// arena, and ends its games by its errors as those may. It belongs to one goroutine.
type Player struct {
	config PlayerConfig
	run    *process // nil when none runs
	name   string
	fresh  bool   // no game has been told yet
	clock  *Clock // of the next move, in a match by the clock; nil elsewhere
}

// lost is the error of a player that has lost its game without a move.
type lost struct {
	reason rules.Reason
	err    error
}

func (l *lost) Error() string        { return l.err.Error() }
func (l *lost) Unwrap() error        { return l.err }
func (l *lost) Ending() rules.Reason { return l.reason }

// NewPlayer starts the program and gets it ready. The error says what is wrong with it: it is not there, does not speak
// Hub, does not play the variant, or has no such parameter.
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

// start starts the program and gets it ready.
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

// MoveTime returns the limit of time, 0 for none.
func (p *Player) MoveTime() time.Duration { return p.config.Limits.Time }

// SetLimits changes the time of the next moves, as a match by the clock does; visits mean nothing here.
func (p *Player) SetLimits(_ int, limit time.Duration) { p.config.Limits.Time = limit }

// SetClock makes the program plan its time itself at the next moves: it is told what is left on its clock, the increment
// that comes after every move, and for how many moves that is, 0 for the rest of the game. Its limit of time for a move
// does not hold then.
func (p *Player) SetClock(left, increment time.Duration, moves int) {
	// What is left holds the increment of the move before, and at first none: the engine may never spend more.
	increment = min(increment, left)
	p.clock = &Clock{Time: left - increment, Inc: increment, Moves: moves}
}

// NewGame tells the program that another game begins.
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
		limit = p.clock.Time + p.clock.Inc + p.config.Grace // who runs the match has the clock
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

// process is a program that runs.
type process struct {
	cmd    *exec.Cmd
	client *Client
	in     io.Closer
	talk   *tail
	dead   chan struct{}
	err    error // of the program, when dead
}

// quitTime is what a program may take to end after quit.
const quitTime = 500 * time.Millisecond

func startProcess(command []string, dir string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	p := &process{cmd: cmd, talk: &tail{}, dead: make(chan struct{})}
	cmd.Stderr = p.talk
	ownGroup(cmd)
	cmd.WaitDelay = quitTime // a child of its own may hold the pipes open
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait would close it before everything is read.
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
	go func() { // a program that goes on talking to nobody must not wait for ever
		<-p.client.closed
		out.Close()
	}()
	return p, nil
}

// explain adds to an error of a program that has ended how it did, and the last that it said.
func (p *process) explain(err error) error {
	if !errors.Is(err, ErrEnded) {
		return err
	}
	select {
	case <-p.dead:
	case <-time.After(2 * quitTime):
		return err // it lives, and says nothing
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

// stop asks the program to end, and makes it.
func (p *process) stop() {
	p.client.drop()
	asked := make(chan struct{})
	go func() { // it may not read
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

// tail keeps the end of what is written to it.
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
