package learner

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"damier/internal/shell"
	"damier/learner/journal"
	"damier/learner/settings"
	"damier/selfplay"
)

// Reporter reports the progress of a run to a person. Any goroutine may call Note and Warn.
type Reporter interface {
	Begin(l *Learner)
	Reading(l *Learner, rows, want int) // of the games of a run that continues, before Begin
	Playing(l *Learner, rows, want int)
	Training(l *Learner, step, steps int)
	Generation(l *Learner, p *journal.Progress)
	Evaluation(l *Learner, all []journal.Rating) // the last of them is new
	Note(format string, args ...any)
	Warn(format string, args ...any)
	End(l *Learner, stopped error)
}

// Console reports in lines of text, on a terminal with a progress bar below them. If Command is
// empty, it does not say how to continue.
type Console struct {
	Out      io.Writer
	Terminal bool   // Out is a terminal that can show progress bars
	Command  string // the command that continues the run
	// The command that plays a network, to which the name of its file is appended; "" to print
	// none.
	Play string

	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	phase string
}

// Begin describes the run and its state.
func (c *Console) Begin(l *Learner) {
	m := &l.run.Manifest
	model := l.newest()
	state := "a new run"
	if m.Generation > 0 || l.rows() > 0 {
		state = fmt.Sprintf("going on at generation %d with %s rows of %s games", m.Generation, thousands(l.rows()), thousands(l.store.Totals().Games))
	} else if m.From != "" {
		state = "a new run from " + m.From
	}
	if l.finished() {
		state = fmt.Sprintf("finished before, with generation %d and %s rows", m.Generation, thousands(l.rows()))
	}
	c.line("%s in %s: %s", l.variant.Name, l.run.Dir, state)
	c.line("network %s, %s weights; %d actors play by %s; %s", model.Shape(), thousands(model.Size()), len(l.players), searches(l.cfg.SelfPlay), length(l.cfg))
}

// Reading shows how many rows of the window have been read. Without a terminal it says in a line
// that a large window is read, because that takes minutes.
func (c *Console) Reading(l *Learner, rows, want int) {
	if rows == 0 && want >= manyRows && !c.Terminal {
		c.line("reading %s rows of %s", thousands(want), l.run.Dir)
	}
	c.show("reading", min(rows, want), want, "")
}

// manyRows is a number of rows that takes many seconds to read.
const manyRows = 1_000_000

// Playing shows how much of the generation has been played.
func (c *Console) Playing(l *Learner, rows, want int) {
	c.show("playing", min(rows, want), want, c.remaining(l))
}

// Training shows how much of the generation has been learnt.
func (c *Console) Training(l *Learner, step, steps int) {
	c.show("learning", step, steps, c.remaining(l))
}

func (c *Console) remaining(l *Learner) string {
	p := l.progress()
	if p <= 0 {
		return ""
	}
	left := time.Duration(l.seconds() * (1 - p) / p * float64(time.Second))
	if l.cfg.Minutes > 0 && l.cfg.Generations == 0 && l.cfg.CPUMinutes == 0 {
		left = time.Duration((60*l.cfg.Minutes - l.seconds()) * float64(time.Second))
	}
	return fmt.Sprintf(" (%s of the run left)", clock(max(left, 0)))
}

func (c *Console) show(phase string, done, of int, more string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.Terminal {
		return
	}
	if c.bar == nil || c.phase != phase {
		c.clear()
		c.phase = phase
		c.bar = progressbar.NewOptions(of,
			progressbar.OptionSetWriter(c.Out),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetWidth(24),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(200*time.Millisecond),
		)
	}
	c.bar.Describe(phase + more)
	_ = c.bar.Set(done)
}

