package evaluate

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"damier/arena"
	"damier/internal/cli"
)

// progress shows the progress of a match on standard error: a bar on a terminal, otherwise a line
// every few seconds.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil if w is not a terminal
	total int
	count int
	wdl   [3]int // losses, draws, wins of A
	began time.Time
	last  time.Time
}

func newProgress(w io.Writer, total int) *progress {
	return &progress{
		w: w, total: total, began: time.Now(), last: time.Now(),
		bar: cli.NewBar(w, int64(total),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetRenderBlankState(true),
		),
	}
}

// addGame counts a finished game.
func (p *progress) addGame(g arena.GameRecord) {
	p.wdl[g.Points()]++
	p.step(fmt.Sprintf("+%d =%d -%d", p.wdl[2], p.wdl[1], p.wdl[0]))
}

// step counts one of total. text is shown beside the count.
func (p *progress) step(text string) {
	p.count++
	if p.bar != nil {
		p.bar.Describe(text)
		p.bar.Add(1)
		return
	}
	if time.Since(p.last) < cli.ProgressInterval {
		return
	}
	p.last = time.Now()
	rate := float64(p.count) / time.Since(p.began).Seconds()
	left := cli.TimeLeft(p.began, int64(p.count), int64(p.total))
	fmt.Fprintf(p.w, "%d of %d  %s  %.2f/s, about %s left\n", p.count, p.total, text, rate, left)
}

// done finishes the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
