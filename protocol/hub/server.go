package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"damier/notation"
	"damier/rules"
)

// server is the state of a conversation.
type server struct {
	engine Engine
	v      *rules.Variant
	out    writer
	ready  bool        // Init has been called
	game   *rules.Game // the last valid position and its moves
	level  level
	search *search // nil if none is running
}

// search is a search from go to done.
type search struct {
	cancel  context.CancelFunc
	found   chan found       // receives the engine's answer, once; then nil
	clock   <-chan time.Time // when to stop after a ponder-hit
	result  *found           // the answer, until it may be sent
	hold    bool             // the answer must wait for stop or, with ponder, for ponder-hit
	ponder  bool
	game    *rules.Game
	planned level
}

// found is the result of Engine.Search.
type found struct {
	result Result
	err    error
}

func (s *server) fail(format string, args ...any) {
	s.out.send(Line{Command: "error"}.with("message", fmt.Sprintf(format, args...)))
}

// message handles one message. It returns true if the conversation is over.
func (s *server) message(ctx context.Context, m message) (quit bool) {
	if len(m.text) > maxLine {
		s.fail("the line is longer than %d bytes; nothing was done", maxLine)
		return false
	}
	line, err := ParseLine(m.text)
	if err != nil {
		s.fail("malformed message: %v", err)
		return false
	}
	switch line.Command {
	case "":
		return false
	case "quit":
		return true
	case "ping":
		s.out.send(Line{Command: "pong"})
		return false
	case "stop":
		s.stop()
		return false
	case "ponder-hit":
		s.ponderHit(m.at)
		return false
	}
	if s.search != nil {
		s.fail("%s during a search; send stop and wait for done", clip(line.Command))
		return false
	}
	switch line.Command {
	case "hub":
		s.out.send(s.engine.ID().line())
		for _, p := range s.engine.Params() {
			s.out.send(p.line())
		}
		s.out.send(Line{Command: "wait"})
	case "set-param":
		err = s.setParam(line)
	case "init":
		err = s.init()
	case "new-game":
		s.engine.NewGame()
	case "pos":
		s.level = level{}
		err = s.position(line)
	case "level":
		err = s.level.add(line)
	case "go":
		err = s.start(ctx, line, m.at)
	default:
		err = fmt.Errorf("unknown command %s; known are hub, set-param, init, new-game, pos, level, go, stop, ponder-hit, ping, quit", clip(line.Command))
	}
	if err != nil {
		s.fail("%v", err)
	}
	return false
}

// init prepares the engine. If its variant has changed, a new game begins.
func (s *server) init() error {
	if err := s.engine.Init(); err != nil {
		return err
	}
	if v := s.engine.Variant(); v != s.v {
		s.v, s.game, s.level = v, rules.NewGame(v), level{}
	}
	s.ready = true
	s.out.send(Line{Command: "ready"})
	return nil
}

func (s *server) setParam(line Line) error {
	name, ok := line.Get("name")
	value, has := line.Get("value")
	if !ok || !has {
		return errors.New("set-param needs a name and a value; write set-param name=N value=V")
	}
	for _, p := range s.engine.Params() {
		if p.Name != name {
			continue
		}
		if err := p.check(value); err != nil {
			return err
		}
		if err := s.engine.SetParam(name, value); err != nil {
			return err
		}
		if name == "variant" && value != p.Value {
			s.ready = false // the engine changes its variant in Init
		}
		return nil
	}
	return fmt.Errorf("unknown parameter %s", clip(name))
}

// position sets up a position and plays the moves after it. On any error it keeps the last valid
// position. The game goes on after a draw by rule if the interface continues it.
func (s *server) position(line Line) error {
	start := s.v.Start()
	if text, ok := line.Get("pos"); ok {
		p, err := rules.ParseHub(s.v, text)
		if err != nil {
			return err
		}
		start = p
	} else if !line.Has("start") {
		return errors.New("pos needs a position; write pos pos=W... or pos start")
	}
	g := rules.NewGameFrom(s.v, start)
	moves, _ := line.Get("moves")
	for i, text := range strings.Fields(moves) {
		m, err := notation.ParseHub(s.v, g.Position(), text)
		if err != nil {
			return fmt.Errorf("%w (move %d of the list); the position before stays", err, i+1)
		}
		reopen(g)
		if err := g.Play(m); err != nil {
			return fmt.Errorf("%w (move %d of the list); the position before stays", err, i+1)
		}
	}
	s.game = g
	return nil
}

