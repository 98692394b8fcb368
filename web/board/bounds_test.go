package board

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"damier/rules"
)

// manyWays is a FEN of sixty bytes with a hundred million capture paths.
const manyWays = "W:WK5:B30,24,17,7,21,10,4,28,26,13,44,33,20,22,37,43,29,15,8,9"

// postWithin posts JSON and returns the status and the answer, which must come within a minute.
func postWithin(t *testing.T, base, path string, body any) (int, map[string]any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", base+path, strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", base)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(content, &object); err != nil {
		t.Fatalf("%s: %d %s", path, answer.StatusCode, content)
	}
	return answer.StatusCode, object
}

// A position with a hundred million capture paths can be shown, explained and played like any
// other, also in informal play.
func TestManyWaysToCapture(t *testing.T) {
	s := New(Config{Variant: rules.Frisian})
	defer s.Close()
	h := httptest.NewServer(s)
	defer h.Close()
	for _, informal := range []bool{false, true} {
		body := map[string]any{"variant": "frisian", "fen": manyWays, "informal": informal}
		status, state := postWithin(t, h.URL, "/api/boards", body)
		if legal, _ := state["legal"].([]any); status != 200 && status != 201 || len(legal) != 11 {
			t.Fatalf("informal %t: status %d, %d moves: %.300v", informal, status, len(legal), state)
		}
		board := "/api/boards/" + state["id"].(string)
		if status, answer := postWithin(t, h.URL, board+"/explain", map[string]any{"from": 5, "to": 50}); status != 200 {
			t.Errorf("explain: %d %v", status, answer)
		}
		if status, answer := postWithin(t, h.URL, board+"/move", map[string]any{"index": 3}); status != 200 {
			t.Errorf("move: %d %.300v", status, answer)
		}
	}
}

// A busy board delays neither the sweep nor the other boards.
func TestBusyBoardDelaysNoOther(t *testing.T) {
	s := New(Config{Boards: 2, Idle: time.Nanosecond})
	defer s.Close()
	busy, err := s.open(rules.International, rules.International.Start())
	if err != nil {
		t.Fatal(err)
	}
	busy.mu.Lock()
	done := make(chan error, 1)
	go func() {
		s.closeUnused(0)
		for range 5 { // more than fit: unused boards are closed
			if _, err := s.open(rules.International, rules.International.Start()); err != nil {
				done <- err
				return
			}
			time.Sleep(time.Millisecond)
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("a request waits for a busy board")
	}
	busy.mu.Unlock()
}
