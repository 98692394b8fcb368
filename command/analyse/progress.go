package analyse

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"damier/internal/cli"
)

// progress reports the progress of work on standard error: as a bar on a terminal, otherwise as a
// line from time to time. It counts positions. The total is known when all games are read; until
// then it is estimated from the share of bytes that are read.
type progress struct {
	bytes atomic.Int64 // bytes read, of all sources

	mu      sync.Mutex
	w       io.Writer
	bar     *progressbar.ProgressBar // nil if w is not a terminal
	size    int64                    // bytes of all sources whose size is known
	unsized bool                     // the size of a source is not known
	known   int64                    // positions read
	whole   bool                     // all positions are read
	count   int64                    // positions done
	began   time.Time
	last    time.Time // of the last line
}

func newProgress(w io.Writer) *progress {
	return &progress{
		w: w, began: time.Now(), last: time.Now(),
		bar: cli.NewBar(w, -1,
			progressbar.OptionSetDescription("positions"),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
		),
	}
}

// expect adds the bytes of a source, 0 if they are not known.
func (p *progress) expect(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size += size
	p.unsized = p.unsized || size == 0
}

// read counts n positions that were read and are to be analysed.
func (p *progress) read(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known += int64(n)
}

// all reports that all games are read.
func (p *progress) all() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole = true
}

// total returns the number of positions, or an estimate; 0 if there is none yet.
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

// step counts an analysed position.
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
	if time.Since(p.last) < cli.ProgressInterval {
		return
	}
	p.last = time.Now()
	rate := float64(p.count) / time.Since(p.began).Seconds()
	if n := p.total(); n >= p.count {
		left := cli.TimeLeft(p.began, p.count, n)
		fmt.Fprintf(p.w, "%d of %d positions  %.1f/s, about %s left\n", p.count, n, rate, left)
		return
	}
	fmt.Fprintf(p.w, "%d positions  %.1f/s\n", p.count, rate)
}

// say writes a line above the bar.
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
