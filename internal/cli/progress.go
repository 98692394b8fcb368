package cli

import (
	"io"
	"os"
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
