package analyse

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress tells on standard error how far the work is: a bar on a terminal, else a line now and
// then. It counts positions; how many there are to come is known when all games are read, and until
// then estimated from the bytes that are.
type progress struct {
	bytes atomic.Int64 // read of all sources

	mu      sync.Mutex
	w       io.Writer
	bar     *progressbar.ProgressBar // nil where w is no terminal
	size    int64                    // bytes of all sources; 0 if one of them is not known
	unsized bool
	known   int64 // positions read
	whole   bool  // these are all
	count   int64 // positions done
	began   time.Time
	last    time.Time // that something was told
}

// interval is the time between two lines.
const interval = 10 * time.Second

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, began: time.Now(), last: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(-1,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription("positions"),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(24),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// expect adds the bytes of a source, 0 if they are not known.
func (p *progress) expect(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size += size
	p.unsized = p.unsized || size == 0
}

// read counts positions to be looked at.
func (p *progress) read(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known += int64(n)
}

// all tells that no more games come.
func (p *progress) all() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole = true
}

// total returns the number of positions, or an estimate; 0 if nothing is known of it.
func (p *progress) total() int64 {
	read := p.bytes.Load()
	switch {
	case p.whole:
		return p.known
	case p.unsized || read == 0:
		return 0
	}
	return max(p.known, int64(float64(p.known)*float64(p.size)/float64(read)))
}

// step counts a position.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if p.bar != nil {
		if n := p.total(); n > 0 && n >= p.count && n != p.bar.GetMax64() {
			p.bar.ChangeMax64(n)
		}
		p.bar.Add(1)
		return
	}
	if time.Since(p.last) < interval {
		return
	}
	p.last = time.Now()
	elapsed := time.Since(p.began)
	rate := float64(p.count) / elapsed.Seconds()
	if n := p.total(); n >= p.count {
		left := time.Duration(float64(n-p.count) / rate * float64(time.Second))
		fmt.Fprintf(p.w, "%d of %d positions  %.1f/s, about %s left\n", p.count, n, rate, left.Round(time.Second))
		return
	}
	fmt.Fprintf(p.w, "%d positions  %.1f/s\n", p.count, rate)
}

// say writes a line beside the bar.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
	fmt.Fprintf(p.w, format, args...)
}

// done removes the bar.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Finish()
	}
}
