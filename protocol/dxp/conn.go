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

// DefaultPort is the usual port of DXP programs.
const DefaultPort = "27531"

// DefaultAddress is the default address on which a program listens: this machine only.
const DefaultAddress = "127.0.0.1:" + DefaultPort

// writeTimeout is the longest time for which a partner may leave a message unread.
const writeTimeout = 10 * time.Second

// Address completes an address. A missing host means this machine only (package net would take all
// interfaces), a missing port the usual port.
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

// Received is what the partner sent: a message, or the error of reading one. Nothing more follows
// a Broken one.
type Received struct {
	Message Message
	Err     error // the text is not a message, or the error of the connection
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

// NewConn returns a Conn on a connection, which it then owns. It calls trace, if not nil, with
// everything sent (">") and received ("<"), from several goroutines.
func NewConn(c net.Conn, trace func(direction, text string)) *Conn {
	conn := &Conn{c: c, received: make(chan Received), closed: make(chan struct{}), trace: trace}
	go conn.read()
	return conn
}

// Received returns the channel of the partner's messages.
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
	// Ignore the error of a connection without deadlines.
	c.c.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := c.c.Write(append(text, 0)); err != nil {
		return fmt.Errorf("sending %q: %w", clip(string(text)), err)
	}
	return nil
}

// errFrame is the error for a partner that does not end its messages; nothing it sends can be
// trusted.
var errFrame = fmt.Errorf("more than %d bytes came without the end of a message", MaxMessage)

// read sends the received messages to the channel until the connection ends.
func (c *Conn) read() {
	r := bufio.NewReaderSize(c.c, 2*MaxMessage)
	for {
		text, err := frame(r)
		got := Received{Err: err, Broken: err != nil, At: time.Now()}
		if err == nil {
			if len(text) == 0 {
				continue // an extra end byte
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

// frame reads up to the end of a message. It drops line breaks between messages, which people at a
// terminal send.
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
