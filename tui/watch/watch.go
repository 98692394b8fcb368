// Package watch shows a run of the learner on the whole screen of a terminal: its state, Elo,
// losses, results and speed, from the metrics of the run, during the run or later. It only reads.
package watch

import (
	"fmt"
	"math"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"damier/learner/journal"
	"damier/tui"
)

// Config says what to watch.
type Config struct {
	Title string // of the run

	// Read returns all events of the run. If there are no new ones since the last call, changed is
	// false and the events are nil.
	Read func() (events []journal.Event, changed bool, err error)

	Minutes     float64 // that the run shall take, 0: no limit
	CPUMinutes  float64 // so in CPU time
	Generations int     // that it shall have, 0: no limit
	Look        tui.Look
	Now         func() time.Time
}

// every is the time between two readings of the metrics.
const every = 2 * time.Second

// Run is a run on the screen.
type Run struct {
	c             Config
	events        []journal.Event
	err           error
	width, height int
	top           int
}

// New returns a run on the screen.
func New(c Config) *Run { return &Run{c: c} }

type readMsg struct {
	events  []journal.Event
	changed bool
	err     error
}

type tickMsg struct{}

func (r *Run) read() tea.Msg {
	events, changed, err := r.c.Read()
	return readMsg{events, changed, err}
}

// Init is part of tea.Model.
func (r *Run) Init() tea.Cmd { return r.read }

// Update is part of tea.Model.
func (r *Run) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.width, r.height = msg.Width, msg.Height
	case readMsg:
		if r.err = msg.err; msg.changed {
			r.events = msg.events
		}
		return r, tea.Tick(every, func(time.Time) tea.Msg { return tickMsg{} })
	case tickMsg:
		return r, r.read
	case tea.MouseMsg:
		switch msg.Button {
		case tea.MouseButtonWheelUp:
			r.top -= 3
		case tea.MouseButtonWheelDown:
			r.top += 3
		}
	case tea.KeyMsg:
		switch msg.String() {
		case "ctrl+c":
			return r, tui.Interrupted
		case "q", "esc":
			return r, tea.Quit
		case "up", "k":
			r.top--
		case "down", "j":
			r.top++
		case "pgup":
			r.top -= r.height - 3
		case "pgdown", " ":
			r.top += r.height - 3
		case "home":
			r.top = 0
		case "end":
			r.top = math.MaxInt32
		}
	}
	return r, nil
}

// View is part of tea.Model.
func (r *Run) View() string {
	const leastWidth, leastHeight = 40, 8
	switch {
	case r.width <= 0 || r.height <= 0:
		return ""
	case r.width < leastWidth || r.height < leastHeight:
		return tui.TooSmall(r.width, r.height, leastWidth, leastHeight, "a run", "metrics.jsonl")
	}
	look := r.c.Look
	lines := r.lines()
	room := r.height - 2
	r.top = max(0, min(r.top, len(lines)-room))
	out := []string{look.Style("231", "24", true).Render(look.Fit(look.Text(" Damier  "+r.c.Title+"  "+r.state()), r.width))}
	for i := range room {
		text := ""
		if r.top+i < len(lines) {
			text = lines[r.top+i]
		}
		out = append(out, look.Fit(text, r.width))
	}
	keys := "arrows scroll  q quit"
	if len(lines) > room {
		keys += fmt.Sprintf("  (lines %d to %d of %d)", r.top+1, min(len(lines), r.top+room), len(lines))
	}
	return strings.Join(append(out, look.Style("244", "", false).Render(look.Fit(keys, r.width))), "\n")
}

// state says whether the run is in progress, as far as its metrics show.
func (r *Run) state() string {
	if len(r.events) == 0 {
		return "nothing yet"
	}
	last := r.events[len(r.events)-1]
	if last.Kind == "stop" {
		return "stopped: " + last.Message
	}
	quiet := r.c.Now().Sub(last.Time).Round(time.Second)
	if quiet > 10*time.Minute {
		return fmt.Sprintf("silent for %s: stopped?", quiet)
	}
	return fmt.Sprintf("running, last heard of %s ago", max(quiet, 0))
}

