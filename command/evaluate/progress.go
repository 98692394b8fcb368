package evaluate

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"damier/arena"
)

// progress tells on standard error how far a match is: a bar on a terminal, else a line now and then.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar
	total int
	count int
	wdl   [3]int // losses, draws, wins of A
	began time.Time
	last  time.Time
}

// interval is the time between two lines.
const interval = 10 * time.Second

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total, began: time.Now(), last: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(24),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetRenderBlankState(true),
		)
	}
	return p
}

// game counts a game.
func (p *progress) game(g arena.GameRecord) {
	p.wdl[g.Points()]++
	p.step(fmt.Sprintf("+%d =%d -%d", p.wdl[2], p.wdl[1], p.wdl[0]))
}

// step counts one of the total.
func (p *progress) step(text string) {
	p.count++
	if p.bar != nil {
		p.bar.Describe(text)
		p.bar.Add(1)
		return
	}
	if time.Since(p.last) < interval {
		return
	}
	p.last = time.Now()
	elapsed := time.Since(p.began)
	left := elapsed * time.Duration(p.total-p.count) / time.Duration(p.count)
	fmt.Fprintf(p.w, "%d of %d  %s  %.2f/s, about %s left\n", p.count, p.total, text,
		float64(p.count)/elapsed.Seconds(), left.Round(time.Second))
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
