package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"damier/rules"
)

// Engine plays and analyses. One goroutine at a time calls its methods.
type Engine interface {
	Name() string

	// Strength describes its limit for a move, "400 visits"; "" if there is none.
	Strength() string

	// Step makes it stronger by a level, or weaker if up is false. It returns an error if there is
	// no such level.
	Step(up bool) error

	// NewGame makes it forget the last game.
	NewGame()

	// Think searches a game that is not over: to play or advise with its own strength, or to
	// analyse until ctx is done or it has seen enough. When ctx is done it returns at once with
	// its result so far. It reports from time to time.
	Think(ctx context.Context, g *rules.Game, task Task, report func(Thought)) (Thought, error)
}

// Task is the purpose for which an engine thinks.
type Task uint8

// The tasks.
const (
	Play    Task = iota // choose a move, weak if the level is weak
	Advise              // the best move it knows, and its value
	Analyse             // the same, for as long as the analysis is shown
)

// Thought is the result of a search. Values are for the side to move.
type Thought struct {
	Lines   []Line  // the best first; its first move is the move to play
	Score   float64 // expected score in [0,1]
	Depth   int
	Nodes   int64 // simulations, or positions
	Elapsed time.Duration
	Book    bool // from a book, without a search
	Offer   bool // with the move to play it offers a draw

	// Verdict is what endgame tables know about the move to play, in words such as "wins in 12"; ""
	// for nothing.
	Verdict string
}

// Line is a move with the search's results for it.
type Line struct {
	PV     []rules.Move // begins with the move
	Visits int64        // 0 where they are not counted
	Value  float64      // expected score in [0,1]; NaN if unknown
}

// purpose is the purpose of a search on the screen.
type purpose uint8

const (
	toMove    purpose = iota // the engine's turn
	toMoveFor                // the person's turn, whose move the engine shall make
	toHint                   // what would it play?
	toAnswer                 // does it accept a draw?
	toAnalyse
)

// task returns the task of the engine for this purpose.
func (p purpose) task() Task {
	switch p {
	case toHint, toAnswer:
		return Advise
	case toAnalyse:
		return Analyse
	}
	return Play
}

// engineLock guards the engine: a goroutine that can send to turn may use the engine until it
// receives the value again.
type engineLock struct {
	turn chan struct{} // capacity 1
	Engine
}

func newEngineLock(e Engine) *engineLock { return &engineLock{make(chan struct{}, 1), e} }

// alone calls f while nobody else uses the engine.
func (d *engineLock) alone(f func()) {
	d.turn <- struct{}{}
	f()
	<-d.turn
}

// search is a search in progress.
type search struct {
	purpose purpose
	game    *rules.Game // its own copy
	ctx     context.Context
	cancel  context.CancelFunc
	dropped chan struct{} // closed when the result is no longer needed
	news    chan Thought  // capacity 1: the latest thought
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

// begin returns the commands that run a search of the game in place of the present search.
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

// stop ends the search and drops its result.
func (g *Game) stop() {
	if g.search != nil {
		close(g.search.dropped)
		g.search.cancel()
		g.search = nil
	}
}

// run is a command that runs the search.
func (s *search) run(e *engineLock, pace time.Duration) tea.Msg {
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

// report stores the latest thought for hear.
func (s *search) report(t Thought) {
	select {
	case <-s.news:
	default:
	}
	s.news <- t // never blocks, because only this goroutine sends
}

// hear is a command that waits for the next report.
func (s *search) hear() tea.Msg {
	if t, ok := <-s.news; ok {
		return thoughtMsg{s, t}
	}
	return nil
}