func (c *Console) clear() {
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// line writes one line above the progress bar.
func (c *Console) line(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprintf(c.Out, format+"\n", args...)
}

// Generation reports a generation in one line.
func (c *Console) Generation(l *Learner, p *journal.Progress) {
	loss := fmt.Sprintf("loss %.3f", p.Value)
	if p.HeldRows > 0 {
		loss = fmt.Sprintf("held-out loss %.3f (pieces alone %.3f)", p.HeldValue, p.HeldMaterial)
	}
	count, unit := p.Sims/1000, "k sims/s"
	if p.AlphaBeta {
		unit = "k nodes/s"
	}
	c.line("%s gen %d: %s rows, %d games W %.0f D %.0f B %.0f %% of %.0f plies; %s; %.1f%s, %.0f rows/s, busy %.0f %%; %s",
		clock(time.Duration(l.seconds()*float64(time.Second))), l.run.Manifest.Generation, thousands(p.Rows), p.NewGames,
		100*p.White, 100*p.Draws, 100*p.Black, p.Length, loss, count, unit, p.RowsRate,
		100*(p.PlayBusy*p.PlaySecs+p.TrainBusy*p.TrainSecs)/max(p.PlaySecs+p.TrainSecs, 1e-9), journal.Trend(l.run.Manifest.Evaluations))
	for _, w := range suspicious(l, p) {
		c.Warn("%s", w)
	}
}

// Evaluation reports the strength of the network, and answers whether it is getting better.
func (c *Console) Evaluation(l *Learner, all []journal.Rating) {
	r := all[len(all)-1]
	var scores []string
	for _, g := range r.Rungs {
		scores = append(scores, fmt.Sprintf("%s %.0f %%", g.Rung, 100*g.Score))
	}
	if r.Rated() {
		scores = append([]string{fmt.Sprintf("Elo %.0f (%.0f to %.0f)", r.Elo, r.Low, r.High)}, scores...)
	}
	c.line("generation %d at %d visits: %s", r.Generation, r.Visits, strings.Join(scores, ", "))
	if g := r.Gate; g != nil {
		c.line("  against generation %d: %d wins, %d draws, %d losses", g.Against, g.Wins, g.Draws, g.Losses)
	}
	c.line("  is it getting better? %s", journal.Trend(all))
	if journal.Stalled(all) && !r.Refit {
		c.Warn("no gain in the last %d evaluations%s", journal.StallLength, l.stallAdvice())
	}
}

// Note writes a remark.
func (c *Console) Note(format string, args ...any) { c.line(format, args...) }

// Warn writes a warning on which a person should act.
func (c *Console) Warn(format string, args ...any) { c.line("warning: "+format, args...) }

// End reports how the run ended and how to continue.
func (c *Console) End(l *Learner, stopped error) {
	m := &l.run.Manifest
	c.line("%s after %s and %.2f CPU-hours: generation %d, %s rows, %s games",
		map[bool]string{true: "finished", false: "stopped"}[stopped == nil], clock(time.Duration(l.seconds()*float64(time.Second))),
		l.cpuSeconds()/3600, m.Generation, thousands(l.rows()), thousands(l.store.Totals().Games))
	best := m.Best()
	if best.Name != "" {
		c.line("network: %s", l.run.path(modelsDir, best.Name))
	}
	if exists(l.run.path(plotFile)) {
		c.line("curve:   %s", l.run.path(plotFile))
	}
	if c.Play != "" && best.Name != "" {
		c.line("to play it: %s %s", c.Play, shell.Word(l.run.path(modelsDir, best.Name)))
	}
	switch {
	case c.Command == "":
	case stopped != nil:
		c.line("to go on: %s", c.Command)
	default:
		c.line("to go on beyond its end: %s%s", c.Command, longer(l))
	}
}

// longer returns flags that double the limits which the run has reached.
func longer(l *Learner) string {
	s := ""
	if l.cfg.Minutes > 0 && l.seconds() >= 60*l.cfg.Minutes {
		s += fmt.Sprintf(" --minutes %g", 2*l.cfg.Minutes)
	}
	if l.cfg.CPUMinutes > 0 && l.cpuSeconds() >= 60*l.cfg.CPUMinutes {
		s += fmt.Sprintf(" --cpu-minutes %g", 2*l.cfg.CPUMinutes)
	}
	if g := l.run.Manifest.Generation; l.cfg.Generations > 0 && g >= l.cfg.Generations {
		s += fmt.Sprintf(" --generations %d", 2*g)
	}
	return s
}

// searches describes the searches of self-play.
func searches(c selfplay.Config) string {
	byDepth := fmt.Sprintf("alpha-beta of depth %d", c.Depth)
	byTree := fmt.Sprintf("tree search (visits %s)", strings.Join(c.Visits, ", "))
	switch {
	case c.Search == selfplay.AlphaBeta:
		return byDepth
	case c.AlphaBetaRows > 0:
		return fmt.Sprintf("%s for %s rows, then %s", byDepth, thousands(c.AlphaBetaRows), byTree)
	}
	return byTree
}

func length(c settings.Config) string {
	var limits []string
	if c.Minutes > 0 {
		limits = append(limits, fmt.Sprintf("%g minutes", c.Minutes))
	}
	if c.CPUMinutes > 0 {
		limits = append(limits, fmt.Sprintf("%g CPU-minutes", c.CPUMinutes))
	}
	if c.Generations > 0 {
		limits = append(limits, fmt.Sprintf("%d generations", c.Generations))
	}
	if len(limits) == 0 {
		return "until it is stopped"
	}
	return strings.Join(limits, " or ")
}

// clock formats a duration as h:mm:ss.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// thousands formats a number with groups of three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// stallAdvice says what a person can do about a network that no longer gains, as the end of a
// sentence; docs/experiments/renewal.md has measured it.
func (l *Learner) stallAdvice() string {
	switch r := l.cfg.Refit; {
	case r.Passes == 0:
		return ""
	case r.First > 0:
		return fmt.Sprintf("; the next refit comes at %s positions, or at the end", thousands(l.renewal()))
	}
	return fmt.Sprintf("; the refit at the end mostly does gain; to have one now, too, and go on with its network, "+
		"stop the run and continue it with --set refit.first=%d", l.rows())
}
