package learner

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"damier/data"
	"damier/learner/journal"
	"damier/learner/settings"
)

// spy is a Reporter that records its calls and may run a function on them.
type spy struct {
	Console
	mu         sync.Mutex
	out        bytes.Buffer
	generation func(*Learner)
	playing    func()
	training   func(*Learner)
}

func newSpy() *spy {
	s := &spy{}
	s.Out, s.Command = lockedWriter{s}, "train --run X"
	return s
}

type lockedWriter struct{ s *spy }

func (w lockedWriter) Write(b []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.out.Write(b)
}

func (s *spy) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

func (s *spy) Generation(l *Learner, p *journal.Progress) {
	s.Console.Generation(l, p)
	if s.generation != nil {
		s.generation(l)
	}
}

func (s *spy) Playing(l *Learner, rows, want int) {
	s.Console.Playing(l, rows, want)
	if s.playing != nil {
		s.playing()
	}
}

func (s *spy) Training(l *Learner, step, steps int) {
	s.Console.Training(l, step, steps)
	if s.training != nil {
		s.training(l)
	}
}

// tiny returns the sources of a run of a few seconds, with settings that override the preset.
func tiny(set map[string]string) settings.Sources {
	all := map[string]string{"evaluation.rungs": "", "selfplay.max_plies": "40"}
	maps.Copy(all, set)
	return settings.Sources{Preset: "tiny", Set: all}
}

// atOnce lets the actors of a test play at the same time, also on a machine of one core.
func atOnce(t *testing.T, actors int) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(before, actors))
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// resume returns the sources of a run that is resumed.
func resume(set map[string]string) settings.Sources { return settings.Sources{Set: set} }

// warnings returns the warnings in the metrics of a run.
func warnings(t *testing.T, dir string) (all []string) {
	t.Helper()
	events, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == "warning" {
			all = append(all, e.Message)
		}
	}
	return all
}

// session is one session of a run, from Open to Close.
func session(t *testing.T, ctx context.Context, dir string, s settings.Sources, report *spy, prepare ...func(*Learner)) (Manifest, error) {
	t.Helper()
	run, err := Open(dir, toyMethod{}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	l, err := New(t.Context(), run, report)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range prepare {
		f(l)
	}
	err = l.Run(ctx)
	return run.Manifest, err
}

// opened returns the learner of the run in dir, and the function that closes both.
func opened(t *testing.T, dir string, s settings.Sources) (l *Learner, done func()) {
	t.Helper()
	run, err := Open(dir, toyMethod{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if l, err = New(t.Context(), run, newSpy()); err != nil {
		run.Close()
		t.Fatal(err)
	}
	return l, func() { l.Close(); run.Close() }
}

func mustRun(t *testing.T, dir string, s settings.Sources) (Manifest, *spy) {
	t.Helper()
	report := newSpy()
	m, err := session(t, context.Background(), dir, s, report)
	if err != nil {
		t.Fatalf("%v\n%s", err, report.text())
	}
	verify(t, dir)
	return m, report
}

func verify(t *testing.T, dir string) {
	t.Helper()
	var out bytes.Buffer
	if err := Verify(context.Background(), dir, toyMethod{}, &out); err != nil {
		t.Fatalf("verify: %v\n%s", err, &out)
	}
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func shards(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, gamesDir, "*"+data.Extension))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
