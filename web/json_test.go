package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// An answer that took longer to compute than the deadline of its request arrives all the same.
func TestLateAnswerArrives(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		time.Sleep(50 * time.Millisecond)
		WriteJSON(w, http.StatusOK, []byte("{}"))
	}))
	defer h.Close()
	answer, err := http.Get(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
}
