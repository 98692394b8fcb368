package train

import (
	"os"
	"path/filepath"
	"testing"

	"damier/internal/clitest"
)

// `train watch` shows a run on a real terminal, during the run and after its end, and restores the
// terminal.
func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c, lines := start(t, endless(dir)...)
	watch := func() *clitest.Terminal {
		w := process(t, "watch", "--run", dir)
		w.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=", "NO_COLOR=")
		return clitest.Start(t, w, 100, 40)
	}
	s := watch()
	s.Until("running, last heard of")
	s.Until("generation")
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	c.Wait()
	s.Until("stopped: interrupted") // the screen updates by itself
	s.Resize(80, 24)
	s.Until("stopped: interrupted")
	s.Type("q")
	s.Wait(0)

	s = watch()
	s.Until("stopped: interrupted")
	s.Type("\x03")
	s.Wait(130)
}
