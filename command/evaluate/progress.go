package evaluate

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"damier/arena"
	"damier/internal/cli"
)

// progress reports the progress of a match on standard error: as a bar on a terminal, otherwise as
// a line from time to time.
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

// game counts a game.
func (p *progress) game(g arena.GameRecord) {
	p.wdl[g.Points()]++
	p.step(fmt.Sprintf("+%d =%d -%d", p.wdl[2], p.wdl[1], p.wdl[0]))
}

// step counts one of the total. text says how the match stands.
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

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