// start begins a search; at is the time at which the go was read.
func (s *server) start(ctx context.Context, line Line, at time.Time) error {
	if !s.ready {
		return errors.New("go before init; send init and wait for ready")
	}
	think, ponder, analyze := line.Has("think"), line.Has("ponder"), line.Has("analyze")
	if !think && !ponder && !analyze {
		if len(line.Args) > 0 {
			return fmt.Errorf("go %s is unknown; write go think, go ponder or go analyze", clip(line.Args[0].Name))
		}
		think = true
	}
	planned := s.level
	s.level = level{}
	g := s.game.Clone()
	reopen(g)
	if len(g.Legal()) == 0 {
		s.out.send(Line{Command: "done"})
		return nil
	}
	if think && !planned.infinite && len(g.Legal()) == 1 {
		s.out.send(s.done(Result{Move: g.Legal()[0]}))
		return nil
	}

	limits := Limits{
		Depth:    planned.depth,
		Nodes:    planned.nodes,
		Infinite: planned.infinite || ponder || analyze,
		Analyze:  analyze,
	}
	s.search = &search{
		found:   make(chan found, 1),
		hold:    ponder || limits.Infinite && limits.Depth == 0 && limits.Nodes == 0,
		ponder:  ponder,
		game:    g,
		planned: planned,
	}
	should, must, timed := planned.plan(g.Position())
	if timed && !ponder {
		limits.Time, limits.Whole = should, !planned.clock
		limits.Infinite = false
		s.search.hold = false
		ctx, s.search.cancel = context.WithDeadline(ctx, at.Add(must))
	} else {
		ctx, s.search.cancel = context.WithCancel(ctx)
	}
	found := s.search.found
	go func() { found <- s.run(ctx, g.Clone(), limits) }()
	return nil
}

// run searches in its own goroutine.
func (s *server) run(ctx context.Context, g *rules.Game, limits Limits) found {
	r, err := s.engine.Search(ctx, g, limits, func(i Info) { s.out.send(i.line(s.v)) })
	return found{r, err}
}

// ponderHit starts the clock of a pondering search.
func (s *server) ponderHit(at time.Time) {
	if s.search == nil || !s.search.ponder {
		return // the message crossed our done
	}
	s.search.ponder = false
	should, _, timed := s.search.planned.plan(s.search.game.Position())
	if timed {
		s.search.clock = time.After(time.Until(at.Add(should)))
	}
	s.search.hold = !timed && s.search.planned.infinite
	if !timed && s.search.planned == (level{}) {
		s.search.cancel() // the search has no limit: answer with its result so far
	}
	s.answer()
}

// stop ends the search as soon as the engine can stop; done follows.
func (s *server) stop() {
	if s.search == nil {
		return // the message crossed our done
	}
	s.search.hold = false
	s.search.cancel()
	s.answer()
}

// answer sends the search's answer if it is available and due.
func (s *server) answer() {
	if s.search.result == nil || s.search.hold {
		return
	}
	f := *s.search.result
	legal := s.search.game.Legal()
	switch {
	case f.err != nil:
		s.fail("the search failed: %v; playing the first legal move", f.err)
		f.result = Result{Move: legal[0]}
	case !slices.Contains(legal, f.result.Move):
		s.fail("the search found no legal move; playing the first legal move")
		f.result = Result{Move: legal[0]}
	}
	s.search.cancel()
	s.search = nil
	s.out.send(s.done(f.result))
}

func (s *server) done(r Result) Line {
	l := Line{Command: "done"}.with("move", notation.FormatHub(s.v, r.Move))
	if r.Ponder != (rules.Move{}) {
		l = l.with("ponder", notation.FormatHub(s.v, r.Ponder))
	}
	return l
}

// patience is the time for which the end of a conversation waits for a search to end, because the
// search may hang in a write to an interface that no longer reads.
const patience = time.Second

// abandon stops the search, if there is one, and waits until the engine has returned.
func (s *server) abandon() {
	if s.search == nil {
		return
	}
	s.search.cancel()
	if s.search.found == nil {
		return
	}
	select {
	case <-s.search.found:
	case <-time.After(patience):
	}
}

// reopen removes a draw by rule from a game, so that it can continue.
func reopen(g *rules.Game) {
	if outcome, _ := g.Outcome(); outcome == rules.Draw {
		g.End(rules.Ongoing, rules.NoReason)
	}
}

// clip shortens what an error quotes.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}
