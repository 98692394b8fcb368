package dxp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// DefaultPort is the port that programs agree on.
const DefaultPort = "27531"

// DefaultAddress is where a program listens that was told nothing else: this machine only.
const DefaultAddress = "127.0.0.1:" + DefaultPort

// writeTimeout is how long a partner may leave a message unread.
const writeTimeout = 10 * time.Second

// Address completes an address: a missing host is this machine alone, which is not what it means to package net,
// and a missing port the one that programs agree on.
func Address(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		if host, port, err = net.SplitHostPort(text + ":" + DefaultPort); err != nil {
			return "", fmt.Errorf("address %q is not HOST:PORT", text)
		}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = DefaultPort
	}
	return net.JoinHostPort(host, port), nil
}

// Received is what came from the partner: a message, or why none could be made of what came. After a Broken one
// nothing more comes.
type Received struct {
	Message Message
	Err     error // of what came: not a message, or the connection's
	Broken  bool
	At      time.Time
}

// Conn sends and receives messages.
type Conn struct {
	c        net.Conn
	received chan Received
	closed   chan struct{}
	close    sync.Once
	trace    func(direction, text string)
}

// NewConn returns a Conn on a connection that it owns from then on. trace, if not nil, is told everything that is
// sent (">") and received ("<"), from several goroutines.
func NewConn(c net.Conn, trace func(direction, text string)) *Conn {
	conn := &Conn{c: c, received: make(chan Received), closed: make(chan struct{}), trace: trace}
	go conn.read()
	return conn
}

// Received returns the channel of what the partner sends.
func (c *Conn) Received() <-chan Received { return c.received }

// Close ends the connection.
func (c *Conn) Close() error {
	err := net.ErrClosed
	c.close.Do(func() {
		close(c.closed)
		err = c.c.Close()
	})
	return err
}

// Send sends a message.
func (c *Conn) Send(m Message) error {
	text := m.append(nil)
	if len(text) > MaxMessage {
		panic("dxp: a message that is too long")
	}
	if c.trace != nil {
		c.trace(">", string(text))
	}
	c.c.SetWriteDeadline(time.Now().Add(writeTimeout)) // a connection that cannot has none
	if _, err := c.c.Write(append(text, 0)); err != nil {
		return fmt.Errorf("sending %q: %w", clip(string(text)), err)
	}
	return nil
}

// errFrame is about a partner that does not keep to the frames of messages: nothing it says can be trusted.
var errFrame = fmt.Errorf("more than %d bytes came without the end of a message", MaxMessage)

// read hands over the messages that come until the connection ends.
func (c *Conn) read() {
	r := bufio.NewReaderSize(c.c, 2*MaxMessage)
	for {
		text, err := frame(r)
		got := Received{Err: err, Broken: err != nil, At: time.Now()}
		if err == nil {
			if len(text) == 0 {
				continue // an end mark too many
			}
			if c.trace != nil {
				c.trace("<", printable(string(text)))
			}
			got.Message, got.Err = Parse(text)
		}
		select {
		case c.received <- got:
		case <-c.closed:
			return
		}
		if got.Broken {
			return
		}
	}
}

// frame reads up to the end of a message. Line breaks between messages, which people at a terminal send, are left
// out.
func frame(r *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		b, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
			return nil, errors.New("the partner has closed the connection")
		case err != nil:
			return nil, fmt.Errorf("receiving: %w", err)
		case b == 0:
			return text, nil
		case len(text) == 0 && (b == '\r' || b == '\n'):
			continue
		case len(text) == MaxMessage:
			return nil, errFrame
		}
		text = append(text, b)
	}
}

// receive waits for the next message.
func (c *Conn) receive(ctx context.Context) (Received, error) {
	select {
	case r := <-c.received:
		return r, nil
	case <-ctx.Done():
		return Received{}, ctx.Err()
	}
}
