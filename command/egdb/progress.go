package egdb

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"damier/internal/cli"
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
	if p.bar == nil {
		p.bar = cli.NewBar(p.w, total, progressbar.OptionSetDescription(p.what))
	}
	if p.bar != nil {
		p.bar.Set64(done)
		return
	}
	if time.Since(p.last) < cli.ProgressInterval {
		return
	}
	p.last = time.Now()
	percent := 100 * float64(done) / float64(total)
	left := cli.TimeLeft(p.began, done, total)
	fmt.Fprintf(p.w, "%s: %.1f %%, about %s left\n", p.what, percent, left)
}

// finish removes the bar.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Finish()
	}
}
