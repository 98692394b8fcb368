package egdb

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress reports the progress of work on standard error: as a bar on a terminal, otherwise as a
// line from time to time. Several goroutines may call its methods.
type progress struct {
	w     io.Writer
	what  string
	began time.Time

	mu   sync.Mutex
	bar  *progressbar.ProgressBar
	last time.Time
	done int64
}

// interval is the time between two lines.
const interval = 10 * time.Second

func newProgress(w io.Writer, what string) *progress {
	return &progress{w: w, what: what, began: time.Now(), last: time.Now()}
}

// set reports that done of total units of work are finished.
func (p *progress) set(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done <= p.done {
		return
	}
	p.done = done
	if f, ok := p.w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if p.bar == nil {
			p.bar = progressbar.NewOptions64(total,
				progressbar.OptionSetWriter(p.w),
				progressbar.OptionSetDescription(p.what),
				progressbar.OptionSetPredictTime(true),
				progressbar.OptionSetWidth(24),
				progressbar.OptionThrottle(200*time.Millisecond),
				progressbar.OptionSetElapsedTime(true),
				progressbar.OptionClearOnFinish(),
			)
		}
		p.bar.Set64(done)
		return
	}
	if time.Since(p.last) < interval {
		return
	}
	p.last = time.Now()
	elapsed := time.Since(p.began)
	left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
	fmt.Fprintf(p.w, "%s: %.1f %%, about %s left\n", p.what, 100*float64(done)/float64(total), left.Round(time.Second))
}

// finish removes the bar.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Finish()
	}
}
