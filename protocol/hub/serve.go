package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"damier/rules"
)

// maxLine is the longest message, in bytes; a game of a thousand moves is far shorter.
const maxLine = 1 << 20

// Serve answers the messages from in on out for an engine, until quit, the end of in, an error of
// either, or the end of the context. It then stops a running search. Quit and the end of in are no
// errors.
//
// It answers malformed and unknown messages, and messages that are not allowed now, with an error
// message and changes nothing. Messages are read during a search: ping, stop and ponder-hit work
// at any time. Every go gets exactly one done.
//
// Serve reads ahead in its own goroutine, which ends only when a Read of in returns.
func Serve(ctx context.Context, in io.Reader, out io.Writer, engine Engine) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := engine.Variant()
	s := &server{engine: engine, v: v, game: rules.NewGame(v), out: writer{out: out, failed: cancel}}
	defer s.abandon()

	messages := make(chan message)
	go read(ctx, in, messages)
	for {
		var found chan found
		var clock <-chan time.Time
		if s.search != nil {
			found, clock = s.search.found, s.search.clock
		}
		select {
		case <-ctx.Done():
			if err := s.out.error(); err != nil {
				return err
			}
			return ctx.Err()
		case m := <-messages:
			if m.err != nil {
				if errors.Is(m.err, io.EOF) {
					return nil
				}
				return fmt.Errorf("reading Hub messages: %w", m.err)
			}
			if quit := s.message(ctx, m); quit {
				return s.out.error()
			}
		case f := <-found:
			s.search.result = &f
			s.search.found = nil
			s.answer()
		case <-clock:
			s.search.cancel()
			s.search.clock = nil
		}
	}
}

// message is a line of input and the time when it came, or the reason why there are no more.
type message struct {
	text string
	at   time.Time
	err  error
}

// read sends the lines of in to messages until in ends, including a last line without line break.
// Of a line that is too long it sends the beginning, which is enough for an error message.
func read(ctx context.Context, in io.Reader, messages chan<- message) {
	r := bufio.NewReader(in)
	for {
		var line []byte
		var err error
		for {
			var part []byte
			part, err = r.ReadSlice('\n')
			line = append(line, part[:min(len(part), maxLine+1-len(line))]...)
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if len(line) > 0 {
			select {
			case messages <- message{text: string(line), at: time.Now()}:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			select {
			case messages <- message{err: err}:
			case <-ctx.Done():
			}
			return
		}
	}
}

// writer writes messages from several goroutines. Its first error ends the conversation.
type writer struct {
	mu     sync.Mutex
	out    io.Writer
	err    error
	failed func()
}

func (w *writer) send(l Line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if _, err := io.WriteString(w.out, l.String()+"\n"); err != nil {
		w.err = fmt.Errorf("writing Hub messages: %w", err)
		w.failed()
	}
}

func (w *writer) error() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
