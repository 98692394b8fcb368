package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// webClient is a client that plays games on the web board.
type webClient struct {
	home           string
	http           *http.Client
	rng            *rand.Rand
	posts, refused *atomic.Int64
}

// boardState is the part of a board's state that the client reads.
type boardState struct {
	ID      string            `json:"id"`
	Ply     int               `json:"ply"`
	Turn    string            `json:"turn"`
	Legal   []json.RawMessage `json:"legal"`
	Outcome string            `json:"outcome"`
}

// ask sends a request, and repeats it while the server is busy.
func (w *webClient) ask(ctx context.Context, method, path, body string) (s boardState, err error) {
	for {
		r, err := http.NewRequestWithContext(ctx, method, w.home+path, strings.NewReader(body))
		if err != nil {
			return s, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", w.home)
		w.posts.Add(1)
		answer, err := w.http.Do(r)
		if err != nil {
			return s, err
		}
		text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<24))
		answer.Body.Close()
		switch {
		case err != nil:
			return s, err
		case answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable:
			w.refused.Add(1)
			time.Sleep(200 * time.Millisecond)
			continue
		case answer.StatusCode >= 400:
			return s, fmt.Errorf("%s %s: status %d: %s", method, path, answer.StatusCode, text)
		}
		if len(text) == 0 {
			return s, nil
		}
		return s, json.Unmarshal(text, &s)
	}
}

// game plays one game of random moves against a quick level.
func (w *webClient) game(ctx context.Context, end time.Time) error {
	v := family[w.rng.IntN(len(family))]
	seats := fmt.Sprintf(`{"variant":%q,"seats":{"white":{"player":"person"},"black":{"player":"alphabeta","level":%d}}}`, v.Name, 1+w.rng.IntN(3))
	s, err := w.ask(ctx, http.MethodPost, "/api/boards", seats)
	if err != nil {
		return err
	}
	board := "/api/boards/" + s.ID
	for err == nil && s.Outcome == "*" && s.Ply < 120 && time.Now().Before(end) {
		if s.Turn == "white" {
			if len(s.Legal) == 0 {
				break
			}
			_, err = w.ask(ctx, http.MethodPost, board+"/move", fmt.Sprintf(`{"ply":%d,"index":%d}`, s.Ply, w.rng.IntN(len(s.Legal))))
		}
		time.Sleep(300 * time.Millisecond) // less than a person needs
		if err == nil {
			s, err = w.ask(ctx, http.MethodGet, board, "")
		}
	}
	if err == nil {
		_, err = w.ask(ctx, http.MethodPost, board+"/close", "{}")
	}
	return err
}
