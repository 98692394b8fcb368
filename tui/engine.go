package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"damier/rules"
)

// Engine is who plays and analyses. Its methods are called by one goroutine at a time.
type Engine interface {
	Name() string

	// Strength says what it may spend on a move, "400 visits"; "" if there is nothing to say.
	Strength() string

	// Step makes it stronger by a level, or weaker where up is false. It is an error if it has no such setting.
	Step(up bool) error

	// NewGame makes it forget the game before.
	NewGame()

	// Think searches a game that is not over, with its own strength, or to analyse until ctx is done or it has seen
	// enough. When ctx is done it returns at once with what it has. It reports now and then.
	Think(ctx context.Context, g *rules.Game, task Task, report func(Thought)) (Thought, error)
}

// Task is what an engine thinks for.
type Task uint8

// The tasks.
const (
	Play    Task = iota // a move, weak if it is a weak level
	Advise              // the best move that it knows, and what it is worth
	Analyse             // the same, as long as anybody looks at it
)

// Thought is what a search has found. Values are for the side to move.
type Thought struct {
	Lines   []Line    // the best first, which is the move to play
	Score   float64   // expected score in [0,1]
	WDL     rules.WDL // the zero value if only a score is known
	Depth   int
	Nodes   int64 // simulations, or positions
	Elapsed time.Duration
}

// Line is a move with what a search knows about it.
type Line struct {
	PV     []rules.Move // begins with the move
	Visits int64        // 0 where they are not counted
	Value  float64      // expected score in [0,1]; NaN if unknown
}

// purpose is what a search is for.
type purpose uint8

const (
	toMove    purpose = iota // the engine's turn
	toMoveFor                // the person's turn, whose move the engine shall make
	toHint                   // what would it play?
	toAnswer                 // does it accept a draw?
	toAnalyse
)

// task returns what the engine is to think for.
func (p purpose) task() Task {
	switch p {
	case toHint, toAnswer:
		return Advise
	case toAnalyse:
		return Analyse
	}
	return Play
}

// desk is the engine, and whose turn it is to use it: who can send to turn has it until the value is taken out.
type desk struct {
	turn chan struct{} // of room one
	Engine
}

func newDesk(e Engine) *desk { return &desk{make(chan struct{}, 1), e} }

// alone calls f when nobody else uses the engine.
func (d *desk) alone(f func()) {
	d.turn <- struct{}{}
	f()
	<-d.turn
}

// search is a search under way.
type search struct {
	purpose purpose
	game    *rules.Game // its own
	ctx     context.Context
	cancel  context.CancelFunc
	dropped chan struct{} // closed when nobody wants the result
	news    chan Thought  // of room one: the latest
}

// The messages of a search.
type (
	thoughtMsg struct {
		s *search
		t Thought
	}
	endMsg struct {
		s   *search
		t   Thought
		err error
	}
)

// begin returns the commands that run a search of the game in place of the present one.
func (g *Game) begin(p purpose) tea.Cmd {
	g.stop()
	s := &search{purpose: p, game: g.game.Clone(), news: make(chan Thought, 1), dropped: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	g.search = s
	pace := time.Duration(0)
	if p == toMove && g.people == (People{}) {
		pace = g.cfg.Pace
	}
	return tea.Batch(func() tea.Msg { return s.run(g.engine, pace) }, s.hear)
}

// stop ends the search, whose result nobody wants any more.
func (g *Game) stop() {
	if g.search != nil {
		close(g.search.dropped)
		g.search.cancel()
		g.search = nil
	}
}

// run is a command: the search.
func (s *search) run(e *desk, pace time.Duration) tea.Msg {
	defer close(s.news)
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-s.dropped:
		return nil
	}
	began := time.Now()
	t, err := e.Engine.Think(s.ctx, s.game, s.purpose.task(), s.report)
	if rest := pace - time.Since(began); err == nil && rest > 0 {
		select {
		case <-time.After(rest):
		case <-s.ctx.Done():
		}
	}
	return endMsg{s, t, err}
}

// report keeps the latest thought for hear.
func (s *search) report(t Thought) {
	select {
	case <-s.news:
	default:
	}
	s.news <- t // there is room: nobody else writes
}

// hear is a command: the next report.
func (s *search) hear() tea.Msg {
	if t, ok := <-s.news; ok {
		return thoughtMsg{s, t}
	}
	return nil
}
