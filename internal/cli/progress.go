package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// ProgressInterval is the time between two lines of progress where there is no terminal for a bar.
const ProgressInterval = 10 * time.Second

// NewBar returns a bar of total steps on w, or nil if w is not a terminal: lines must report the
// progress there. A total of -1 means that it is not known yet.
func NewBar(w io.Writer, total int64, more ...progressbar.Option) *progressbar.ProgressBar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
}

// TimeLeft estimates the time that work will still take, from the time since it began and how much
// of it is done.
func TimeLeft(began time.Time, done, total int64) time.Duration {
	left := float64(time.Since(began)) * float64(total-done) / float64(done)
	return time.Duration(left).Round(time.Second)
}

// Progress reports the progress of work on standard error: as a bar on a terminal, otherwise as a
// line from time to time. Several goroutines may call its methods.
type Progress struct {
	w     io.Writer
	what  string
	began time.Time

	mu   sync.Mutex
	bar  *progressbar.ProgressBar
	last time.Time
	done int64
}

// NewProgress returns the progress of the named work, which begins now.
func NewProgress(w io.Writer, what string) *Progress {
	return &Progress{w: w, what: what, began: time.Now(), last: time.Now()}
}

// Set reports that done of total units of work are finished.
func (p *Progress) Set(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if done <= p.done {
		return
	}
	p.done = done
	if p.bar == nil {
		p.bar = NewBar(p.w, total, progressbar.OptionSetDescription(p.what))
	}
	if p.bar != nil {
		p.bar.Set64(done)
		return
	}
	if time.Since(p.last) < ProgressInterval {
		return
	}
	p.last = time.Now()
	percent := 100 * float64(done) / float64(total)
	left := TimeLeft(p.began, done, total)
	fmt.Fprintf(p.w, "%s: %.1f %%, about %s left\n", p.what, percent, left)
}

// Finish removes the bar.
func (p *Progress) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Finish()
	}
}
