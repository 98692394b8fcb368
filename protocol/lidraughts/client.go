package lidraughts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"damier/internal/plain"
)

// Server is the address of the public server.
const Server = "https://lidraughts.org"

// Limits of what a server may send.
const (
	maxLine   = 1 << 20 // bytes of a line of a stream
	maxAnswer = 1 << 20 // bytes of an answer
)

// StatusError is the error for an answer of the server with a status other than 200.
type StatusError struct {
	Path string
	Code int
	Text string // the server's message, made safe to print
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s: the server answers %d %s", e.Path, e.Code, http.StatusText(e.Code))
	if e.Text != "" {
		text += ": " + e.Text
	}
	switch e.Code {
	case http.StatusUnauthorized:
		text += "; is the token right, and does it allow bot:play and challenge:read?"
	case http.StatusTooManyRequests:
		text += "; wait a minute"
	}
	return text
}

// final reports whether a further attempt would give the same error.
func final(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code < 500 && status.Code != http.StatusTooManyRequests
}

// Client uses the HTTP interface of a server. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client

	// Patience is the time for which a stream may be silent; the server sends something every six
	// seconds.
	Patience time.Duration
	// Pause is the pause before the second attempt of a request; it doubles with every attempt.
	Pause time.Duration
	// Limited is the pause after the server has answered that there were too many requests.
	Limited time.Duration
}

// NewClient returns a client of the server at base, such as [Server], for the bot with the token.
// It sends a token only by https, or to a server on this machine.
func NewClient(base, token string) (*Client, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "":
		return nil, fmt.Errorf("server %.100q is no address such as %s", plain.Line(base), Server)
	case u.Scheme == "http" && !loopback(u.Hostname()), u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("server %.100q: the token is sent by https alone", plain.Line(base))
	}
	if strings.TrimSpace(token) == "" || strings.ContainsFunc(token, func(r rune) bool {
		return r <= ' ' || r > '~'
	}) {
		return nil, errors.New("the token is empty, or has characters that no token has")
	}
	return &Client{
		base:  strings.TrimSuffix(base, "/"),
		token: token,
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // never send the token to another address
		}},
		Patience: 30 * time.Second,
		Pause:    time.Second,
		Limited:  time.Minute,
	}, nil
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// request sends a request. The caller closes the body of the answer, whose status is 200.
func (c *Client) request(ctx context.Context, method, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("User-Agent", "damier")
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
	return nil, &StatusError{Path: path, Code: answer.StatusCode, Text: c.message(text)}
}

// message returns the server's message in one line, without the token in case it contains that.
func (c *Client) message(b []byte) string {
	var object struct {
		Error string `json:"error"`
	}
	text := string(b)
	if json.Unmarshal(b, &object) == nil && object.Error != "" {
		text = object.Error
	}
	text = plain.Line(strings.ReplaceAll(text, c.token, "(token)"))
	if len(text) > 200 {
		text = text[:200]
	}
	return strings.TrimSpace(text)
}

// tries is the number of attempts of a request if the server cannot be reached, is busy or fails.
const tries = 4

// ask sends a short request, several times if necessary, and reads its answer into result, if that
// is not nil.
func (c *Client) ask(ctx context.Context, method, path string, result any) error {
	pause := c.Pause
	for try := 1; ; try++ {
		err := c.askOnce(ctx, method, path, result)
		if err == nil || final(err) || ctx.Err() != nil || try == tries {
			return err
		}
		wait := pause
		var status *StatusError
		if errors.As(err, &status) && status.Code == http.StatusTooManyRequests {
			wait = c.Limited
		}
		if !sleep(ctx, wait) {
			return ctx.Err()
		}
		pause *= 2
	}
}

func (c *Client) askOnce(ctx context.Context, method, path string, result any) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	answer, err := c.request(ctx, method, path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(b, result); err != nil {
		return fmt.Errorf("%s: the answer is no JSON: %w", path, err)
	}
	return nil
}

// sleep waits for d. It returns false if the context was done first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// stream reads a stream of JSON lines until it ends, and calls line with each. It returns nil when
// the server ends the stream.
func (c *Client) stream(ctx context.Context, path string, line func([]byte) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := fmt.Errorf("%s: the server was silent for %s", path, c.Patience)
	watch := time.AfterFunc(c.Patience, func() { cancel(silent) })
	defer watch.Stop()
	answer, err := c.request(ctx, http.MethodGet, path)
	if err != nil {
		return cause(ctx, err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		watch.Reset(c.Patience)
		b := bytes.TrimSpace(lines.Bytes())
		if len(b) == 0 {
			continue // an empty line, with which the server tests the connection
		}
		if err := line(b); err != nil {
			return err
		}
	}
	return cause(ctx, lines.Err())
}

func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Account returns the account of the token.
func (c *Client) Account(ctx context.Context) (User, error) {
	var account struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		Title    string `json:"title"`
	}
	err := c.ask(ctx, http.MethodGet, "/api/account", &account)
	return User{ID: account.ID, Name: account.Username, Title: account.Title}, err
}

// Upgrade makes the account a bot account, which cannot be undone. The server refuses an account
// that has played.
func (c *Client) Upgrade(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "/api/bot/account/upgrade", nil)
}

// Events calls event with the events of the bot, until the stream ends.
func (c *Client) Events(ctx context.Context, event func(Event) error) error {
	return c.stream(ctx, "/api/stream/event", func(b []byte) error {
		var e Event
		if json.Unmarshal(b, &e) != nil {
			return nil // ignore a line that is no JSON
		}
		return event(e)
	})
}

// Game calls event with the events of a game, the whole game first, until the stream ends.
func (c *Client) Game(ctx context.Context, id string, event func(GameEvent) error) error {
	return c.stream(ctx, "/api/bot/game/stream/"+url.PathEscape(id), func(b []byte) error {
		var e GameEvent
		if json.Unmarshal(b, &e) != nil {
			return nil
		}
		return event(e)
	})
}

// Accept accepts a challenge.
func (c *Client) Accept(ctx context.Context, id string) error {
	return c.ask(ctx, http.MethodPost, "/api/challenge/"+url.PathEscape(id)+"/accept", nil)
}

// Decline declines a challenge.
func (c *Client) Decline(ctx context.Context, id string) error {
	return c.ask(ctx, http.MethodPost, "/api/challenge/"+url.PathEscape(id)+"/decline", nil)
}

// Move plays a move or a leg of a capture, and with draw also offers or accepts a draw.
func (c *Client) Move(ctx context.Context, id, leg string, draw bool) error {
	path := "/api/bot/game/" + url.PathEscape(id) + "/move/" + leg
	if draw {
		path += "?offeringDraw=" + strconv.FormatBool(draw)
	}
	return c.ask(ctx, http.MethodPost, path, nil)
}