// lines returns all lines to show.
func (r *Run) lines() []string {
	look := r.c.Look
	head := func(text string) string { return look.Style("226", "", true).Render(text) }
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, look.Text(fmt.Sprintf(format, args...))) }
	if r.err != nil {
		for _, t := range tui.Wrap(look.Text("cannot read the metrics: "+r.err.Error()), r.width) {
			lines = append(lines, look.Style("209", "", true).Render(t))
		}
	}
	if len(r.events) == 0 {
		add("No generation is finished yet.")
		return lines
	}
	last := r.events[len(r.events)-1]
	var all []*journal.Progress
	var ratings []*journal.Rating
	var warnings []journal.Event
	for _, e := range r.events {
		switch {
		case e.Progress != nil:
			all = append(all, e.Progress)
		case e.Evaluation != nil && e.Evaluation.High > e.Evaluation.Low: // on the ladder
			ratings = append(ratings, e.Evaluation)
		case e.Kind == "warning":
			warnings = append(warnings, e)
		}
	}
	add("generation %d   %s on the clock   %.2f CPU-hours   %s", last.Generation, clock(last.Seconds), last.CPUHours, r.left(last))
	width := max(10, min(60, r.width-12))
	plot := func(name string, format string, values []float64) {
		if len(values) > 0 {
			add("%-11s %s", name, look.Sign(spark(values, width, unicodeBars), spark(values, width, asciiBars)))
			add("%-11s first "+format+", now "+format, "", values[0], values[len(values)-1])
		}
	}
	series := func(f func(*journal.Progress) float64) []float64 {
		var values []float64
		for _, p := range all {
			if v := f(p); v != 0 {
				values = append(values, v)
			}
		}
		return values
	}
	lines = append(lines, "", head("Elo on the ladder"))
	if len(ratings) == 0 {
		add("not measured yet")
	} else {
		var elo []float64
		for _, x := range ratings {
			elo = append(elo, x.Elo)
		}
		plot("Elo", "%.0f", elo)
		for _, x := range ratings[max(0, len(ratings)-4):] {
			add("  generation %4d  %5.0f  (%.0f to %.0f)  %d visits", x.Generation, x.Elo, x.Low, x.High, x.Visits)
		}
		for _, g := range ratings[len(ratings)-1].Rungs {
			add("  %-20s +%d =%d -%d  %.0f %%", g.Rung, g.Wins, g.Draws, g.Losses, 100*g.Score)
		}
	}
	if len(all) == 0 {
		return lines
	}
	p := all[len(all)-1]
	lines = append(lines, "", head("Loss, nats"))
	plot("held-out", "%.3f", series(func(p *journal.Progress) float64 { return p.HeldValue }))
	add("training    %.3f; counting pieces alone would have %.3f on held-out games", p.Value, p.HeldMaterial)
	lines = append(lines, "", head("Self-play"))
	add("results     White %.0f %%, draws %.0f %%, Black %.0f %%; at the ply limit %.0f %%", 100*p.White, 100*p.Draws, 100*p.Black, 100*p.Limited)
	lines = append(lines, look.Fit("", 12)+bar(p, width, look))
	plot("draws, %", "%.0f", series(func(p *journal.Progress) float64 { return 100 * p.Draws }))
	plot("length", "%.0f plies", series(func(p *journal.Progress) float64 { return p.Length }))
	add("entropy     %.2f nats, different positions %.0f %%", p.Entropy, 100*p.Distinct)
	lines = append(lines, "", head("Speed"))
	plot("rows/s", "%.0f", series(func(p *journal.Progress) float64 { return p.RowsRate }))
	add("now         %.1f games/s, %.0f simulations/s; training %.0f rows/s", p.GamesRate, p.Sims, p.TrainRate)
	add("so far      %d games, %d rows, %d in the window, %d steps; %d visits; %d MB", p.Games, p.Rows, p.Window, p.Steps, p.Visits, p.Memory>>20)
	if len(warnings) > 0 {
		lines = append(lines, "", head("Warnings"))
		for _, w := range warnings[max(0, len(warnings)-5):] {
			add("generation %d: %s", w.Generation, w.Message)
		}
	}
	return lines
}

// left returns the remaining time of the run as text.
func (r *Run) left(last journal.Event) string {
	seconds := math.Inf(1)
	if r.c.Minutes > 0 {
		seconds = 60*r.c.Minutes - last.Seconds
	}
	if r.c.CPUMinutes > 0 && last.CPUHours > 0 { // at the pace so far
		seconds = min(seconds, (r.c.CPUMinutes/60/last.CPUHours-1)*last.Seconds)
	}
	if r.c.Generations > 0 && last.Generation > 0 {
		seconds = min(seconds, float64(r.c.Generations-last.Generation)*last.Seconds/float64(last.Generation))
	}
	switch {
	case last.Kind == "stop", math.IsInf(seconds, 1):
		return ""
	case seconds <= 0:
		return "at its end"
	}
	return "about " + clock(seconds) + " left"
}

func clock(seconds float64) string {
	s := int(seconds)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

var (
	unicodeBars = []rune("▁▂▃▄▅▆▇█")
	asciiBars   = []rune("_.-=+*#")
)

// spark draws values as bars from the least to the greatest. If there are more values than
// columns, a bar is the mean of several.
func spark(values []float64, width int, bars []rune) string {
	n := min(width, len(values))
	low, high := math.Inf(1), math.Inf(-1)
	means := make([]float64, n)
	for i := range means {
		part := values[i*len(values)/n : (i+1)*len(values)/n]
		for _, v := range part {
			means[i] += v / float64(len(part))
		}
		low, high = min(low, means[i]), max(high, means[i])
	}
	text := make([]rune, n)
	for i, m := range means {
		level := 0
		if high > low {
			level = int((m - low) / (high - low) * float64(len(bars)-1))
		}
		text[i] = bars[level]
	}
	return string(text)
}

// bar draws the results of self-play: White's wins, draws, Black's wins.
func bar(p *journal.Progress, width int, look tui.Look) string {
	white := int(math.Round(p.White * float64(width)))
	black := min(width-white, int(math.Round(p.Black*float64(width))))
	return strings.Repeat(look.Sign("█", "#"), white) + strings.Repeat(look.Sign("▒", "="), max(0, width-white-black)) + strings.Repeat(look.Sign("░", "."), black)
}
