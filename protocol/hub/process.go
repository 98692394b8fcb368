package hub

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"damier/internal/plain"
)

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	client *Client
	in     io.Closer
	talk   *tail
	dead   chan struct{}
	err    error // how the program ended, once dead is closed
}

func startProcess(command []string, dir string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	p := &process{cmd: cmd, talk: &tail{}, dead: make(chan struct{})}
	cmd.Stderr = p.talk
	ownGroup(cmd)
	cmd.WaitDelay = quitTime // a child process of it may keep the pipes open
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe, because Wait would close it before everything is read.
	out, w := io.Pipe()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.in = in
	p.client = NewClient(out, in)
	go func() {
		p.err = cmd.Wait()
		w.Close()
		close(p.dead)
	}()
	go func() { // so that a program that still writes does not block for ever
		<-p.client.closed
		out.Close()
	}()
	return p, nil
}

// explain adds to an error how the program ended, and its last line of output.
func (p *process) explain(err error) error {
	if !errors.Is(err, ErrEnded) {
		return err
	}
	select {
	case <-p.dead:
	case <-time.After(2 * quitTime):
		return err // it still runs
	}
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	if last := p.talk.last(); last != "" {
		how += "; " + last
	}
	return fmt.Errorf("%w: %s", err, how)
}

// stop asks the program to end, and kills it if it does not.
func (p *process) stop() {
	p.client.drop()
	asked := make(chan struct{})
	go func() { // the write may block if it does not read
		defer close(asked)
		p.client.Send(Line{Command: "quit"})
		p.in.Close()
	}()
	select {
	case <-p.dead:
	case <-time.After(quitTime):
		killGroup(p.cmd.Process)
		<-p.dead
	}
	<-asked
}

// tail keeps the end of the text written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if extra := len(t.text) - tailLength; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(text), nil
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.FieldsFunc(string(t.text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return clip(plain.Line(lines[len(lines)-1]))
}

// quitTime is the time that a program has to end after quit.
const quitTime = 500 * time.Millisecond

const tailLength = 4096
