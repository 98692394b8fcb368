package book

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"damier/book"
)

// progress reports the progress of a build on standard error: as a bar on a terminal, otherwise as
// a line from time to time.
type progress struct {
	w    io.Writer
	what string
	bar  *progressbar.ProgressBar
	last time.Time
}

// interval is the time between two lines.
const interval = 10 * time.Second

func newProgress(w io.Writer, what string) *progress {
	return &progress{w: w, what: what, last: time.Now()}
}

// set reports the state of a build that ends after a time or with a number of positions; 0 is no
// such limit.
func (p *progress) set(s book.State, limit time.Duration, positions int) {
	share := 0.0
	if limit > 0 {
		share = s.Elapsed.Seconds() / limit.Seconds()
	}
	if positions > 0 {
		share = max(share, float64(s.Positions)/float64(positions))
	}
	share = min(share, 1)
	if f, ok := p.w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if p.bar == nil {
			p.bar = progressbar.NewOptions(1000, progressbar.OptionSetWriter(p.w),
				progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(24),
				progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetElapsedTime(true),
				progressbar.OptionClearOnFinish())
		}
		p.bar.Describe(fmt.Sprintf("%s: %d positions, ply %d", p.what, s.Positions, s.Plies))
		p.bar.Set(int(1000 * share))
		return
	}
	if time.Since(p.last) < interval || share == 0 {
		return
	}
	p.last = time.Now()
	left := time.Duration(float64(s.Elapsed) * (1 - share) / share).Round(time.Second)
	fmt.Fprintf(p.w, "%s: %d positions, ply %d, start %.3f; %.1f %%, about %s left\n",
		p.what, s.Positions, s.Plies, s.Score, 100*share, left)
}

// finish removes the bar.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
